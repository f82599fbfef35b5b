import { digest } from '#model/entity-tag.ts';
import { type Fields, noFields } from '#model/field.ts';
import type { FieldSort } from '#model/field-filter.ts';
import { noCounts, type ProjectCounts, type ProjectRecord } from '#model/project.ts';
import { CategoryList } from './category-list.ts';
import { Corrections } from './corrections.ts';
import type { Matches } from './filters.ts';
import { highlightsOf } from './highlights.ts';
import { Listings } from './listings.ts';
import { wholeEarth } from './location-index.ts';
import {
  byCreation,
  type CursorOrder,
  type DecodedPosition,
  decodeCursor,
  encodeCursor,
  type IndexedSort,
  type Order,
  OrderedMatches,
  SortedMatches,
  sortOrders,
} from './order.ts';
import { packedPage } from './packed-texts.ts';
import { pastedAddress } from './pasted-address.ts';
import { criteriaOf, RankedMatches, type Ranking } from './ranking.ts';
import { relatedSlots } from './related.ts';
import { Entries, Row, StringPool } from './rows.ts';
import {
  facet,
  fieldFacet,
  foldedQuery,
  narrowToScheduled,
  type Searched,
  Selection,
  slotsInScope,
} from './selection.ts';
import type { CatalogContents } from './snapshot.ts';
import { searchGroups } from './text-index.ts';
import type {
  CatalogChange,
  CatalogEntry,
  CatalogPage,
  CatalogQuery,
  CatalogScope,
  CategoryWithCount,
  ClusterQuery,
  Clusters,
  CreatedListing,
  DirectoryCounts,
  OwnerCounts,
  RankingCriteria,
  ReadCatalog,
  RelatedQuery,
  SearchDescription,
  SimilarEntry,
  SimilarQuery,
  TextSearch,
} from './types.ts';
import { indexWords, prepareTexts } from './word-search.ts';

const publicScope: CatalogScope = { status: 'live', deleted: 'excluded' };
const queueScope: CatalogScope = { status: 'pending', deleted: 'excluded' };

/** A page of a list, and its cursor for the next one. */
interface OrderedPage {
  readonly total: number;
  readonly offset: number;
  readonly slots: readonly number[];
  readonly cursorAfter: () => string | null;
}

/** The order of relevance needs a search. */
const effectiveSort = ({ sort, filters }: CatalogQuery): IndexedSort | FieldSort => {
  if (sort !== 'relevance') return sort;
  if (foldedQuery(filters.q) === undefined) return 'newest';
  throw new Error('The order of relevance is not indexed.');
};

/** What binds a cursor to its search; undefined when it is good for any, as without a search by words or relevance. */
const searchDigest = ({ sort, filters }: CatalogQuery): string | undefined => {
  const { match = 'substring', searchIn } = filters;
  const q = foldedQuery(filters.q);
  if (q === undefined || (match === 'substring' && sort !== 'relevance')) return undefined;
  return digest(JSON.stringify([match, searchIn, q]));
};

const cursorOrder = (sort: IndexedSort | FieldSort): CursorOrder =>
  typeof sort === 'string' ? sort : `${sort.descending ? '-' : ''}fields.${sort.field.id}`;

const positionOf = (query: CatalogQuery): DecodedPosition | undefined => {
  if (query.cursor === undefined) return undefined;
  const isRanked = query.sort === 'relevance' && foldedQuery(query.filters.q) !== undefined;
  return decodeCursor(isRanked ? 'relevance' : cursorOrder(effectiveSort(query)), query.cursor, searchDigest(query));
};

/** The read model of the service, in memory. Pure: its state is determined by the changes passed to `apply`. */
export class Catalog implements ReadCatalog {
  readonly #strings = new StringPool();
  readonly #listings = new Listings();
  readonly #categories = new CategoryList();
  readonly #entries = new Entries(this.#listings.rows, this.#categories);
  /** Counters that arrived before their project. */
  readonly #pendingCounts = new Map<string, ProjectCounts>();
  /**
   * By id of a removed project, the version up to which it is removed. Never discarded: older changes may arrive late.
   */
  readonly #removed = new Map<string, number>();
  #fields = noFields;
  #version = 0;

