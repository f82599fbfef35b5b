import type { FacetName, MatchKind, PricingType, SimilarityReason, SortOrder, Status } from '#contract/projects.ts';
import type { CategoryRecord } from '#model/category.ts';
import type { CurrentField, Fields } from '#model/field.ts';
import type { FieldFilter, FieldSort } from '#model/field-filter.ts';
import type { ProjectCounts, ProjectRecord } from '#model/project.ts';

/**
 * One entry of the feed: the newest state of a project, its counters or a category, or a tombstone. Entries may arrive
 * late, repeatedly and in any order; the highest `version` wins. A removal is final, except that an import may restore
 * a project with a higher version than its removal.
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
      /** The version up to which it is removed; absent: every version. */
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
  readonly deleted: 'excluded' | 'included' | 'only';
  readonly ownerId?: string;
  /** Only these projects. */
  readonly ids?: readonly string[];
  /** Only scheduled projects, or only the others. */
  readonly scheduled?: boolean;
}

export interface CatalogFilters {
  /** Any of these category slugs, also of merged categories; an empty list is no filter. */
  readonly category?: readonly string[];
  /** Any of these spheres; an empty list is no filter. */
  readonly sphere?: readonly string[];
  /** Any of these tags, in any spelling; an empty list is no filter. */
  readonly tag?: readonly string[];
  readonly pricing?: PricingType;
  /** Folded, and matched as `match` says. */
  readonly q?: string;
  /** `substring` by default, and for a `q` without words or that is an address. */
  readonly match?: MatchKind;
  /** Whether searches by words also search long descriptions. */
  readonly longDescriptions?: boolean;
  /**
   * Of searches for a substring. `public`: name, description, host of the URL, tags. `admin`: also the whole URL; matches
   * in the name or URL come before all others, in every sort order but that of relevance.
   */
  readonly searchIn: 'public' | 'admin';
  /** Degrees within ±180 and ±90. West greater than east crosses the date line; the meridians 180 and -180 are one. */
  readonly bbox?: { readonly west: number; readonly south: number; readonly east: number; readonly north: number };
  readonly near?: { readonly latitude: number; readonly longitude: number; readonly radiusKm: number };
  /** All of these, at most one per field. */
  readonly fields?: readonly FieldFilter[];
}

/** The text search of a query's filters; no search when `q` is undefined or blank. */
export interface TextSearch extends Pick<CatalogFilters, 'searchIn' | 'match' | 'longDescriptions'> {
  readonly q: string | undefined;
  /** The fields whose values are needed. */
  readonly fields?: readonly CurrentField[];
  /** Whether the words of all listings are needed: for `match` and for `describe` of the query. */
  readonly needsWords?: boolean;
}

export interface CatalogQuery {
  readonly scope: CatalogScope;
  readonly filters: CatalogFilters;
  readonly sort: SortOrder | FieldSort;
  /** From 1; ignored when there is a cursor. */
  readonly page: number;
  readonly limit: number;
  readonly cursor?: string;
  readonly facets?: readonly FacetName[];
  /** The fields to count the options and booleans of, or to find the range of their numbers and dates. */
  readonly fieldFacets?: readonly CurrentField[];
  /** Describes how `q` was searched: with a correction (`search`), with the ranges of matches (`highlights`), or with both. */
  readonly describe?: 'search' | 'highlights' | 'all';
  /** Reports the criteria of relevance, when the results are in that order. */
  readonly explain?: boolean;
}

/** The first criteria, which indexes answer. */
export interface FirstCriteria {
  /** The words that match. */
  readonly matched: number;
  /** Of a search for an address: whether it is that of the listing. */
  readonly equalsName: boolean;
  /** The fewest per word, added up. */
  readonly typos: number;
  /** The words in the name, and those of them that are equal. */
  readonly inName: number;
  readonly wholeInName: number;
}

/** The criteria of a match, the decisive first. */
export interface RankingCriteria extends FirstCriteria {
  /** By further place, the words in it and those of them that are equal. */
  readonly further: readonly { readonly any: number; readonly whole: number }[];
  /** The pairs of consecutive words side by side. */
  readonly pairs: number;
}

export interface ClusterQuery {
  readonly filters: CatalogFilters & Required<Pick<CatalogFilters, 'bbox'>>;
  /** 0 to 20. */
  readonly zoom: number;
  /** The most features, at least 16. */
  readonly max: number;
}

/** The listings in a square. */
export interface SquareContents {
  /** `z/x/y`, counted from the north-west. */
  readonly id: string;
  readonly count: number;
  /** The only listing, or any of them. */
  readonly slot: number;
  /** The mean of the coordinates, in degrees. */
  readonly longitude: number;
  readonly latitude: number;
  /** West, south, east, north. */
  readonly bbox: readonly [number, number, number, number];
  /** The first zoom at which the listings are in several squares; null if there is none. */
  readonly expansionZoom: number | null;
}

/** A square of the map with one listing or several. */
export interface Cluster extends Omit<SquareContents, 'slot'> {
  /** The listing, if there is one only. */
  readonly entry: CatalogEntry | undefined;
}

export interface Clusters {
  readonly total: number;
  /** At most that of the query. */
  readonly zoom: number;
  readonly clusters: readonly Cluster[];
}

/** The matches in a text of a listing. */
export interface Highlight {
  readonly field: 'name' | 'description' | 'tags';
  /** The index of the tag; null for other fields. */
  readonly index: number | null;
  /** UTF-16 offsets into the text, end excluded, ascending. */
  readonly ranges: [start: number, end: number][];
}

