import type { FacetName, PricingType, SimilarityReason, SortOrder, Status } from '#contract/projects.ts';
import type { CategoryRecord } from '#model/category.ts';
import type { ProjectCounts, ProjectRecord } from '#model/project.ts';
import type { Row } from './row.ts';
import type { Comparable } from './similarity.ts';

/**
 * One entry of the feed: the newest state of a project, its counters or a category, or a tombstone. Entries may arrive
 * late, repeatedly and in any order; the highest `version` wins. A removal is final, except that an import may restore
 * a project with a higher version than that of its removal.
 */
export type CatalogChange =
  | { readonly kind: 'project'; readonly project: ProjectRecord }
  | { readonly kind: 'counts'; readonly projectId: string; readonly counts: ProjectCounts }
  | {
      readonly kind: 'projectRemoved';
      readonly projectId: string;
      /** Removes every state up to this version; absent: every state, present or future. */
      readonly version?: number;
    }
  | { readonly kind: 'category'; readonly category: CategoryRecord }
  | {
      readonly kind: 'categoryRemoved';
      readonly categoryId: string;
      /** The version up to which it is removed; absent in tombstones of earlier releases, which nothing follows. */
      readonly version?: number;
      readonly alias?: CategoryAlias;
    };

/** What a merged category leaves: its slug, which stands for another category. */
export interface CategoryAlias {
  readonly slug: string;
  /** The id of the category that it was merged into. */
  readonly into: string;
}

/** Which projects a query covers before any filter. */
export interface CatalogScope {
  readonly status: Status | 'any';
  readonly deleted: 'excluded' | 'included';
  readonly ownerId?: string;
}

export interface CatalogFilters {
  /** Any of these category slugs, also of merged categories; an empty list is no filter. */
  readonly category?: readonly string[];
  /** Any of these spheres; an empty list is no filter. */
  readonly sphere?: readonly string[];
  /** Any of these tags, as they are written; an empty list is no filter. */
  readonly tag?: readonly string[];
  readonly pricing?: PricingType;
  /** Folded and matched as a substring. */
  readonly q?: string;
  /**
   * `public`: name, description, host of the URL, tags. `admin`: also the whole URL; matches in the name or URL come
   * before all others, in every sort order.
   */
  readonly searchIn: 'public' | 'admin';
  /** Degrees. West greater than east crosses the date line. */
  readonly bbox?: { readonly west: number; readonly south: number; readonly east: number; readonly north: number };
  readonly near?: { readonly latitude: number; readonly longitude: number; readonly radiusKm: number };
}

/** The text search of a query's filters; no search when `q` is undefined or blank. */
export interface TextSearch {
  readonly q: string | undefined;
  readonly searchIn: CatalogFilters['searchIn'];
}

export interface CatalogQuery {
  readonly scope: CatalogScope;
  readonly filters: CatalogFilters;
  readonly sort: SortOrder;
  /** From 1; ignored when there is a cursor. */
  readonly page: number;
  readonly limit: number;
  readonly cursor?: string;
  readonly facets?: readonly FacetName[];
}

/**
 * A project with its counters and the spheres of its categories. The catalog returns the same object until one of them
 * changes, so that what is derived from it can be cached by the object.
 */
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
  /** With a cursor: the page that contains its position. */
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

/** A listing that resembles another one. */
export interface SimilarRow {
  readonly row: Row;
  /** 0 to 1. */
  readonly score: number;
  readonly reasons: readonly SimilarityReason[];
}

/** A listing to compare with the others. */
export interface SimilarQuery extends Comparable {
  /** Of the listing itself, which is not compared. */
  readonly id?: string;
  /** Only listings created before this time, ISO 8601. */
  readonly createdBefore?: string;
}

/** A listing that resembles another one. */
export interface SimilarEntry {
  readonly entry: CatalogEntry;
  /** 0 to 1. */
  readonly score: number;
  readonly reasons: readonly SimilarityReason[];
}

/** The listings of an owner. */
export interface OwnerCounts {
  readonly live: number;
  readonly pending: number;
  readonly rejected: number;
  /** Soft-deleted ones of every status, which the other counts do not contain. */
  readonly deleted: number;
}

/** The listings for administrators, in numbers. Deleted ones count only for their open reports. */
export interface DirectoryCounts {
  readonly live: number;
  readonly pending: number;
  /** The creation of the first listing in the moderation queue, ISO 8601; null when it is empty. */
  readonly oldestPendingAt: string | null;
  /** Edits that wait for approval. */
  readonly waitingEdits: number;
  readonly openReports: number;
}

/** The read model of the service: all projects, counters and categories, in the memory of one process. */
export interface ReadCatalog {
  /** Incremented by every effective change. */
  readonly version: number;
  /** The number of projects of every status, deleted ones included. */
  readonly size: number;
  /** @throws {CursorError} when the cursor is invalid or belongs to another sort order or kind of list. */
  query(query: CatalogQuery): CatalogPage;
  /**
   * Runs one step, a few milliseconds, of folding the texts that a search compares; true when all are folded. A query
   * folds what is missing itself, which blocks for a second in a large directory.
   */
  prepareSearch(search: TextSearch): boolean;
  find(projectId: string): CatalogEntry | undefined;
  /** Live projects with coordinates, newest first. */
  located(max: number): readonly CatalogEntry[];
  /** All categories by `sort_order`, then name. */
  categories(): readonly CategoryWithCount[];
  /** Ids of projects (deleted ones excluded) with the same canonical URL, oldest first. */
  sameUrl(url: string): readonly string[];
  /** Projects (deleted ones excluded) that resemble a listing, the most similar first. */
  similar(query: SimilarQuery, max: number): readonly SimilarEntry[];
  /** Runs one step, a few milliseconds, of building the index that `similar` needs; true when it is complete. */
  prepareSimilar(): boolean;
  ownerCounts(ownerId: string): OwnerCounts;
  directoryCounts(): DirectoryCounts;
  /** Projects of an owner, deleted ones included, that were created between two times, both included. ISO 8601. */
  createdBetween(ownerId: string, since: string, until: string): readonly string[];
  /** Ids of all projects with a category slug, of every status, deleted ones included. */
  idsInCategory(categorySlug: string): readonly string[];
  /** The position of a pending project in the moderation queue, from 1; undefined for any other. */
  queuePosition(projectId: string): number | undefined;
  /** The projects that were created last (deleted ones excluded), newest first. */
  lastCreated(max: number): readonly CatalogEntry[];
  /** Every entry, oldest first (by creation, then id), in its state at the time of its iteration. */
  all(): IterableIterator<CatalogEntry>;
}

/** The cursor is malformed or belongs to another sort order or kind of list. */
export class CursorError extends Error {
  override readonly name = 'CursorError';
}
