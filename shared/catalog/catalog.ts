import { noCounts, type ProjectCounts, type ProjectRecord } from '#domain/projects/project.ts';
import { CategoryList } from './category-list.ts';
import { decodeCursor, encodeCursor } from './cursor.ts';
import { facet } from './facets.ts';
import { Interned } from './interned.ts';
import { Listings } from './listings.ts';
import { byCreation, walks } from './orders.ts';
import { Row } from './row.ts';
import { inScope, Selection, searched } from './selection.ts';
import type { CatalogContents } from './snapshot.ts';
import type {
  CatalogChange,
  CatalogEntry,
  CatalogPage,
  CatalogQuery,
  CatalogScope,
  CategoryWithCount,
  ReadCatalog,
  SearchedText,
} from './types.ts';
import { Walk } from './walk.ts';

const publicScope: CatalogScope = { status: 'live', deleted: 'excluded' };
const queueScope: CatalogScope = { status: 'pending', deleted: 'excluded' };

/** The read model of the service, in memory. Pure: what it knows is what it was told by `apply`. */
export class Catalog implements ReadCatalog {
  readonly #interned = new Interned();
  readonly #listings = new Listings();
  readonly #categories = new CategoryList();
  /** Counters of projects that were not heard of yet. */
  readonly #earlyCounts = new Map<string, ProjectCounts>();
  /** What was removed, and up to which version, is remembered for as long as the process lives: news of it may come late. */
  readonly #removed = new Map<string, number>();
  #version = 0;

  /** A catalog that knows what another one has known. */
  static of({ rows, categories, gone, removed, earlyCounts }: CatalogContents): Catalog {
    const catalog = new Catalog();
    for (const id of gone) catalog.#categories.remove(id);
    for (const category of categories) catalog.#categories.put(category);
    for (const [id, version] of removed) catalog.#removed.set(id, version);
    for (const [id, counts] of earlyCounts) catalog.#earlyCounts.set(id, counts);
    for (const row of rows) catalog.#listings.put(row);
    return catalog;
  }

