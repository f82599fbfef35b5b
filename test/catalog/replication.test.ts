import { beforeEach, expect, it, vi } from 'vitest';
import { makeReplica } from '#data/catalog.ts';
import { changeCounts } from '#data/counts.ts';
import { restampChanges } from '#data/feed-stamps.ts';
import { writeProjects } from '#data/imports.ts';
import { countsKey, feedPartitions, inFeed, projectKey } from '#data/keys.ts';
import { deleteProject, projectInsertion, projectItem, projectReplacement } from '#data/projects.ts';
import { findItem } from '#data/read.ts';
import { lastWriteAt, putItem, transact, updateItem } from '#data/write.ts';
import type { ProjectRecord } from '#model/project.ts';
import { now } from '#platform/clock.ts';
import { log } from '#platform/log.ts';
import type { RequestBarrier } from '#test/catalog/consistency/request-barrier.ts';
import type { BareTable } from '#test/support/bare-table.ts';
import { longTest } from '#test/support/long-test.ts';
import { captureMetrics } from '#test/support/metrics.ts';
import { type VirtualTime, YEARS_AHEAD_MS } from '#test/support/virtual-time.ts';
import { origin, project, query } from './fixtures.ts';
import { withFeed } from './with-feed.ts';

const SECOND = 1000;
const HOUR = 3600 * SECOND;

let table: BareTable;
let barrier: RequestBarrier;
let time: VirtualTime;

withFeed((feed) => {
  ({ table, barrier, time } = feed);
});

let counted: ReturnType<typeof captureMetrics>;
let errors: ReturnType<typeof vi.spyOn>;
beforeEach(() => {
  // One hour between tests, so that no overlap includes changes of the previous one.
  time.advance(HOUR);
  counted = captureMetrics();
  errors = vi.spyOn(log, 'error');
  barrier.refreshes = 0;
});

/** A process that never writes. */
const reader = () => makeReplica(() => Number.NEGATIVE_INFINITY);
type ReadReplica = ReturnType<typeof reader>;

let created = 0;
const newId = (): string => {
  created += 1;
  return `prj_${created}`;
};

const insert = async (overrides: Partial<ProjectRecord> = {}): Promise<ProjectRecord> => {
  const record = project({ id: newId(), ...overrides });
  await transact(projectInsertion(record, origin));
  return record;
};

const rename = async (previous: ProjectRecord, name: string): Promise<ProjectRecord> => {
  const next = { ...previous, name, version: previous.version + 1 };
  await transact(await projectReplacement(previous, next, origin));
  return next;
};

const view = (id: string) => transact([changeCounts(id, { views_count: 1 })]);
const nameIn = async (readCatalog: ReadReplica, id: string) => (await readCatalog('now')).find(id)?.project.name;
const viewsIn = async (readCatalog: ReadReplica, id: string) => (await readCatalog('now')).find(id)?.counts.views_count;

it('a reader of the catalog finds a change stamped up to two seconds before the watermark at the next refresh', async () => {
  const readCatalog = reader();
  await insert({ name: 'seen' });
  await readCatalog('now');
  const late = await time.skewed(-1900, () => insert({ name: 'late' }));
  expect(await nameIn(readCatalog, late.id)).toBe('late');
});

it('a reader of the catalog finds a change stamped up to 25 seconds before the watermark within five seconds', async () => {
  const readCatalog = reader();
  await insert();
  await readCatalog('now');
  const late = await time.skewed(-24 * SECOND, () => insert({ name: 'late' }));
  time.advance(5.1 * SECOND);
  await insert();
  expect(await nameIn(readCatalog, late.id)).toBe('late');
});

it('a reader of the catalog finds a change that stalled between its stamp and its commit', async () => {
  const readCatalog = reader();
  const record = project({ id: newId(), name: 'lingering' });
  const held = await barrier.hold(() => transact(projectInsertion(record, origin)));
  for (let second = 0; second < 15; second += 1) {
    time.advance(SECOND);
    await insert();
    expect(await nameIn(readCatalog, record.id)).toBeUndefined();
  }
  await held.release();
  time.advance(5.1 * SECOND);
  expect(await nameIn(readCatalog, record.id)).toBe('lingering');
});