  /** Restores a catalog from its contents. */
  static of({ rows, categories, removedCategories, removedProjects, pendingCounts }: CatalogContents): Catalog {
    const catalog = new Catalog();
    for (const { id, version, alias } of removedCategories) catalog.#categories.remove(id, version, alias);
    for (const category of categories) catalog.#categories.put(category);
    for (const [id, version] of removedProjects) catalog.#removed.set(id, version);
    for (const [id, counts] of pendingCounts) catalog.#pendingCounts.set(id, counts);
    catalog.#listings.insertAll(rows);
    return catalog;
  }

  /** The complete state, without the indexes derived from it. */
  contents(): CatalogContents {
    return {
      rows: this.#listings.oldestFirst(),
      categories: this.#categories.sorted(),
      removedCategories: [...this.#categories.removed()],
      removedProjects: [...this.#removed],
      pendingCounts: [...this.#pendingCounts],
    };
  }

  get version(): number {
    return this.#version;
  }

  get size(): number {
    return this.#listings.rows.size;
  }

  get fields(): Fields {
    return this.#fields;
  }

  /** Applies entries of the feed, in any order; outdated ones have no effect. */
  apply(changes: Iterable<CatalogChange>): void {
    for (const change of changes) if (this.#applyChange(change)) this.#version += 1;
  }

  /** Replaces the definitions of fields, by which values are shown. */
  useFields(fields: Fields): void {
    if (fields === this.#fields) return;
    this.#fields = fields;
    this.#entries.useFields(fields);
    this.#listings.useFields(fields);
    this.#version += 1;
  }

  query(query: CatalogQuery): CatalogPage {
    const { scope, filters, limit, facets, fieldFacets, describe, explain } = query;
    const position = positionOf(query);
    const countsStatus = facets?.includes('status') === true;
    const selection = new Selection(this.#listings, this.#categories, scope, filters, countsStatus);
    const { search } = selection;
    const ranking = query.sort === 'relevance' ? search?.ranking : undefined;
    const { total, offset, slots, cursorAfter } = ranking
      ? this.#mostRelevant(query, selection.matches(), ranking, position)
      : this.#sorted(query, selection, position);
    const hasMore = offset + limit < total;
    const counts =
      facets &&
      Object.fromEntries(facets.map((name) => [name, facet(name, selection, this.#listings, this.#categories)]));
    return {
      entries: slots.map((slot) => this.#entries.at(slot)),
      total,
      page: Math.floor(offset / limit) + 1,
      pageSize: limit,
      hasMore,
      nextCursor: hasMore ? cursorAfter() : null,
      ...(counts && { facets: counts }),
      ...(fieldFacets && {
        fieldFacets: new Map(fieldFacets.map((field) => [field.id, fieldFacet(field, selection, this.#listings)])),
      }),
      ...(explain && ranking && { criteria: this.#criteria(ranking, slots) }),
      // Last, because a correction is another query.
      ...(describe && search && { search: this.#describe(query, search, total, slots) }),
    };
  }

  prepareSearch({ q, searchIn, needsWords, longDescriptions = false, fields = [] }: TextSearch): boolean {
    if (!fields.every((field) => this.#listings.column(field).prepare())) return false;
    if (foldedQuery(q) === undefined) return true;
    const address = pastedAddress(q ?? '');
    if (address && !this.#listings.urls().prepareSame(address.url)) return false;
    // Stops at the first index that is not complete, so that each call runs one step.
    return (
      searchGroups[searchIn].every((text) => this.#listings.text(text).prepare()) &&
      (!needsWords || prepareTexts(this.#listings, longDescriptions))
    );
  }

  indexWords(longDescriptions: boolean): boolean {
    return indexWords(this.#listings, longDescriptions);
  }

  find(projectId: string): CatalogEntry | undefined {
    const slot = this.#listings.rows.slotOf(projectId);
    return slot === undefined ? undefined : this.#entries.at(slot);
  }

  located(max: number): readonly CatalogEntry[] {
    const { order, reversed } = sortOrders.newest;
    const slots = slotsInScope(this.#listings, publicScope);
    slots.and(this.#listings.locations().addInBox(wholeEarth, this.#listings.emptyBitmap()));
    const matches = { slots, total: slots.count() };
    const newest = new OrderedMatches(this.#listings.order(order), reversed, matches).page(0, max);
    return newest.map((slot) => this.#entries.at(slot));
  }

  clusters({ filters, zoom: requested, max }: ClusterQuery): Clusters {
    const { slots, total } = new Selection(this.#listings, this.#categories, publicScope, filters).matches();
    const { zoom, squares } = this.#listings.squares().group(slots, requested, max);
    const clusters = squares.map(({ slot, ...square }) => ({
      ...square,
      entry: square.count === 1 ? this.#entries.at(slot) : undefined,
    }));
    return { total, zoom, clusters };
  }

  categories(): readonly CategoryWithCount[] {
    const visible = slotsInScope(this.#listings, publicScope);
    const bySlug = this.#listings.attribute('category');
    return this.#categories
      .sorted()
      .map((category) => ({ category, projectCount: bySlug.get(category.slug)?.countIn(visible) ?? 0 }));
  }

  sameUrl(url: string, { withDeleted = false, max = Number.POSITIVE_INFINITY } = {}): readonly string[] {
    const { rows } = this.#listings;
    const found: Row[] = [];
    for (const slot of this.#listings.urls().same(url)) {
      const row = rows.at(slot);
      if (withDeleted || row.deletedAt === null) found.push(row);
      if (found.length === max) break;
    }
    return found.sort(byCreation).map((row) => row.id);
  }

  liveOnHost(host: string): number {
    const { rows } = this.#listings;
    const onHost = this.#listings.urls().onHost(host, Number.POSITIVE_INFINITY);
    return onHost.map((slot) => rows.at(slot)).filter((row) => row.status === 'live' && row.deletedAt === null).length;
  }

  similar({ id, createdBefore, ...subject }: SimilarQuery, max: number): readonly SimilarEntry[] {
    const isIncluded = (row: Row): boolean =>
      row.id !== id && (createdBefore === undefined || row.created < createdBefore);
    return this.#listings
      .similarities()
      .find(subject, max, isIncluded)
      .map(({ row, score, reasons }) => ({ entry: this.#entryOf(row), score, reasons }));
  }

  prepareSimilar(): boolean {
    return this.#listings.similarities().prepare();
  }

  related(query: RelatedQuery, max: number): readonly CatalogEntry[] {
    return relatedSlots(this.#listings, query, max).map((slot) => this.#entries.at(slot));
  }

  ownerCounts(ownerId: string): OwnerCounts {
    const count = (status: CatalogScope['status'], deleted: CatalogScope['deleted']): number =>
      slotsInScope(this.#listings, { status, deleted, ownerId }).count();
    const [live, pending, rejected] = (['live', 'pending', 'rejected'] as const).map((one) => count(one, 'excluded'));
    const present = count('any', 'excluded');
    return {
      live: live ?? 0,
      pending: pending ?? 0,
      rejected: rejected ?? 0,
      deleted: count('any', 'included') - present,
    };
  }

  directoryCounts(): DirectoryCounts {
    const { rows } = this.#listings;
    const present = this.#listings.attribute('present');
    const pending = present.get('pending');
    let oldestPendingAt: string | null = null;
    const scheduled = this.#listings.scheduled().slots;
    pending?.forEach((slot) => {
      if (scheduled.has(slot)) return;
      const { created } = rows.at(slot);
      if (oldestPendingAt === null || created < oldestPendingAt) oldestPendingAt = created;
    });
    const { edits, reports } = this.#listings.pendingWork();
    return {
      live: present.get('live')?.size ?? 0,
      pending: (pending?.size ?? 0) - scheduled.size,
      scheduled: scheduled.size,
      oldestPendingAt,
      pendingEdits: edits,
      openReports: reports,
    };
  }

  createdBetween(ownerId: string, since: string, until: string): readonly string[] {
    const { rows } = this.#listings;
    const ids: string[] = [];
    this.#listings
      .attribute('owner')
      .get(ownerId)
      ?.forEach((slot) => {
        const { id, created } = rows.at(slot);
        if (created >= since && created <= until) ids.push(id);
      });
    return ids;
  }

  idsInCategory(categorySlug: string): readonly string[] {
    const { rows } = this.#listings;
    const ids: string[] = [];
    this.#listings
      .attribute('category')
      .get(categorySlug)
      ?.forEach((slot) => ids.push(rows.at(slot).id));
    return ids;
  }

  queuePosition(projectId: string): number | undefined {
    const slot = this.#listings.rows.slotOf(projectId);
    if (slot === undefined) return undefined;
    const queue = slotsInScope(this.#listings, queueScope);
    narrowToScheduled(queue, this.#listings, false);
    if (!queue.has(slot)) return undefined;
    const order = this.#listings.order('creation');
    return order.countIn(queue, 0, order.rankAfter(this.#listings.rows.at(slot)));
  }

  lastCreated(max: number): readonly CatalogEntry[] {
    const order = this.#listings.order('creation');
    const entries: CatalogEntry[] = [];
    for (let rank = order.length - 1; rank >= 0 && entries.length < max; rank -= 1) {
      const slot = order.slotAt(rank);
      if (this.#listings.rows.at(slot).deletedAt === null) entries.push(this.#entries.at(slot));
    }
    return entries;
  }

  liveCreated(from: number, count: number): readonly CreatedListing[] {
    const order = this.#listings.order('creation');
    const found: CreatedListing[] = [];
    for (let rank = from; rank < Math.min(order.length, from + count); rank += 1) {
      const row = this.#listings.rows.at(order.slotAt(rank));
      if (row.status !== 'live' || row.deletedAt !== null) continue;
      const { slug, updatedAt } = packedPage(row.texts);
      found.push({ slug, changedAt: updatedAt > row.published ? updatedAt : row.published });
    }
    return found;
  }

  *all(): IterableIterator<CatalogEntry> {
    const order = this.#listings.order('creation');
    for (let rank = 0; rank < order.length; ) {
      const slot = order.slotAt(rank);
      const row = this.#listings.rows.at(slot);
      yield this.#entries.at(slot);
      // Found again by its values: ranks change when listings are added or removed during a slow iteration.
      rank = order.rankAfter(row);
    }
  }

  #applyChange(change: CatalogChange): boolean {
    switch (change.kind) {
      case 'project':
        return this.#applyProject(change.project);
      case 'counts':
        return this.#applyCounts(change.projectId, change.counts);
      case 'projectRemoved':
        return this.#applyRemoval(change.projectId, change.version ?? Number.POSITIVE_INFINITY);
      case 'category':
      case 'categoryRemoved':
        return this.#applyCategory(change);
    }
  }

  #applyCategory(change: Extract<CatalogChange, { kind: 'category' | 'categoryRemoved' }>): boolean {
    const changed =
      change.kind === 'category'
        ? this.#categories.put(change.category)
        : this.#categories.remove(change.categoryId, change.version, change.alias);
    if (changed) {
      this.#entries.categoriesChanged();
      this.#listings.facetCounts(this.#categories).categoriesChanged();
      this.#listings.filterCache(this.#categories).categoriesChanged();
    }
    return changed;
  }

  #applyProject(project: ProjectRecord): boolean {
    const before = this.#listings.rows.find(project.id);
    const removedVersion = this.#removed.get(project.id) ?? Number.NEGATIVE_INFINITY;
    if (removedVersion >= project.version || (before && before.version >= project.version)) return false;
    this.#removed.delete(project.id);
    const counts = before?.counts ?? this.#pendingCounts.get(project.id) ?? noCounts;
    this.#pendingCounts.delete(project.id);
    this.#listings.put(Row.of(project, counts, this.#strings));
    return true;
  }

  #applyRemoval(projectId: string, version: number): boolean {
    const row = this.#listings.rows.find(projectId);
    // The project was restored since.
    if (row && row.version > version) return false;
    this.#removed.set(projectId, Math.max(version, this.#removed.get(projectId) ?? version));
    const counts = row?.counts ?? this.#pendingCounts.get(projectId);
    // Counters newer than the removal belong to a restored project and may arrive before it.
    if (counts && counts.version > version) this.#pendingCounts.set(projectId, counts);
    else this.#pendingCounts.delete(projectId);
    return this.#listings.remove(projectId);
  }

  /** Counters of an unknown project are kept until it arrives; they do not count as an effective change. */
  #applyCounts(projectId: string, counts: ProjectCounts): boolean {
    const row = this.#listings.rows.find(projectId);
    const before = row?.counts ?? this.#pendingCounts.get(projectId) ?? noCounts;
    const older = before !== noCounts && before.version >= counts.version;
    const removedVersion = this.#removed.get(projectId) ?? Number.NEGATIVE_INFINITY;
    if (removedVersion >= counts.version || older) return false;
    if (row) this.#listings.put(row.withCounts(counts));
    else this.#pendingCounts.set(projectId, counts);
    return row !== undefined;
  }

  #entryOf(row: Row): CatalogEntry {
    return this.#entries.at(this.#listings.rows.slotOf(row.id) as number);
  }

  #sorted(query: CatalogQuery, selection: Selection, position: DecodedPosition | undefined): OrderedPage {
    const sort = effectiveSort(query);
    if (typeof sort === 'string') {
      const { order, reversed } = sortOrders[sort];
      return this.#inOrder(query, selection.groups(), position, sort, this.#listings.order(order), reversed);
    }
    const { field, descending } = sort;
    const order = this.#listings.column(field).order();
    return this.#inOrder(query, selection.groups(field), position, cursorOrder(sort), order, descending);
  }

  #inOrder<Position extends Partial<DecodedPosition['item']>>(
    query: CatalogQuery,
    groups: readonly Matches[],
    position: { readonly group: number; readonly item: Position } | undefined,
    cursorSort: CursorOrder,
    order: Order<Position>,
    reversed: boolean,
  ): OrderedPage {
    const matches = new SortedMatches(groups, order, reversed);
    const { offset, slots } = position ? matches.after(position, query.limit) : matches.page(query.page, query.limit);
    const cursorAfter = (): string | null => {
      const last = slots.at(-1);
      if (last === undefined) return null;
      const next = { group: matches.groupOf(last), item: order.positionOf(last) };
      return encodeCursor(cursorSort, next, searchDigest(query));
    };
    return { total: matches.total, offset, slots, cursorAfter };
  }

  #mostRelevant(
    query: CatalogQuery,
    matches: Matches,
    ranking: Ranking,
    position: DecodedPosition | undefined,
  ): OrderedPage {
    const ranked = new RankedMatches(matches, this.#listings.rows, ranking);
    const offset = position ? ranked.offsetAfter(position.item) : (query.page - 1) * query.limit;
    const rows = ranked.at(offset, query.limit);
    const cursorAfter = (): string | null => {
      const last = rows.at(-1);
      if (!last) return null;
      return encodeCursor('relevance', { group: 0, item: last }, searchDigest(query));
    };
    return { total: matches.total, offset, slots: rows.map(({ slot }) => slot), cursorAfter };
  }

  #criteria(ranking: Ranking, slots: readonly number[]): ReadonlyMap<string, RankingCriteria> {
    const criteriaAt = (slot: number) => criteriaOf(ranking.first(slot), ranking.further(slot));
    return new Map(slots.map((slot) => [this.#listings.rows.at(slot).id, criteriaAt(slot)]));
  }

  #describe(query: CatalogQuery, search: Searched, total: number, slots: readonly number[]): SearchDescription {
    const { match, sought, relaxed } = search;
    const { rows } = this.#listings;
    const highlightsAt = (slot: number) => {
      const { id, project } = rows.at(slot);
      return [id, highlightsOf(project, sought)] as const;
    };
    return {
      match,
      words: typeof sought === 'string' ? [sought] : sought.map(({ text }) => text),
      relaxed,
      ...(query.describe !== 'search' && { highlights: Object.fromEntries(slots.map(highlightsAt)) }),
      // Takes as long as a search.
      didYouMean: query.describe !== 'highlights' && (relaxed || total === 0) ? this.#correction(query) : null,
    };
  }

  /** The search with corrected words, if it has a result with all of them under the same filters. */
  #correction({ scope, filters }: CatalogQuery): string | null {
    const longDescriptions = filters.longDescriptions === true;
    while (!prepareTexts(this.#listings, longDescriptions));
    this.#listings.beginQuery();
    const q = new Corrections(this.#listings, this.#categories, longDescriptions).corrected(filters.q ?? '');
    if (q === undefined) return null;
    const selection = new Selection(this.#listings, this.#categories, scope, { ...filters, q });
    return selection.search?.relaxed === false && selection.matches().total > 0 ? q : null;
  }
}
