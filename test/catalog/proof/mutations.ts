/** A defect of the catalog, as an exact replacement in one source file. */
export interface Mutation {
  readonly name: string;
  /** The resulting misbehaviour. */
  readonly breaks: string;
  /** Relative to the root of the repository. */
  readonly file: string;
  /** Occurs exactly once in the file. */
  readonly find: string;
  readonly replace: string;
}

/** Defects that the proof must detect, one at a time. */
export const mutations: readonly Mutation[] = [
  {
    name: 'overlap',
    breaks: 'a refresh starts where the previous one ended',
    file: 'shared/data/catalog.ts',
    find: 'const OVERLAP_MS = 2000;',
    replace: 'const OVERLAP_MS = 0;',
  },
  {
    name: 'wide-overlap',
    breaks: 'no refresh includes very late writes',
    file: 'shared/data/catalog.ts',
    find: 'const WIDE_OVERLAP_MS = 30_000;',
    replace: 'const WIDE_OVERLAP_MS = 2000;',
  },
  {
    name: 'late-writes',
    breaks: 'writes stamped a few seconds ago are assumed to be complete',
    file: 'shared/data/catalog.ts',
    find: 'const LATE_WRITE_MAX_MS = 60_000;',
    replace: 'const LATE_WRITE_MAX_MS = 5000;',
  },
  {
    name: 'watermark-ahead',
    breaks: 'a writer whose clock is ahead advances the watermark beyond the present',
    file: 'shared/data/catalog.ts',
    find: 'readUntil < new Date().toISOString() ? readUntil : new Date().toISOString()',
    replace: 'readUntil',
  },
  {
    name: 'own-writes',
    breaks: 'own writes of a process become visible no sooner than those of others',
    file: 'shared/data/catalog.ts',
    find: 'wroteAt() > refreshedAt',
    replace: 'false',
  },
  {
    name: 'absence',
    breaks: 'a reader continues although tombstones that it missed have expired',
    file: 'shared/data/catalog.ts',
    find: 'const ABSENCE_MAX_MS = 12 * 3600 * 1000;',
    replace: 'const ABSENCE_MAX_MS = Number.POSITIVE_INFINITY;',
  },
  {
    name: 'partition',
    breaks: 'a refresh skips one partition of the feed',
    file: 'shared/data/feed.ts',
    find: 'feedPartitions.slice(0, settings().feedShards)',
    replace: 'feedPartitions.slice(0, settings().feedShards - 1)',
  },
  {
    name: 'second',
    breaks: 'counters are stamped with the start of the second, long before they change',
    file: 'shared/platform/clock.ts',
    find: 'Math.ceil(Date.now() / 1000)',
    replace: 'Math.floor(Date.now() / 1000)',
  },
  {
    name: 'poison',
    breaks: 'a malformed item aborts the refresh',
    file: 'shared/data/feed.ts',
    find: "count('CatalogItemSkipped');",
    replace: 'throw error;',
  },
  {
    name: 'tombstones',
    breaks: 'a removal has no effect',
    file: 'shared/catalog/catalog.ts',
    find: 'return this.#listings.remove(projectId);',
    replace: 'return false;',
  },
  {
    name: 'late-project',
    breaks: 'an old state of a removed project restores it',
    file: 'shared/catalog/catalog.ts',
    find: 'removedVersion >= project.version || ',
    replace: '',
  },
  {
    name: 'removal-version',
    breaks: 'a removal by a writer whose clock is behind is older than the project',
    file: 'shared/data/projects.ts',
    find: 'Math.max(Date.parse(now()), project.version)',
    replace: 'Date.parse(now())',
  },
  {
    name: 'return-of-counters',
    breaks: 'the new counters of a restored project are not distinguished from its old ones',
    file: 'shared/data/projects.ts',
    find: '{ put: countsItem(project.id, { ...noCounts, version: project.version }, isOpen(project)), inFeed: true },',
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
    breaks: 'counters that arrive before their project are lost',
    file: 'shared/catalog/catalog.ts',
    find: 'else this.#pendingCounts.set(projectId, counts);',
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
    name: 'fragment',
    breaks: 'a fragment outlives the version of its listing',
    file: 'shared/catalog/entries.ts',
    find: 'if (known?.row === row) return known;',
    replace: 'if (known) return Object.assign(known, { row });',
  },
  {
    name: 'fragment-spheres',
    breaks: 'a fragment outlives the spheres of its categories',
    file: 'shared/catalog/entries.ts',
    find: 'this.#entries.length = 0;',
    replace: '',
  },
  {
    name: 'fragment-audience',
    breaks: 'everyone gets the fragments of owners and administrators',
    file: 'shared/services/projects/fragments.ts',
    find: 'caller && canChange(entry.project, caller)',
    replace: 'true',
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
    breaks: 'a project keeps its rank when its sort value changes',
    file: 'shared/catalog/order.ts',
    find: 'return this.#compare(before, after) !== 0;',
    replace: 'return false;',
  },
  {
    name: 'snapshot-position',
    breaks: 'a process that starts from a snapshot misses late writes',
    file: 'shared/data/snapshots.ts',
    find: 'completeUntil: Date.parse(manifest.settled_at),',
    replace: 'completeUntil: Date.parse(manifest.settled_at) + 70_000,',
  },
  {
    name: 'text',
    breaks: 'a project is found by one or two characters that its text no longer contains',
    file: 'shared/catalog/text-index.ts',
    find: 'if (isIndexed(slot, this.#shortIndexedTo)) this.#short?.delete(units, text.length, slot);',
    replace: '',
  },
  {
    name: 'address',
    breaks: 'a project is found by its previous URL',
    file: 'shared/catalog/url-index.ts',
    find: 'this.#canonical[slot] = undefined;',
    replace: '',
  },
  {
    name: 'grid',
    breaks: 'a project stays in the grid cell of its previous location',
    file: 'shared/catalog/location-index.ts',
    find: 'this.#cells[cellOf(latitude, longitude)]?.delete(slot);',
    replace: '{}',
  },
  {
    name: 'cursor',
    breaks: 'a cursor lacks one of its sort values',
    file: 'shared/catalog/cursor.ts',
    find: "rating: ['rating', 'ratings', 'id'],",
    replace: "rating: ['rating', 'id'],",
  },
  {
    name: 'cursor-group',
    breaks: "a cursor of the administrators' search always continues in its first group",
    file: 'shared/catalog/cursor.ts',
    find: 'group === 0 ? values : [group, ...values]',
    replace: 'values',
  },
  {
    name: 'groups',
    breaks: "the administrators' search lists a match by name again among those by description",
    file: 'shared/catalog/selection.ts',
    find: 'candidates.andNot(found);',
    replace: '',
  },
  {
    name: 'group-order',
    breaks: "the administrators' search does not list matches by name or URL first",
    file: 'shared/catalog/selection.ts',
    find: 'if (!this.#groups) return [matches];',
    replace: 'return [matches];',
  },
];