longTest('a reader of the catalog stops reading the latest changes repeatedly, and still finds late ones', async () => {
  const readCatalog = reader();
  for (let number = 0; number < 5; number += 1) await insert();
  const found: number[] = [];
  for (let second = 0; second < 80; second += 1) {
    barrier.items = 0;
    await readCatalog('now');
    found.push(barrier.items);
    time.advance(SECOND);
  }
  expect(found[0]).toBeGreaterThanOrEqual(5);
  expect(found.slice(-10)).toEqual(Array(10).fill(0));
  const late = await time.skewed(-25 * SECOND, () => insert({ name: 'late' }));
  time.advance(5.1 * SECOND);
  expect(await nameIn(readCatalog, late.id)).toBe('late');
});

longTest('a reader of the catalog finds late and repeated changes among many recent ones', async () => {
  const readCatalog = reader();
  // With its counters, each is two items of the feed.
  const recent = await Promise.all(Array.from({ length: 60 }, () => insert({ name: 'recent' })));
  await readCatalog('now');
  const [first] = recent as [ProjectRecord];
  // The time of both changes is that of the insertion.
  await rename(await rename(first, 'second'), 'third');
  const late = await time.skewed(-1900, () => insert({ name: 'late' }));
  expect(await nameIn(readCatalog, late.id)).toBe('late');
  expect(await nameIn(readCatalog, first.id)).toBe('third');
  await time.skewed(-1900, () => rename(late, 'later'));
  time.advance(SECOND);
  await insert();
  expect(await nameIn(readCatalog, late.id)).toBe('later');
  const { project: stored } = (await readCatalog('now')).find(first.id) ?? {};
  await time.skewed(-24 * SECOND, async () => deleteProject(stored as ProjectRecord, []));
  time.advance(5.1 * SECOND);
  await insert();
  expect(await nameIn(readCatalog, first.id)).toBeUndefined();
});

it('a reader of the catalog finds the changes of other writers after a change by a clock that is far ahead', async () => {
  const readCatalog = reader();
  await readCatalog('now');
  const ahead = await time.skewed(HOUR / 2, () => insert({ name: 'ahead' }));
  expect(await nameIn(readCatalog, ahead.id)).toBe('ahead');
  time.advance(0.2 * SECOND);
  const right = await insert({ name: 'right' });
  expect(await nameIn(readCatalog, right.id)).toBe('right');
});

it('a reader of the catalog queries one partition a second, and every five seconds those that other settings would write to', async () => {
  const readCatalog = reader();
  const queries: number[] = [];
  for (let second = 0; second < 12; second += 1) {
    barrier.queries = 0;
    await readCatalog('now');
    queries.push(barrier.queries);
    time.advance(1.1 * SECOND);
  }
  expect(queries).toEqual([8, 1, 1, 1, 1, 8, 1, 1, 1, 1, 8, 1]);
});

it('a reader of a catalog that is refreshed ahead waits for one partition only, while the others are read beside it', async () => {
  const readCatalog = reader();
  await readCatalog('now');
  const [readers, ahead]: [number[], number[]] = [[], []];
  for (let second = 0; second < 12; second += 1) {
    time.advance(1.1 * SECOND);
    barrier.queries = 0;
    await readCatalog();
    // From memory.
    await readCatalog();
    readers.push(barrier.queries);
    barrier.queries = 0;
    await readCatalog.refreshIfRead();
    ahead.push(barrier.queries);
  }
  expect(readers).toEqual(readers.map(() => 1));
  expect(ahead).toEqual([1, 1, 1, 1, 9, 1, 1, 1, 1, 9, 1, 1]);
});

it('a reader of the catalog finds a change in a partition that only writers with other settings use within five seconds', async () => {
  const readCatalog = reader();
  const record = await insert({ name: 'first' });
  await readCatalog('now');
  const next = { ...record, name: 'second', version: 2 };
  const key = projectKey(record.id);
  await putItem({ ...projectItem(next), ...inFeed(now(), key), feed_pk: feedPartitions.at(-1) });
  time.advance(5.1 * SECOND);
  expect(await nameIn(readCatalog, record.id)).toBe('second');
});