  /** All that the catalog knows; what is derived from it is left out. */
  contents(): CatalogContents {
    const { rows } = this.#listings;
    return {
      rows: Array.from(rows.slots(), (slot) => rows.at(slot)),
      categories: this.#categories.sorted(),
      gone: [...this.#categories.gone()],
      removed: [...this.#removed],
      earlyCounts: [...this.#earlyCounts],
    };
  }

  get version(): number {
    return this.#version;
  }

  get size(): number {
    return this.#listings.rows.size;
  }

  /** Takes entries of the feed, in any order; those older than what is known make no difference. */
  apply(changes: Iterable<CatalogChange>): void {
    for (const change of changes) if (this.#take(change)) this.#version += 1;
  }

  query({ scope, filters, sort, page, limit, cursor, facets }: CatalogQuery): CatalogPage {
    const values = cursor === undefined ? undefined : decodeCursor(sort, cursor);
    const selection = new Selection(this.#listings, this.#categories, scope, filters);
    const matches = selection.matches();
    const total = matches.count();
    const { order, backwards } = walks[sort];
    const walk = Walk.through(this.#listings.order(order), backwards, matches, total);
    const position = values && walk.after(values);
    const offset = position === undefined ? (page - 1) * limit : walk.matchesBefore(position, matches, total);
    const slots =
      position === undefined ? walk.page(matches, total, offset, limit) : walk.take(matches, position, 0, limit);
    const hasMore = offset + limit < total;
    const last = slots.at(-1);
    return {
      entries: slots.map((slot) => this.#entry(slot)),
      total,
      page: Math.floor(offset / limit) + 1,
      pageSize: limit,
      hasMore,
      nextCursor: hasMore && last !== undefined ? encodeCursor(sort, this.#listings.rows.at(last)) : null,
      ...(facets && {
        facets: Object.fromEntries(
          facets.map((name) => [name, facet(name, selection, this.#listings, this.#categories)]),
        ),
      }),
    };
  }

  prepareSearch({ q, searchIn }: SearchedText): boolean {
    const text = searched(q);
    return text === undefined || this.#listings.text(searchIn).prepare(text);
  }

  find(projectId: string): CatalogEntry | undefined {
    const slot = this.#listings.rows.slotOf(projectId);
    return slot === undefined ? undefined : this.#entry(slot);
  }

  located(max: number): readonly CatalogEntry[] {
    const { order, backwards } = walks.newest;
    const matches = inScope(this.#listings, publicScope);
    const located = this.#listings.noSlots();
    this.#listings.attributes.located.addTo(located);
    matches.and(located);
    const slots = new Walk(this.#listings.order(order), backwards).take(matches, 0, 0, max);
    return slots.map((slot) => this.#entry(slot));
  }

  categories(): readonly CategoryWithCount[] {
    const shown = inScope(this.#listings, publicScope);
    const { category: carriers } = this.#listings.attributes;
    return this.#categories
      .sorted()
      .map((category) => ({ category, projectCount: carriers.get(category.slug)?.countIn(shown) ?? 0 }));
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

  carrying(categorySlug: string): readonly string[] {
    const { rows, attributes } = this.#listings;
    const ids: string[] = [];
    attributes.category.get(categorySlug)?.forEach((slot) => ids.push(rows.at(slot).id));
    return ids;
  }

  queuePosition(projectId: string): number | undefined {
    const slot = this.#listings.rows.slotOf(projectId);
    if (slot === undefined) return undefined;
    const queue = inScope(this.#listings, queueScope);
    if (!queue.has(slot)) return undefined;
    const order = this.#listings.order('creation');
    return order.countIn(queue, 0, order.rankAfter(this.#listings.rows.at(slot)));
  }

  *all(): IterableIterator<CatalogEntry> {
    const order = this.#listings.order('creation');
    for (let rank = 0; rank < order.length; ) {
      const slot = order.slotAt(rank);
      const row = this.#listings.rows.at(slot);
      yield this.#entry(slot);
      // Whoever walks may take his time, and ranks move with every listing that comes or goes.
      rank = order.rankAfter(row);
    }
  }

  #take(change: CatalogChange): boolean {
    switch (change.kind) {
      case 'project':
        return this.#takeProject(change.project);
      case 'counts':
        return this.#takeCounts(change.projectId, change.counts);
      case 'projectRemoved':
        return this.#takeRemoval(change.projectId, change.version ?? Number.POSITIVE_INFINITY);
      case 'category':
        return this.#categories.put(change.category);
      case 'categoryRemoved':
        return this.#categories.remove(change.categoryId);
    }
  }

  #takeProject(project: ProjectRecord): boolean {
    const before = this.#listings.rows.find(project.id);
    const gone = this.#removed.get(project.id) ?? Number.NEGATIVE_INFINITY;
    if (gone >= project.version || (before && before.version >= project.version)) return false;
    this.#removed.delete(project.id);
    const counts = before?.counts ?? this.#earlyCounts.get(project.id) ?? noCounts;
    this.#earlyCounts.delete(project.id);
    this.#listings.put(Row.of(project, counts, this.#interned));
    return true;
  }

  #takeRemoval(projectId: string, version: number): boolean {
    const row = this.#listings.rows.find(projectId);
    // The project has come back since.
    if (row && row.version > version) return false;
    this.#removed.set(projectId, Math.max(version, this.#removed.get(projectId) ?? version));
    const counts = row?.counts ?? this.#earlyCounts.get(projectId);
    // Counters that are newer than the removal are those of a project that has come back, and may be heard of before it.
    if (counts && counts.version > version) this.#earlyCounts.set(projectId, counts);
    else this.#earlyCounts.delete(projectId);
    return this.#listings.remove(projectId);
  }

  /** Counters of an unknown project wait; until it comes they make no difference to anybody. */
  #takeCounts(projectId: string, counts: ProjectCounts): boolean {
    const row = this.#listings.rows.find(projectId);
    const before = row?.counts ?? this.#earlyCounts.get(projectId) ?? noCounts;
    const older = before !== noCounts && before.version >= counts.version;
    const gone = this.#removed.get(projectId) ?? Number.NEGATIVE_INFINITY;
    if (gone >= counts.version || older) return false;
    if (row) this.#listings.put(row.withCounts(counts));
    else this.#earlyCounts.set(projectId, counts);
    return row !== undefined;
  }

  #entry(slot: number): CatalogEntry {
    const { project, counts } = this.#listings.rows.at(slot);
    return { project, counts, spheres: this.#categories.spheresOf(project.categories) };
  }
}
