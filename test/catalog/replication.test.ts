import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { makeReplica } from '#data/catalog.ts';
import { changeCounts } from '#data/counts.ts';
import { writeProjects } from '#data/import-projects.ts';
import { countsKey, feedPartitions, inFeed, projectKey } from '#data/keys.ts';
import { deleteProject, projectInsertion, projectItem, projectReplacement } from '#data/projects.ts';
import { findItem } from '#data/read.ts';
import { lastWriteAt, putItem, transact, updateItem } from '#data/write.ts';
import type { ProjectRecord } from '#model/project.ts';
import { now } from '#platform/clock.ts';
import { log } from '#platform/log.ts';
import { count } from '#platform/metrics.ts';
import { RequestBarrier } from '#test/catalog/proof/request-barrier.ts';
import { type BareTable, startBareTable } from '#test/support/bare-table.ts';
import { longTest } from '#test/support/long-test.ts';
import { VirtualTime } from '#test/support/virtual-time.ts';
import { origin, project, query } from './fixtures.ts';

vi.mock('#platform/metrics.ts', () => ({ count: vi.fn() }));

const SECOND = 1000;
const HOUR = 3600 * SECOND;

let table: BareTable;
let barrier: RequestBarrier;
let time: VirtualTime;

beforeAll(async () => {
  table = await startBareTable();
  barrier = new RequestBarrier();
  time = new VirtualTime('2026-03-01T00:00:00.000Z');
});

afterAll(async () => {
  time.restore();
  barrier.restore();
  await table.stop();
});

let errors: ReturnType<typeof vi.spyOn>;
beforeEach(() => {
  // One hour between tests, so that no overlap includes changes of the previous one.
  time.advance(HOUR);
  vi.mocked(count).mockClear();
  errors = vi.spyOn(log, 'error');
  barrier.refreshes = 0;
});