it('a reader of the catalog catches up in one refresh after it was idle for longer than every overlap', async () => {
  const readCatalog = reader();
  const [first, second] = [await insert(), await insert()];
  await readCatalog('now');
  const renamed = await rename(first, 'renamed');
  time.advance(3 * HOUR);
  await view(second.id);
  time.advance(3 * HOUR);
  barrier.refreshes = 0;
  expect(await nameIn(readCatalog, first.id)).toBe('renamed');
  expect(await viewsIn(readCatalog, second.id)).toBe(1);
  expect((await readCatalog()).find(first.id)?.project).toEqual(renamed);
  expect(counted('CatalogReload')).toBe(0);
});

it('a reader of the catalog applies a removal from its tombstone, also late and repeatedly', async () => {
  const [warm, asleep] = [reader(), reader()];
  const record = await insert();
  for (const readCatalog of [warm, asleep]) expect(await nameIn(readCatalog, record.id)).toBe(record.name);
  await deleteProject(record, []);
  expect(await nameIn(warm, record.id)).toBeUndefined();
  expect(await nameIn(warm, record.id)).toBeUndefined();
  time.advance(11 * HOUR);
  await table.sweep();
  expect(await nameIn(asleep, record.id)).toBeUndefined();
  expect(await nameIn(reader(), record.id)).toBeUndefined();
  expect(counted('CatalogReload')).toBe(0);
});

it('a reader of the catalog reloads the catalog and counts the reload when it may have missed tombstones', async () => {
  const readCatalog = reader();
  const [removed, stays] = [await insert(), await insert()];
  const before = await readCatalog('now');
  await deleteProject(removed, []);
  const tombstones = async () =>
    (await table.scan()).filter(({ type, project_id }) => type === 'projectRemoved' && project_id === removed.id);
  expect(await tombstones()).not.toEqual([]);
  time.advance(25 * HOUR);
  await table.sweep();
  expect(await tombstones()).toEqual([]);
  const after = await readCatalog();
  expect(after).not.toBe(before);
  expect(after.find(removed.id)).toBeUndefined();
  expect(after.find(stays.id)?.project).toEqual(stays);
  expect(counted('CatalogReload')).toBe(1);
});

it('a reader of the catalog throws instead of returning an empty catalog when a reload fails', async () => {
  const readCatalog = reader();
  const stays = await insert();
  await readCatalog('now');
  time.advance(25 * HOUR);
  barrier.closed = true;
  await expect(readCatalog()).rejects.toThrow('unreachable');
  barrier.closed = false;
  expect((await readCatalog()).find(stays.id)?.project).toEqual(stays);
});

/** Restores a project as an import does. */
const restoreProject = async (record: ProjectRecord): Promise<ProjectRecord> => {
  const next = { ...record, name: 'restored', version: Date.parse(now()) };
  const [refused] = await writeProjects([{ previous: undefined, next }], origin);
  if (refused) throw refused;
  return next;
};

it('a reader of the catalog distinguishes the counters of a restored project from its old ones', async () => {
  const [asleep, watching] = [reader(), reader()];
  const record = await insert();
  for (let times = 0; times < 5; times += 1) await view(record.id);
  const earlier = (await findItem(countsKey(record.id))) as Record<string, unknown>;
  for (const readCatalog of [asleep, watching]) expect(await viewsIn(readCatalog, record.id)).toBe(5);
  await deleteProject(record, []);
  time.advance(60 * SECOND);
  expect(await nameIn(watching, record.id)).toBeUndefined();
  const back = await restoreProject(record);
  expect(await viewsIn(watching, record.id)).toBe(0);
  await view(record.id);
  time.advance(60 * SECOND);
  // In the feed, the project now follows its counters, and both follow the tombstone.
  const renamed = await rename(back, 'renamed');
  for (const readCatalog of [watching, asleep, reader()]) {
    barrier.tamper = (items) => [...items, earlier, ...items];
    const entry = (await readCatalog('now')).find(record.id);
    expect([entry?.project, entry?.counts.views_count]).toEqual([renamed, 1]);
    barrier.tamper = undefined;
    time.advance(6 * SECOND);
    expect(await viewsIn(readCatalog, record.id)).toBe(1);
  }
});

it('a reader of the catalog applies a removal by a clock that is behind that of the import that restored the project', async () => {
  const readCatalog = reader();
  const record = await insert();
  await deleteProject(record, []);
  time.advance(SECOND);
  const restored = await time.skewed(10 * SECOND, () => restoreProject(record));
  expect(await nameIn(readCatalog, record.id)).toBe('restored');
  await deleteProject(restored, []);
  expect(await nameIn(readCatalog, record.id)).toBeUndefined();
});