/** How the `q` of a query was searched. */
export interface SearchDescription {
  readonly match: MatchKind;
  /** Folded; of a search for a substring all of `q`, of a pasted address what of it is searched. */
  readonly words: readonly string[];
  /** Whether listings without some of the words match too. */
  readonly relaxed: boolean;
  /** `q` with corrected words, when that finds more; null unless it is asked for. */
  readonly didYouMean: string | null;
  /** By id of the listing. */
  readonly highlights?: Record<string, Highlight[]>;
}

/**
 * A project with its counters, the spheres of its categories and the definitions of fields. The catalog returns the same object until one of them
 * changes, so that what is derived from it can be cached by the object.
 */
export interface CatalogEntry {
  readonly project: ProjectRecord;
  readonly counts: ProjectCounts;
  readonly spheres: readonly string[];
  /** The definitions that its values are shown by. */
  readonly fields: Fields;
}

export interface FacetCount {
  readonly value: string;
  readonly count: number;
}

/** The values of a field among the listings that match all other filters. */
export interface FieldFacet {
  /** Of options and booleans, the most frequent first. */
  readonly counts: readonly FacetCount[];
  /** Of numbers and dates, see `dayNumber`; undefined when no listing has a value. */
  readonly range: { readonly min: number; readonly max: number } | undefined;
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
  /** Of `fieldFacets`, by id. */
  readonly fieldFacets?: ReadonlyMap<string, FieldFacet>;
  /** When the query asks for it and has a `q`. */
  readonly search?: SearchDescription;
  /** By id of the listing, when the query asks for it and is sorted by relevance. */
  readonly criteria?: ReadonlyMap<string, RankingCriteria>;
}

export interface CategoryWithCount {
  readonly category: CategoryRecord;
  /** Live projects that are not deleted. */
  readonly projectCount: number;
}

/** What is compared of a listing. */
export interface Comparable {
  readonly name: string;
  readonly url: string;
  readonly description: string;
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

/** A listing whose relatives are searched. */
export interface RelatedQuery {
  readonly id: string;
  readonly tags: readonly string[];
  /** Slugs. */
  readonly categories: readonly string[];
}

/** What the sitemap says of a live listing. */
export interface CreatedListing {
  readonly slug: string;
  /** The last change of what its page shows, or its publication; ISO 8601. */
  readonly changedAt: string;
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
  /** In the moderation queue. */
  readonly pending: number;
  /** Approved, and pending until their time of publication. */
  readonly scheduled: number;
  /** The creation of the first listing in the moderation queue, ISO 8601; null when it is empty. */
  readonly oldestPendingAt: string | null;
  /** Pending edits. */
  readonly pendingEdits: number;
  readonly openReports: number;
}

/** The read model of the service: all projects, counters and categories, in the memory of one process. */
export interface ReadCatalog {
  /** Incremented by every effective change. */
  readonly version: number;
  /** The number of projects of every status, deleted ones included. */
  readonly size: number;
  /** The definitions of fields. */
  readonly fields: Fields;
  /** @throws {CursorError} when the cursor is invalid or belongs to another sort order or kind of list. */
  query(query: CatalogQuery): CatalogPage;
  /**
   * Runs one step, a few milliseconds, of folding the texts that a search compares, of finding the listings with its address, and of
   * reading the values of its fields; true when that is complete. A query does what is missing itself, which blocks for a second in a large directory.
   */
  prepareSearch(search: TextSearch): boolean;
  /** Runs one step, some milliseconds, of indexing what searches by words otherwise compare; true when all is indexed. */
  indexWords(longDescriptions: boolean): boolean;
  find(projectId: string): CatalogEntry | undefined;
  /** Live projects with coordinates, newest first. */
  located(max: number): readonly CatalogEntry[];
  /** The live projects with coordinates in a box, grouped by squares of the map. */
  clusters(query: ClusterQuery): Clusters;
  /** All categories by `sort_order`, then name. */
  categories(): readonly CategoryWithCount[];
  /** Ids of projects (deleted ones excluded unless they are wanted) with the same canonical URL, oldest first: all, or any `max` of them. */
  sameUrl(url: string, wanted?: { readonly withDeleted?: boolean; readonly max?: number }): readonly string[];
  /** The number of live projects on a host, as `canonicalHost` returns it. */
  liveOnHost(host: string): number;
  /** Projects (deleted ones excluded) that resemble a listing, the most similar first. */
  similar(query: SimilarQuery, max: number): readonly SimilarEntry[];
  /** Runs one step, a few milliseconds, of building the index that `similar` needs; true when it is complete. */
  prepareSimilar(): boolean;
  /** Other live projects that share a tag or a category, those that share most first. */
  related(query: RelatedQuery, max: number): readonly CatalogEntry[];
  ownerCounts(ownerId: string): OwnerCounts;
  directoryCounts(): DirectoryCounts;
  /** Projects of an owner, deleted ones included, that were created between two times, both included. ISO 8601. */
  createdBetween(ownerId: string, since: string, until: string): readonly string[];
  /** Ids of all projects with a category slug, of every status, deleted ones included. */
  idsInCategory(categorySlug: string): readonly string[];
  /** The position of a pending project in the moderation queue, from 1; undefined for any other, also a scheduled one. */
  queuePosition(projectId: string): number | undefined;
  /** The projects that were created last (deleted ones excluded), newest first. */
  lastCreated(max: number): readonly CatalogEntry[];
  /**
   * Live listings among a range of all listings, oldest first (by creation, then id).
   * @param from the first rank, from 0. @param count of the listings of every status that are considered.
   */
  liveCreated(from: number, count: number): readonly CreatedListing[];
  /** Every entry, oldest first (by creation, then id), in its state at the time of its iteration. */
  all(): IterableIterator<CatalogEntry>;
}

/** The cursor is malformed or belongs to another sort order or kind of list. */
export class CursorError extends Error {
  override readonly name = 'CursorError';
}
