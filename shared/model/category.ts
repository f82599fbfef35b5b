import type { Category } from '#contract/categories.ts';

/** A stored category. Its `project_count` is not stored: the catalog counts it. */
export interface CategoryRecord extends Readonly<Omit<Category, 'project_count'>> {
  /** Incremented by every write. */
  readonly version: number;
}