it('a reader of the catalog rejects restoring a project until the time at which a clock that is ahead removed it', async () => {
  const readCatalog = reader();
  const record = await insert();
  await time.skewed(10 * SECOND, () => deleteProject(record, []));
  await expect(restoreProject(record)).rejects.toThrow('A condition did not hold.');
  time.advance(11 * SECOND);
  await restoreProject(record);
  expect(await nameIn(readCatalog, record.id)).toBe('restored');
});

it('a reader of the catalog refreshes at most once a second', async () => {
  const readCatalog = reader();
  for (let requests = 0; requests < 60; requests += 1) {
    await readCatalog();
    time.advance(50);
  }
  expect(barrier.refreshes).toBe(3);
});

it('a reader of the catalog shares one refresh among concurrent requests', async () => {
  const readCatalog = reader();
  const results = await Promise.all(Array.from({ length: 100 }, () => readCatalog()));
  expect(barrier.refreshes).toBe(1);
  expect(new Set(results).size).toBe(1);
  time.advance(2 * SECOND);
  await Promise.all(Array.from({ length: 100 }, () => readCatalog()));
  expect(barrier.refreshes).toBe(2);
});

it('a reader of the catalog refreshes again for a request that started after the current refresh', async () => {
  const readCatalog = reader();
  const record = await insert();
  await readCatalog('now');
  barrier.refreshes = 0;
  const early = readCatalog('now');
  const renamed = await rename(record, 'renamed during the refresh');
  expect((await readCatalog('now')).find(record.id)?.project).toEqual(renamed);
  await early;
  expect(barrier.refreshes).toBe(2);
});

it('a reader of the catalog returns own writes immediately and those of other processes within a second', async () => {
  const [own, other] = [makeReplica(lastWriteAt), reader()];
  const record = await insert();
  await Promise.all([own(), other()]);
  time.advance(0.1 * SECOND);
  const renamed = await rename(record, 'renamed');
  await view(record.id);
  const seen = (await own()).find(record.id);
  expect([seen?.project, seen?.counts.views_count]).toEqual([renamed, 1]);
  expect((await other()).find(record.id)?.project).toEqual(record);
  time.advance(1.1 * SECOND);
  expect((await other()).find(record.id)?.project).toEqual(renamed);
});

const malformedItems: readonly (readonly [string, (record: ProjectRecord) => Record<string, unknown>])[] = [
  ['an item of an unknown type', () => ({ type: 'riddle' })],
  ['an item without a type', () => ({})],
  ['a project without a name', (record) => ({ type: 'project', ...record, name: undefined })],
  ['a project whose version is not a number', (record) => ({ type: 'project', ...record, version: 'next' })],
  [
    'a project with a tag that is not a string',
    (record) => ({ type: 'project', ...record, version: 99, tags: ['a', 5] }),
  ],
  [
    'a project whose latitude is not a number',
    (record) => ({ type: 'project', ...record, version: 99, latitude: 'north', longitude: 1 }),
  ],
  [
    'a project with a latitude above 90',
    (record) => ({ type: 'project', ...record, version: 99, latitude: 91, longitude: 1 }),
  ],
  ['a project of an unknown status', (record) => ({ type: 'project', ...record, version: 99, status: 'asleep' })],
  ['counters without a project', () => ({ type: 'counts', upvote_count: 1, version: 1 })],
  [
    'counters that are not numbers',
    ({ id }) => ({ type: 'counts', project_id: id, upvote_count: 'many', version: 99 }),
  ],
  ['a removal without a project', () => ({ type: 'projectRemoved', version: 9 })],
  ['a category without a slug', () => ({ type: 'category', id: 'cat_1', name: 'A' })],
  [
    'a category whose sort order is not a number',
    () => ({ type: 'category', id: 'cat_1', name: 'A', slug: 'a', sort_order: 'first', version: 1 }),
  ],
];

it('a project that was stored with two spellings of a tag has the first one', async () => {
  const readCatalog = reader();
  const record = await insert({ tags: ['AI', 'ai', 'b'], status: 'live' });
  const catalog = await readCatalog('now');
  expect(catalog.find(record.id)?.project.tags).toEqual(['AI', 'b']);
  const { facets } = catalog.query(query({ filters: { tag: ['ai'] }, facets: ['tag'] }));
  expect(facets?.tag).toContainEqual({ value: 'AI', count: 1 });
});

