import type { FacetName, PricingType, SortOrder, Status } from '#contract/projects.ts';
import type { CategoryRecord } from '#domain/categories/category.ts';
import type { ProjectCounts, ProjectRecord } from '#domain/projects/project.ts';

/**
 * One entry of the feed: the newest state of a card, of its counters, of a category, or the fact that one is gone for good.
 * Entries may come late, twice and in any order; the higher `version` wins. What was removed stays removed, unless
 * an import brings the project back in a higher version than it was removed in.
 */
export type CatalogChange =
  | { readonly kind: 'project'; readonly project: ProjectRecord }
  | { readonly kind: 'counts'; readonly projectId: string; readonly counts: ProjectCounts }
  | {
      readonly kind: 'projectRemoved';
      readonly projectId: string;
      /** Every state of the project up to this version is gone; without it, every state there will ever be. */
      readonly version?: number;
    }
  | { readonly kind: 'category'; readonly category: CategoryRecord }
  | { readonly kind: 'categoryRemoved'; readonly categoryId: string };

/** Which projects a query looks at before any filter. */
export interface CatalogScope {
  readonly status: Status | 'any';
  readonly deleted: 'excluded' | 'included';
  readonly ownerId?: string;
}

export interface CatalogFilters {
  /** Any of these category slugs; an empty list is no filter. */
  readonly category?: readonly string[];
  /** Any of these spheres; an empty list is no filter. */
  readonly sphere?: readonly string[];
  readonly pricing?: PricingType;
  /** Folded and matched as a substring. */
  readonly q?: string;
  /** `public`: name, description, host of the address, tags. `admin`: name and address. */
  readonly searchIn: 'public' | 'admin';
  /** Degrees. West greater than east crosses the date line. */
  readonly bbox?: { readonly west: number; readonly south: number; readonly east: number; readonly north: number };
  readonly near?: { readonly latitude: number; readonly longitude: number; readonly radiusKm: number };
}

/** A text to be looked for, as in the filters; nothing when there is none. */
export interface SearchedText {
  readonly q: string | undefined;
  readonly searchIn: CatalogFilters['searchIn'];
}

export interface CatalogQuery {
  readonly scope: CatalogScope;
  readonly filters: CatalogFilters;
  readonly sort: SortOrder;
  /** From 1; not looked at when there is a cursor. */
  readonly page: number;
  readonly limit: number;
  readonly cursor?: string;
  readonly facets?: readonly FacetName[];
}

/** A project with its counters and what is derived from its categories. */
export interface CatalogEntry {
  readonly project: ProjectRecord;
  readonly counts: ProjectCounts;
  readonly spheres: readonly string[];
}

export interface FacetCount {
  readonly value: string;
  readonly count: number;
}

export interface CatalogPage {
  readonly entries: readonly CatalogEntry[];
  readonly total: number;
  /** Of a cursor: the page that its position falls into. */
  readonly page: number;
  readonly pageSize: number;
  readonly hasMore: boolean;
  readonly nextCursor: string | null;
  readonly facets?: Readonly<Partial<Record<FacetName, readonly FacetCount[]>>>;
}

export interface CategoryWithCount {
  readonly category: CategoryRecord;
  /** Live projects that are not deleted. */
  readonly projectCount: number;
}

/** The read model of the service: every card, its counters and all categories, in the memory of one process. */
export interface ReadCatalog {
  /** Grows with every change that made a difference. */
  readonly version: number;
  /** How many projects there are, of every status, deleted ones included. */
  readonly size: number;
  /** @throws {CursorError} when the cursor is not one of this sort order. */
  query(query: CatalogQuery): CatalogPage;
  /**
   * Does some of the work that has to be done once before a text can be looked for, a few milliseconds of it; answers whether
   * that was all. A query does what is left of it by itself, which in a large directory takes long.
   */
  prepareSearch(searched: SearchedText): boolean;
  find(projectId: string): CatalogEntry | undefined;
  /** Live projects with coordinates, newest first. */
  located(max: number): readonly CatalogEntry[];
  /** All categories by `sort_order`, then name. */
  categories(): readonly CategoryWithCount[];
  /** Ids of projects (deleted ones excluded) whose address has the same canonical form, oldest first. */
  sameUrl(url: string): readonly string[];
  /** Ids of all projects that carry a category slug, whatever their status, deleted ones included. */
  carrying(categorySlug: string): readonly string[];
  /** The place of a pending project in the moderation queue, from 1; undefined for any other. */
  queuePosition(projectId: string): number | undefined;
  /** Every entry, oldest first (by creation, then id), as they are when the walk reaches them. */
  all(): IterableIterator<CatalogEntry>;
}

/** The text of a cursor that this catalog did not make, or made for another sort order. */
export class CursorError extends Error {
  override readonly name = 'CursorError';
}
