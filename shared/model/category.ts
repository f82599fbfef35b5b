/** A stored category. Its `project_count` is not stored: the catalog counts it. */
export interface CategoryRecord {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  readonly sphere: string | null;
  readonly description: string | null;
  readonly icon: string | null;
  /** `#rrggbb`. */
  readonly color: string | null;
  readonly sort_order: number;
  readonly created_at: string;
  readonly updated_at: string;
  /** Incremented by every write. */
  readonly version: number;
}