it.each(malformedItems)('a reader of the catalog skips, counts and logs %s', async (_description, malformed) => {
  const readCatalog = reader();
  const record = await insert({ latitude: 1, longitude: 1, tags: ['a'] });
  const key = { pk: `MALFORMED#${record.id}`, sk: 'ITEM' };
  await putItem({ ...malformed(record), ...key, ...inFeed(now(), key) });
  const after = await insert();
  const catalog = await readCatalog('now');
  expect(catalog.find(record.id)?.project).toEqual(record);
  expect(catalog.find(after.id)?.project).toEqual(after);
  for (const sort of ['newest', 'upvotes', 'name', 'trending'] as const) {
    expect(catalog.query(query({ sort, facets: ['tag', 'category'] })).total).toBe(catalog.size);
  }
  expect(
    catalog.query(query({ filters: { q: 'plain', near: { latitude: 1, longitude: 1, radiusKm: 1 } } })).total,
  ).toBeGreaterThan(0);
  expect(counted('CatalogItemSkipped')).toBe(1);
  expect(errors).toHaveBeenCalledWith(expect.any(String), expect.objectContaining(key));
  await updateItem(key, { remove: ['feed_pk', 'feed_sk'] });
});

it('a reader of the catalog reads past an item without a valid time', async () => {
  const readCatalog = reader();
  const key = { pk: 'MALFORMED#STAMP', sk: 'ITEM' };
  // Sorts after everything written so far.
  await putItem({ ...key, feed_pk: feedPartitions[0], feed_sk: `${now().slice(0, 13)}#STAMP` });
  await readCatalog('now');
  const record = await insert();
  expect(await nameIn(readCatalog, record.id)).toBe(record.name);
  await updateItem(key, { remove: ['feed_pk', 'feed_sk'] });
});

it('a reader of the catalog serves lists from memory for 30 seconds while the table is unreachable', async () => {
  const readCatalog = reader();
  const record = await insert();
  await readCatalog('now');
  barrier.closed = true;
  time.advance(10 * SECOND);
  expect((await readCatalog()).find(record.id)?.project).toEqual(record);
  expect(counted('CatalogStale')).toBe(1);
  await expect(readCatalog('now')).rejects.toThrow('unreachable');
  time.advance(19 * SECOND);
  expect((await readCatalog()).find(record.id)?.project).toEqual(record);
  expect(counted('CatalogStale')).toBe(2);
  time.advance(2 * SECOND);
  await expect(readCatalog()).rejects.toThrow('unreachable');
  barrier.closed = false;
  const renamed = await rename(record, 'renamed');
  expect((await readCatalog()).find(record.id)?.project).toEqual(renamed);
});

it('a reader of the catalog refreshes after the process was frozen and its monotonic clock stood still', async () => {
  const readCatalog = reader();
  const record = await insert();
  await readCatalog();
  time.freeze(300 * SECOND);
  const renamed = await rename(record, 'renamed meanwhile');
  expect((await readCatalog()).find(record.id)?.project).toEqual(renamed);
});

it('a reader of the catalog refreshes within a second after its clock was set back', async () => {
  const readCatalog = reader();
  const record = await insert();
  await readCatalog();
  const renamed = await rename(record, 'renamed');
  time.advance(1.1 * SECOND);
  const seen = await time.skewed(-HOUR, readCatalog);
  expect(seen.find(record.id)?.project).toEqual(renamed);
});

it.each([10 * SECOND, HOUR, YEARS_AHEAD_MS])(
  'a reader of the catalog finds the changes after its clock, which was %i ms ahead, was set back',
  async (aheadMs) => {
    const readCatalog = reader();
    const ahead = await time.skewed(aheadMs, async () => {
      await readCatalog('now');
      const record = await insert({ name: 'ahead' });
      time.advance(SECOND);
      expect(await nameIn(readCatalog, record.id)).toBe('ahead');
      return record;
    });
    const right = await insert({ name: 'right' });
    expect(await nameIn(readCatalog, right.id)).toBe('right');
    expect(counted('CatalogReload')).toBe(1);
    await rename(ahead, 'renamed');
    time.advance(1.1 * SECOND);
    expect(await nameIn(readCatalog, ahead.id)).toBe('renamed');
    expect(counted('CatalogReload')).toBe(1);
  },
);

