import { noCounts, type ProjectCounts, type ProjectRecord } from '#model/project.ts';
import { CategoryList } from './category-list.ts';
import { type CursorPosition, decodeCursor, encodeCursor } from './cursor.ts';
import { Entries } from './entries.ts';
import { facet } from './facets.ts';
import { Listings } from './listings.ts';
import { wholeEarth } from './location-index.ts';
import { byCreation, sortOrders } from './order.ts';
import { OrderedMatches } from './ordered-matches.ts';
import { Row, StringPool } from './row.ts';
import { foldedQuery, Selection, slotsInScope } from './selection.ts';
import type { CatalogContents } from './snapshot.ts';
import { SortedMatches } from './sorted-matches.ts';
import { searchGroups } from './text-index.ts';
import type {
  CatalogChange,
  CatalogEntry,
  CatalogPage,
  CatalogQuery,
  CatalogScope,
  CategoryWithCount,
  DirectoryCounts,
  OwnerCounts,
  ReadCatalog,
  SimilarEntry,
  SimilarQuery,
  TextSearch,
} from './types.ts';

const publicScope: CatalogScope = { status: 'live', deleted: 'excluded' };
const queueScope: CatalogScope = { status: 'pending', deleted: 'excluded' };

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

  /** Applies entries of the feed, in any order; outdated ones have no effect. */
  apply(changes: Iterable<CatalogChange>): void {
    for (const change of changes) if (this.#applyChange(change)) this.#version += 1;
  }

  query({ scope, filters, sort, page, limit, cursor, facets }: CatalogQuery): CatalogPage {
    const position = cursor === undefined ? undefined : decodeCursor(sort, cursor);
    const countsStatus = facets?.includes('status') === true;
    const selection = new Selection(this.#listings, this.#categories, scope, filters, countsStatus);
    const { order, reversed } = sortOrders[sort];
    const matches = new SortedMatches(selection.groups(), this.#listings.order(order), reversed);
    const { total } = matches;
    const { offset, slots } = position ? matches.after(position, limit) : matches.page(page, limit);
    const hasMore = offset + limit < total;
    const last = slots.at(-1);
    return {
      entries: slots.map((slot) => this.#entries.at(slot)),
      total,
      page: Math.floor(offset / limit) + 1,
      pageSize: limit,
      hasMore,
      nextCursor: hasMore && last !== undefined ? encodeCursor(sort, this.#positionOf(last, matches)) : null,
      ...(facets && {
        facets: Object.fromEntries(
          facets.map((name) => [name, facet(name, selection, this.#listings, this.#categories)]),
        ),
      }),
    };
  }

  prepareSearch({ q, searchIn }: TextSearch): boolean {
    const folded = foldedQuery(q);
    // Stops at the first index whose texts are not all folded, so that each call runs one step.
    return folded === undefined || searchGroups[searchIn].every((text) => this.#listings.text(text).prepare());
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

  categories(): readonly CategoryWithCount[] {
    const visible = slotsInScope(this.#listings, publicScope);
    const bySlug = this.#listings.attribute('category');
    return this.#categories
      .sorted()
      .map((category) => ({ category, projectCount: bySlug.get(category.slug)?.countIn(visible) ?? 0 }));
  }

  sameUrl(url: string): readonly string[] {
    const { rows } = this.#listings;
    return this.#listings
      .urls()
      .same(url)
      .map((slot) => rows.at(slot))
      .filter((row) => row.deletedAt === null)
      .sort(byCreation)
      .map((row) => row.id);
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
    pending?.forEach((slot) => {
      const { created } = rows.at(slot);
      if (oldestPendingAt === null || created < oldestPendingAt) oldestPendingAt = created;
    });
    const { edits, reports } = this.#listings.waitingWork();
    return {
      live: present.get('live')?.size ?? 0,
      pending: pending?.size ?? 0,
      oldestPendingAt,
      waitingEdits: edits,
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

  #positionOf(slot: number, matches: SortedMatches): CursorPosition {
    return { group: matches.groupOf(slot), item: this.#listings.rows.at(slot) };
  }
}
