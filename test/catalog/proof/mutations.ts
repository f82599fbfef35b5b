/** A way to break the catalog, as an exact replacement in one source file. */
export interface Mutation {
  readonly name: string;
  /** What does not hold any more. */
  readonly breaks: string;
  /** From the top of the repository. */
  readonly file: string;
  /** Occurs exactly once in the file. */
  readonly find: string;
  readonly replace: string;
}

/** What the proof has to notice, each by itself. */
export const mutations: readonly Mutation[] = [
  {
    name: 'overlap',
    breaks: 'a look begins where the last one ended',
    file: 'shared/data/catalog.ts',
    find: 'const OVERLAP_MS = 2000;',
    replace: 'const OVERLAP_MS = 0;',
  },
  {
    name: 'wide-overlap',
    breaks: 'no look goes back for what came very late',
    file: 'shared/data/catalog.ts',
    find: 'const WIDE_OVERLAP_MS = 30_000;',
    replace: 'const WIDE_OVERLAP_MS = 2000;',
  },
  {
    name: 'settled',
    breaks: 'what was stamped some seconds ago is taken for found',
    file: 'shared/data/catalog.ts',
    find: 'const SETTLED_MS = 60_000;',
    replace: 'const SETTLED_MS = 5000;',
  },
  {
    name: 'watermark-ahead',
    breaks: 'a writer whose clock runs ahead takes the watermark along',
    file: 'shared/data/catalog.ts',
    find: 'page.changedAt < new Date().toISOString() ? page.changedAt : new Date().toISOString()',
    replace: 'page.changedAt',
  },
  {
    name: 'own-writes',
    breaks: 'a process waits for its own changes like for those of others',
    file: 'shared/data/catalog.ts',
    find: 'wroteAt() > lookedAt',
    replace: 'false',
  },
  {
    name: 'absence',
    breaks: 'a reader goes on after the tombstones that it missed are gone',
    file: 'shared/data/catalog.ts',
    find: 'const ABSENCE_MAX_MS = 12 * 3600 * 1000;',
    replace: 'const ABSENCE_MAX_MS = Number.POSITIVE_INFINITY;',
  },
  {
    name: 'poison',
    breaks: 'an item that cannot be read ends the look',
    file: 'shared/data/feed.ts',
    find: "count('CatalogItemSkipped');",
    replace: 'throw error;',
  },
  {
    name: 'tombstones',
    breaks: 'a removal for good is not carried out',
    file: 'shared/catalog/catalog.ts',
    find: 'return this.#listings.remove(projectId);',
    replace: 'return false;',
  },
  {
    name: 'late-card',
    breaks: 'an old state of a removed project brings it back',
    file: 'shared/catalog/catalog.ts',
    find: 'gone >= project.version || ',
    replace: '',
  },
  {
    name: 'removal-version',
    breaks: 'a removal by a slow clock is taken for older than the project',
    file: 'shared/data/projects.ts',
    find: 'Math.max(Date.parse(now()), project.version)',
    replace: 'Date.parse(now())',
  },
  {
    name: 'return-of-counters',
    breaks: 'the counters of a project that came back are not told from those that it had',
    file: 'shared/data/projects.ts',
    find: '{ put: countsItem(project.id, { ...noCounts, version: project.version }), inFeed: true },',
    replace: '',
  },
  {
    name: 'version',
    breaks: 'an older state of a project replaces a newer one',
    file: 'shared/catalog/catalog.ts',
    find: '.version >= project.version',
    replace: '.version < 0',
  },
  {
    name: 'counters',
    breaks: 'older counters replace newer ones',
    file: 'shared/catalog/catalog.ts',
    find: 'before !== noCounts && before.version >= counts.version',
    replace: 'false',
  },
  {
    name: 'early-counters',
    breaks: 'counters that come before their project are lost',
    file: 'shared/catalog/catalog.ts',
    find: 'else this.#earlyCounts.set(projectId, counts);',
    replace: '',
  },
  {
    name: 'category-tombstones',
    breaks: 'a removed category stays',
    file: 'shared/catalog/category-list.ts',
    find: 'const removed = this.#byId.delete(id);',
    replace: 'const removed = false;',
  },
  {
    name: 'posting',
    breaks: 'a project keeps its old pricing beside the new one',
    file: 'shared/catalog/attributes.ts',
    find: 'this.pricing.delete(',
    replace: '((..._: readonly unknown[]) => undefined)(',
  },
  {
    name: 'order',
    breaks: 'a project keeps its place in an order when what it is ordered by changes',
    file: 'shared/catalog/order.ts',
    find: 'return this.#compare(before, after) !== 0;',
    replace: 'return false;',
  },
  {
    name: 'snapshot-position',
    breaks: 'a process that begins with a snapshot passes over what came late',
    file: 'shared/data/snapshots.ts',
    find: 'settled: Date.parse(newest.settled_at),',
    replace: 'settled: Date.parse(newest.settled_at) + 70_000,',
  },
  {
    name: 'text',
    breaks: 'a project is found by one or two characters that its text has no more',
    file: 'shared/catalog/text-index.ts',
    find: 'if (isReached(slot, this.#shortReach)) this.#short?.delete(units, text.length, slot);',
    replace: '',
  },
  {
    name: 'address',
    breaks: 'a project is found by the address that it had',
    file: 'shared/catalog/url-index.ts',
    find: 'this.#canonical[slot] = undefined;',
    replace: '',
  },
  {
    name: 'grid',
    breaks: 'a project stays in the cell of the place that it had',
    file: 'shared/catalog/place-index.ts',
    find: 'this.#cells[cellOf(latitude, longitude)]?.delete(slot);',
    replace: '{}',
  },
  {
    name: 'cursor',
    breaks: 'a cursor forgets one of the values that it stands for',
    file: 'shared/catalog/cursor.ts',
    find: "rating: ['rating', 'ratings', 'id'],",
    replace: "rating: ['rating', 'id'],",
  },
];