afterEach(() => {
  barrier.closed = false;
  barrier.tamper = undefined;
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
const counted = (name: string) => vi.mocked(count).mock.calls.filter(([one]) => one === name).length;

it('finds a change stamped up to two seconds before the watermark at the next refresh', async () => {
  const readCatalog = reader();
  await insert({ name: 'seen' });
  await readCatalog('now');
  const late = await time.skewed(-1900, () => insert({ name: 'late' }));
  expect(await nameIn(readCatalog, late.id)).toBe('late');
});

it('finds a change stamped up to 25 seconds before the watermark within five seconds', async () => {
  const readCatalog = reader();
  await insert();
  await readCatalog('now');
  const late = await time.skewed(-24 * SECOND, () => insert({ name: 'late' }));
  time.advance(5.1 * SECOND);
  await insert();
  expect(await nameIn(readCatalog, late.id)).toBe('late');
});

it('finds a change that stalled between its stamp and its commit', async () => {
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

it('stops reading the latest changes repeatedly, and still finds late ones', async () => {
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

it('finds the changes of other writers after a change by a clock that is far ahead', async () => {
  const readCatalog = reader();
  await readCatalog('now');
  const ahead = await time.skewed(HOUR / 2, () => insert({ name: 'ahead' }));
  expect(await nameIn(readCatalog, ahead.id)).toBe('ahead');
  time.advance(0.2 * SECOND);
  const right = await insert({ name: 'right' });
  expect(await nameIn(readCatalog, right.id)).toBe('right');
});

it('reads no items while nothing is written, and still finds a late change afterwards', async () => {
  const readCatalog = reader();
  for (let inserted = 0; inserted < 10; inserted += 1) await insert();
  for (let second = 0; second < 90; second += 3) {
    await readCatalog();
    time.advance(3 * SECOND);
  }
  barrier.items = 0;
  for (let second = 0; second < 30; second += 3) {
    await readCatalog();
    time.advance(3 * SECOND);
  }
  expect(barrier.items).toBe(0);
  const late = await time.skewed(-24 * SECOND, () => insert({ name: 'late' }));
  expect(await nameIn(readCatalog, late.id)).toBe('late');
});

it('queries one partition a second, and every five seconds those that other settings would write to', async () => {
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

it('finds a change in a partition that only writers with other settings use within five seconds', async () => {
  const readCatalog = reader();
  const record = await insert({ name: 'first' });
  await readCatalog('now');
  const next = { ...record, name: 'second', version: 2 };
  const key = projectKey(record.id);
  await putItem({ ...projectItem(next), ...inFeed(now(), key), feed_pk: feedPartitions.at(-1) });
  time.advance(5.1 * SECOND);
  expect(await nameIn(readCatalog, record.id)).toBe('second');
});

it('catches up in one refresh after it was idle for longer than every overlap', async () => {
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

it('applies a removal from its tombstone, also late and repeatedly', async () => {
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

it('ignores an old state of a removed project', async () => {
  const readCatalog = reader();
  const record = await insert();
  const stored = await findItem(projectKey(record.id));
  await readCatalog('now');
  await deleteProject(record, []);
  await readCatalog('now');
  barrier.tamper = (items) => [stored as Record<string, unknown>, ...items];
  const { version } = await readCatalog('now');
  expect(await nameIn(readCatalog, record.id)).toBeUndefined();
  expect((await readCatalog('now')).version).toBe(version);
});

it('reloads the catalog and counts the reload when it may have missed tombstones', async () => {
  const readCatalog = reader();
  const [removed, stays] = [await insert(), await insert()];
  const before = await readCatalog('now');
  await deleteProject(removed, []);
  time.advance(25 * HOUR);
  await table.sweep();
  const tombstones = (await table.scan()).filter(({ type }) => type === 'projectRemoved');
  expect(tombstones).toEqual([]);
  const after = await readCatalog();
  expect(after).not.toBe(before);
  expect(after.find(removed.id)).toBeUndefined();
  expect(after.find(stays.id)?.project).toEqual(stays);
  expect(counted('CatalogReload')).toBe(1);
});

it('throws instead of returning an empty catalog when a reload fails', async () => {
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

it('distinguishes the counters of a restored project from its old ones', async () => {
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

it('applies a removal by a clock that is behind that of the import that restored the project', async () => {
  const readCatalog = reader();
  const record = await insert();
  await deleteProject(record, []);
  time.advance(SECOND);
  const restored = await time.skewed(10 * SECOND, () => restoreProject(record));
  expect(await nameIn(readCatalog, record.id)).toBe('restored');
  await deleteProject(restored, []);
  expect(await nameIn(readCatalog, record.id)).toBeUndefined();
});

it('rejects restoring a project until the time at which a clock that is ahead removed it', async () => {
  const readCatalog = reader();
  const record = await insert();
  await time.skewed(10 * SECOND, () => deleteProject(record, []));
  await expect(restoreProject(record)).rejects.toThrow('A condition did not hold.');
  time.advance(11 * SECOND);
  await restoreProject(record);
  expect(await nameIn(readCatalog, record.id)).toBe('restored');
});

it('keeps the newest counters, in whatever order they and their project arrive', async () => {
  const record = await insert();
  await view(record.id);
  const older = (await findItem(countsKey(record.id))) as Record<string, unknown>;
  await view(record.id);
  const newer = (await findItem(countsKey(record.id))) as Record<string, unknown>;
  const stored = (await findItem(projectKey(record.id))) as Record<string, unknown>;
  for (const order of [
    [stored, older, newer],
    [stored, newer, older],
    [older, newer, stored],
    [newer, stored, older],
    [newer, newer, stored, stored],
    [older, stored, newer],
  ]) {
    const readCatalog = reader();
    barrier.tamper = () => order;
    expect(await viewsIn(readCatalog, record.id)).toBe(2);
  }
});

it('merges alternating changes of a project and its counters', async () => {
  const readCatalog = reader();
  let record = await insert();
  for (let round = 1; round <= 4; round += 1) {
    await view(record.id);
    if (round % 2 === 0) record = await rename(record, `name ${round}`);
    time.advance(SECOND);
    expect(await viewsIn(readCatalog, record.id)).toBe(round);
    expect(await nameIn(readCatalog, record.id)).toBe(record.name);
  }
});

it('ignores a repeated change', async () => {
  const readCatalog = reader();
  const record = await insert();
  await view(record.id);
  const { version } = await readCatalog('now');
  for (const key of [projectKey(record.id), countsKey(record.id)]) {
    time.advance(SECOND);
    await updateItem(key, { set: inFeed(now(), key) });
  }
  expect((await readCatalog('now')).version).toBe(version);
});

it('refreshes at most once a second', async () => {
  const readCatalog = reader();
  for (let requests = 0; requests < 60; requests += 1) {
    await readCatalog();
    time.advance(50);
  }
  expect(barrier.refreshes).toBe(3);
});

it('shares one refresh among concurrent requests', async () => {
  const readCatalog = reader();
  const results = await Promise.all(Array.from({ length: 100 }, () => readCatalog()));
  expect(barrier.refreshes).toBe(1);
  expect(new Set(results).size).toBe(1);
  time.advance(2 * SECOND);
  await Promise.all(Array.from({ length: 100 }, () => readCatalog()));
  expect(barrier.refreshes).toBe(2);
});

it('refreshes again for a request that started after the current refresh', async () => {
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

it('returns own writes immediately and those of other processes within a second', async () => {
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

it.each(malformedItems)('skips, counts and logs %s', async (_description, malformed) => {
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

it('reads past an item without a valid time', async () => {
  const readCatalog = reader();
  const key = { pk: 'MALFORMED#STAMP', sk: 'ITEM' };
  // Sorts after everything written so far.
  await putItem({ ...key, feed_pk: feedPartitions[0], feed_sk: `${now().slice(0, 13)}#STAMP` });
  await readCatalog('now');
  const record = await insert();
  expect(await nameIn(readCatalog, record.id)).toBe(record.name);
  await updateItem(key, { remove: ['feed_pk', 'feed_sk'] });
});

it('serves lists from memory for 30 seconds while the table is unreachable', async () => {
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

it('refreshes after the process was frozen and its monotonic clock stood still', async () => {
  const readCatalog = reader();
  const record = await insert();
  await readCatalog();
  time.freeze(300 * SECOND);
  const renamed = await rename(record, 'renamed meanwhile');
  expect((await readCatalog()).find(record.id)?.project).toEqual(renamed);
});

it('refreshes within a second after its clock was set back', async () => {
  const readCatalog = reader();
  const record = await insert();
  await readCatalog();
  const renamed = await rename(record, 'renamed');
  time.advance(1.1 * SECOND);
  const seen = await time.skewed(-HOUR, readCatalog);
  expect(seen.find(record.id)?.project).toEqual(renamed);
});

it('uses the wide overlap after the process was frozen', async () => {
  const readCatalog = reader();
  await insert();
  await readCatalog('now');
  const late = await time.skewed(-20 * SECOND, () => insert({ name: 'late' }));
  time.freeze(60 * SECOND);
  await insert();
  expect(await nameIn(readCatalog, late.id)).toBe('late');
});

it('reloads the catalog when the process was frozen for so long that it may have missed tombstones', async () => {
  const readCatalog = reader();
  const removed = await insert();
  await readCatalog('now');
  await deleteProject(removed, []);
  time.freeze(25 * HOUR);
  await table.sweep();
  expect((await readCatalog()).find(removed.id)).toBeUndefined();
  expect(counted('CatalogReload')).toBe(1);
});

it('throws when the table is unreachable after the process was frozen', async () => {
  const readCatalog = reader();
  await readCatalog();
  time.freeze(31 * SECOND);
  barrier.closed = true;
  await expect(readCatalog()).rejects.toThrow('unreachable');
});

it('still finds late changes after its clock was set forward', async () => {
  const readCatalog = reader();
  await insert();
  await readCatalog('now');
  time.advance(6 * SECOND);
  await time.skewed(600 * SECOND, readCatalog);
  const late = await time.skewed(-24 * SECOND, () => insert({ name: 'late' }));
  time.advance(6 * SECOND);
  expect(await nameIn(readCatalog, late.id)).toBe('late');
});

it('throws when its first refresh fails', async () => {
  const readCatalog = reader();
  barrier.closed = true;
  await expect(readCatalog()).rejects.toThrow('unreachable');
});

longTest('loses no change when a refresh fails halfway', async () => {
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