it('a reader of the catalog serves no part of the lists while it is loaded again after its clock was set back', async () => {
  const readCatalog = reader();
  const before = await insert();
  await time.skewed(HOUR, async () => {
    await insert();
    await readCatalog('now');
  });
  time.advance(1.1 * SECOND);
  barrier.closed = true;
  await expect(readCatalog()).rejects.toThrow('unreachable');
  barrier.closed = false;
  expect((await readCatalog()).find(before.id)?.project).toEqual(before);
});

it('changes of a clock that was ahead are stamped again, so that readers do not read them with each refresh', async () => {
  const readCatalog = reader();
  await readCatalog('now');
  const ahead = await time.skewed(YEARS_AHEAD_MS, async () => [await insert(), await insert(), await insert()]);
  const right = await insert({ name: 'right' });
  const itemsRead = async () => {
    time.advance(1.1 * SECOND);
    barrier.items = 0;
    await readCatalog('now');
    return barrier.items;
  };
  for (let refresh = 0; refresh < 12; refresh += 1) expect(await itemsRead()).toBeGreaterThanOrEqual(3);
  time.advance(HOUR);
  const stamp = (await findItem(projectKey(right.id)))?.feed_sk;
  expect(await restampChanges(2)).toBe(2);
  // Those of other tests too.
  expect(await restampChanges(1000)).toBeGreaterThanOrEqual(1);
  expect(await restampChanges(1000)).toBe(0);
  expect((await findItem(projectKey(right.id)))?.feed_sk).toBe(stamp);
  for (const { id } of [...ahead, right]) expect((await readCatalog('now')).find(id)).toBeDefined();
  time.advance(HOUR);
  for (let refresh = 0; refresh < 12; refresh += 1) await itemsRead();
  expect(await itemsRead()).toBe(0);
  for (const record of ahead) {
    await rename(record, 'renamed');
    expect(await nameIn(readCatalog, record.id)).toBe('renamed');
  }
});

it('a reader of the catalog uses the wide overlap after the process was frozen', async () => {
  const readCatalog = reader();
  await insert();
  await readCatalog('now');
  const late = await time.skewed(-20 * SECOND, () => insert({ name: 'late' }));
  time.freeze(60 * SECOND);
  await insert();
  expect(await nameIn(readCatalog, late.id)).toBe('late');
});

it('a reader of the catalog reloads the catalog when the process was frozen for so long that it may have missed tombstones', async () => {
  const readCatalog = reader();
  const removed = await insert();
  await readCatalog('now');
  await deleteProject(removed, []);
  time.freeze(25 * HOUR);
  await table.sweep();
  expect((await readCatalog()).find(removed.id)).toBeUndefined();
  expect(counted('CatalogReload')).toBe(1);
});

it('a reader of the catalog still finds late changes after its clock was set forward', async () => {
  const readCatalog = reader();
  await insert();
  await readCatalog('now');
  time.advance(6 * SECOND);
  await time.skewed(600 * SECOND, readCatalog);
  const late = await time.skewed(-24 * SECOND, () => insert({ name: 'late' }));
  time.advance(6 * SECOND);
  expect(await nameIn(readCatalog, late.id)).toBe('late');
});

it('a reader of the catalog throws when its first refresh fails', async () => {
  const readCatalog = reader();
  barrier.closed = true;
  await expect(readCatalog()).rejects.toThrow('unreachable');
});

longTest('a reader of the catalog loses no change when a refresh fails halfway', async () => {
  const readCatalog = reader();
  await readCatalog('now');
  const long_description = 'x'.repeat(300_000);
  const records: ProjectRecord[] = [];
  for (let n = 0; n < 8; n += 1) records.push(await insert({ long_description }));
  let pages = 0;
  barrier.tamper = (items) => {
    pages += 1;
    if (pages === 2) throw new Error('The connection was lost.');
    return items;
  };
  await expect(readCatalog('now')).rejects.toThrow('lost');
  expect(pages).toBe(2);
  const catalog = await readCatalog('now');
  for (const { id } of records) expect(catalog.find(id)?.project.long_description).toBe(long_description);
});
