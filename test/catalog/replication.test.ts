import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { makeReplica } from '#data/catalog.ts';
import { changeCounts } from '#data/counts.ts';
import { writeProjects } from '#data/import-projects.ts';
import { countsKey, feedPartition, inFeed, projectKey } from '#data/keys.ts';
import { insertionOf, removeProject, replacementOf } from '#data/projects.ts';
import { findItem } from '#data/read.ts';
import { putItem, transact, updateItem } from '#data/write.ts';
import { lastWriteAt } from '#data/write-marks.ts';
import type { ProjectRecord } from '#domain/projects/project.ts';
import { now } from '#platform/clock.ts';
import { log } from '#platform/log.ts';
import { count } from '#platform/metrics.ts';
import { type BareTable, startBareTable } from '#test/support/bare-table.ts';
import { VirtualTime } from '#test/support/virtual-time.ts';
import { project, query } from './fixtures.ts';
import { RequestGate } from './proof/request-gate.ts';

/** The rules by which a process follows the feed, each by itself, on the real engine. */

vi.mock('#platform/metrics.ts', () => ({ count: vi.fn() }));

const SECOND = 1000;
const HOUR = 3600 * SECOND;

let table: BareTable;
let gate: RequestGate;
let time: VirtualTime;

beforeAll(async () => {
  table = await startBareTable();
  gate = new RequestGate();
  time = new VirtualTime('2026-03-01T00:00:00.000Z');
});

afterAll(async () => {
  time.restore();
  gate.restore();
  await table.stop();
});

let errors: ReturnType<typeof vi.spyOn>;
beforeEach(() => {
  // Each test is an hour after the one before: nothing of that one is in anybody's overlap.
  time.advance(HOUR);
  vi.mocked(count).mockClear();
  errors = vi.spyOn(log, 'error');
  gate.looks = 0;
});

afterEach(() => {
  gate.closed = false;
  gate.tamper = undefined;
});

/** A process that never writes. */
const reader = () => makeReplica(() => Number.NEGATIVE_INFINITY);
type Ask = ReturnType<typeof reader>;

let made = 0;
const newId = (): string => {
  made += 1;
  return `prj_${made}`;
};

const insert = async (overrides: Partial<ProjectRecord> = {}): Promise<ProjectRecord> => {
  const record = project({ id: newId(), ...overrides });
  await transact(insertionOf(record));
  return record;
};

const rename = async (previous: ProjectRecord, name: string): Promise<ProjectRecord> => {
  const next = { ...previous, name, version: previous.version + 1 };
  await transact(await replacementOf(previous, next));
  return next;
};

const view = (id: string) => transact([changeCounts(id, { views_count: 1 })]);
const nameIn = async (ask: Ask, id: string) => (await ask('now')).find(id)?.project.name;
const viewsIn = async (ask: Ask, id: string) => (await ask('now')).find(id)?.counts.views_count;
const counted = (name: string) => vi.mocked(count).mock.calls.filter(([one]) => one === name).length;

it('finds a change at the next look although its stamp is up to two seconds behind what was seen', async () => {
  const ask = reader();
  await insert({ name: 'seen' });
  await ask('now');
  const late = await time.skewed(-1900, () => insert({ name: 'late' }));
  expect(await nameIn(ask, late.id)).toBe('late');
});

it('finds within five seconds a change whose stamp is up to 25 seconds behind what was seen', async () => {
  const ask = reader();
  await insert();
  await ask('now');
  const late = await time.skewed(-24 * SECOND, () => insert({ name: 'late' }));
  time.advance(5.1 * SECOND);
  await insert();
  expect(await nameIn(ask, late.id)).toBe('late');
});

it('finds a change that lingered between its stamp and its commit', async () => {
  const ask = reader();
  const record = project({ id: newId(), name: 'lingering' });
  const held = await gate.hold(() => transact(insertionOf(record)));
  for (let second = 0; second < 15; second += 1) {
    time.advance(SECOND);
    await insert();
    expect(await nameIn(ask, record.id)).toBeUndefined();
  }
  await held.release();
  time.advance(5.1 * SECOND);
  expect(await nameIn(ask, record.id)).toBe('lingering');
});

it('does not read again and again what was written last, and still finds what comes late', async () => {
  const ask = reader();
  for (let number = 0; number < 5; number += 1) await insert();
  const found: number[] = [];
  gate.tamper = (items) => {
    found.push(items.length);
    return items;
  };
  for (let second = 0; second < 80; second += 1) {
    await ask('now');
    time.advance(SECOND);
  }
  expect(found[0]).toBeGreaterThanOrEqual(5);
  expect(found.slice(-10)).toEqual(Array(10).fill(0));
  gate.tamper = undefined;
  const late = await time.skewed(-25 * SECOND, () => insert({ name: 'late' }));
  time.advance(5.1 * SECOND);
  expect(await nameIn(ask, late.id)).toBe('late');
});

it('does not let a clock that is far ahead keep it from the changes of others', async () => {
  const ask = reader();
  await ask('now');
  const ahead = await time.skewed(HOUR / 2, () => insert({ name: 'ahead' }));
  expect(await nameIn(ask, ahead.id)).toBe('ahead');
  time.advance(0.2 * SECOND);
  const right = await insert({ name: 'right' });
  expect(await nameIn(ask, right.id)).toBe('right');
});

it('reads nothing again once all is quiet, and still finds what comes then', async () => {
  const ask = reader();
  for (let inserted = 0; inserted < 10; inserted += 1) await insert();
  for (let second = 0; second < 90; second += 3) {
    await ask();
    time.advance(3 * SECOND);
  }
  gate.items = 0;
  for (let second = 0; second < 30; second += 3) {
    await ask();
    time.advance(3 * SECOND);
  }
  expect(gate.items).toBe(0);
  const late = await time.skewed(-24 * SECOND, () => insert({ name: 'late' }));
  expect(await nameIn(ask, late.id)).toBe('late');
});

it('catches up in one look after it has slept past every overlap', async () => {
  const ask = reader();
  const [first, second] = [await insert(), await insert()];
  await ask('now');
  const renamed = await rename(first, 'renamed');
  time.advance(3 * HOUR);
  await view(second.id);
  time.advance(3 * HOUR);
  gate.looks = 0;
  expect(await nameIn(ask, first.id)).toBe('renamed');
  expect(await viewsIn(ask, second.id)).toBe(1);
  expect((await ask()).find(first.id)?.project).toEqual(renamed);
  expect(counted('CatalogReload')).toBe(0);
});

it('hears of a removal for good from its tombstone, also late and again', async () => {
  const [warm, asleep] = [reader(), reader()];
  const record = await insert();
  for (const ask of [warm, asleep]) expect(await nameIn(ask, record.id)).toBe(record.name);
  await removeProject(record, []);
  expect(await nameIn(warm, record.id)).toBeUndefined();
  expect(await nameIn(warm, record.id)).toBeUndefined();
  time.advance(11 * HOUR);
  await table.sweep();
  expect(await nameIn(asleep, record.id)).toBeUndefined();
  expect(await nameIn(reader(), record.id)).toBeUndefined();
  expect(counted('CatalogReload')).toBe(0);
});

it('is not led astray by an old state of what was removed', async () => {
  const ask = reader();
  const record = await insert();
  const card = await findItem(projectKey(record.id));
  await ask('now');
  await removeProject(record, []);
  await ask('now');
  gate.tamper = (items) => [card as Record<string, unknown>, ...items];
  const { version } = await ask('now');
  expect(await nameIn(ask, record.id)).toBeUndefined();
  expect((await ask('now')).version).toBe(version);
});

it('starts anew when it may have missed tombstones, and says so', async () => {
  const ask = reader();
  const [gone, stays] = [await insert(), await insert()];
  const before = await ask('now');
  await removeProject(gone, []);
  time.advance(25 * HOUR);
  await table.sweep();
  const tombstones = (await table.whole()).filter(({ type }) => type === 'projectRemoved');
  expect(tombstones).toEqual([]);
  const after = await ask();
  expect(after).not.toBe(before);
  expect(after.find(gone.id)).toBeUndefined();
  expect(after.find(stays.id)?.project).toEqual(stays);
  expect(counted('CatalogReload')).toBe(1);
});

it('does not answer from nothing when starting anew fails', async () => {
  const ask = reader();
  const stays = await insert();
  await ask('now');
  time.advance(25 * HOUR);
  gate.closed = true;
  await expect(ask()).rejects.toThrow('out of reach');
  gate.closed = false;
  expect((await ask()).find(stays.id)?.project).toEqual(stays);
});

/** Brings a project back by the way of an import, at this moment. */
const bringBack = async (record: ProjectRecord): Promise<ProjectRecord> => {
  const next = { ...record, name: 'back', version: Date.parse(now()) };
  const [refused] = await writeProjects([{ previous: undefined, next }]);
  if (refused) throw refused;
  return next;
};

it('tells the counters of a project that came back from those that it had', async () => {
  const [asleep, watching] = [reader(), reader()];
  const record = await insert();
  for (let times = 0; times < 5; times += 1) await view(record.id);
  const earlier = (await findItem(countsKey(record.id))) as Record<string, unknown>;
  for (const ask of [asleep, watching]) expect(await viewsIn(ask, record.id)).toBe(5);
  await removeProject(record, []);
  time.advance(60 * SECOND);
  expect(await nameIn(watching, record.id)).toBeUndefined();
  const back = await bringBack(record);
  expect(await viewsIn(watching, record.id)).toBe(0);
  await view(record.id);
  time.advance(60 * SECOND);
  // The card stands behind its counters in the feed now, and behind the tombstone both of them.
  const renamed = await rename(back, 'back again');
  for (const ask of [watching, asleep, reader()]) {
    gate.tamper = (items) => [...items, earlier, ...items];
    const entry = (await ask('now')).find(record.id);
    expect([entry?.project, entry?.counts.views_count]).toEqual([renamed, 1]);
    gate.tamper = undefined;
    time.advance(6 * SECOND);
    expect(await viewsIn(ask, record.id)).toBe(1);
  }
});

it('takes a removal for newer than the project also when its clock is behind that of an import', async () => {
  const ask = reader();
  const record = await insert();
  await removeProject(record, []);
  time.advance(SECOND);
  const back = await time.skewed(10 * SECOND, () => bringBack(record));
  expect(await nameIn(ask, record.id)).toBe('back');
  await removeProject(back, []);
  expect(await nameIn(ask, record.id)).toBeUndefined();
});

it('refuses to bring back what a clock that is ahead has removed, as long as it would be taken for the older news', async () => {
  const ask = reader();
  const record = await insert();
  await time.skewed(10 * SECOND, () => removeProject(record, []));
  await expect(bringBack(record)).rejects.toThrow('A condition did not hold.');
  time.advance(11 * SECOND);
  await bringBack(record);
  expect(await nameIn(ask, record.id)).toBe('back');
});

it('takes the newest counters, in whatever order they and their project come', async () => {
  const record = await insert();
  await view(record.id);
  const older = (await findItem(countsKey(record.id))) as Record<string, unknown>;
  await view(record.id);
  const newer = (await findItem(countsKey(record.id))) as Record<string, unknown>;
  const card = (await findItem(projectKey(record.id))) as Record<string, unknown>;
  for (const order of [
    [card, older, newer],
    [card, newer, older],
    [older, newer, card],
    [newer, card, older],
    [newer, newer, card, card],
    [older, card, newer],
  ]) {
    const ask = reader();
    gate.tamper = () => order;
    expect(await viewsIn(ask, record.id)).toBe(2);
  }
});

it('merges counters and cards that change by turns', async () => {
  const ask = reader();
  let record = await insert();
  for (let turn = 1; turn <= 4; turn += 1) {
    await view(record.id);
    if (turn % 2 === 0) record = await rename(record, `name ${turn}`);
    time.advance(SECOND);
    expect(await viewsIn(ask, record.id)).toBe(turn);
    expect(await nameIn(ask, record.id)).toBe(record.name);
  }
});

it('counts a change that comes again for nothing', async () => {
  const ask = reader();
  const record = await insert();
  await view(record.id);
  const { version } = await ask('now');
  for (const key of [projectKey(record.id), countsKey(record.id)]) {
    time.advance(SECOND);
    await updateItem(key, { set: inFeed(now(), key) });
  }
  expect((await ask('now')).version).toBe(version);
});

it('looks at most once a second, however often it is asked', async () => {
  const ask = reader();
  for (let asked = 0; asked < 60; asked += 1) {
    await ask();
    time.advance(50);
  }
  expect(gate.looks).toBe(3);
});

it('lets requests that come at once share one look', async () => {
  const ask = reader();
  const answers = await Promise.all(Array.from({ length: 100 }, () => ask()));
  expect(gate.looks).toBe(1);
  expect(new Set(answers).size).toBe(1);
  time.advance(2 * SECOND);
  await Promise.all(Array.from({ length: 100 }, () => ask()));
  expect(gate.looks).toBe(2);
});

it('does not pass off a look that began before the question as one of now', async () => {
  const ask = reader();
  const record = await insert();
  await ask('now');
  gate.looks = 0;
  const early = ask('now');
  const renamed = await rename(record, 'renamed while they looked');
  expect((await ask('now')).find(record.id)?.project).toEqual(renamed);
  await early;
  expect(gate.looks).toBe(2);
});

it('sees at once what its own process has written, and what others have within a second', async () => {
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

const poisons: readonly (readonly [string, (record: ProjectRecord) => Record<string, unknown>])[] = [
  ['of an unknown type', () => ({ type: 'riddle' })],
  ['without any type', () => ({})],
  ['a project without a name', (record) => ({ type: 'project', ...record, name: undefined })],
  ['a project whose version is no number', (record) => ({ type: 'project', ...record, version: 'next' })],
  ['a project with a tag that is no text', (record) => ({ type: 'project', ...record, version: 99, tags: ['a', 5] })],
  [
    'a project that is nowhere',
    (record) => ({ type: 'project', ...record, version: 99, latitude: 'north', longitude: 1 }),
  ],
  ['a project beyond the pole', (record) => ({ type: 'project', ...record, version: 99, latitude: 91, longitude: 1 })],
  ['a project of an unknown status', (record) => ({ type: 'project', ...record, version: 99, status: 'asleep' })],
  ['counters of nobody', () => ({ type: 'counts', upvote_count: 1, version: 1 })],
  ['counters that are no numbers', ({ id }) => ({ type: 'counts', project_id: id, upvote_count: 'many', version: 99 })],
  ['a removal of nothing', () => ({ type: 'projectRemoved', version: 9 })],
  ['a category without a slug', () => ({ type: 'category', id: 'cat_1', name: 'A' })],
  [
    'a category that has no order',
    () => ({ type: 'category', id: 'cat_1', name: 'A', slug: 'a', sort_order: 'first', version: 1 }),
  ],
];

it.each(poisons)('skips, counts and reports an item that is %s', async (_what, poison) => {
  const ask = reader();
  const record = await insert({ latitude: 1, longitude: 1, tags: ['a'] });
  const key = { pk: `POISON#${record.id}`, sk: 'ITEM' };
  await putItem({ ...poison(record), ...key, ...inFeed(now(), key) });
  const after = await insert();
  const catalog = await ask('now');
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

it('follows the feed past an item that bears no time', async () => {
  const ask = reader();
  const key = { pk: 'POISON#STAMP', sk: 'ITEM' };
  // Behind everything that has been written until now.
  await putItem({ ...key, feed_pk: feedPartition, feed_sk: `${now().slice(0, 13)}#STAMP` });
  await ask('now');
  const record = await insert();
  expect(await nameIn(ask, record.id)).toBe(record.name);
  await updateItem(key, { remove: ['feed_pk', 'feed_sk'] });
});

it('answers from what it knows while the table is out of reach, says so, and stops in time', async () => {
  const ask = reader();
  const record = await insert();
  await ask('now');
  gate.closed = true;
  time.advance(10 * SECOND);
  expect((await ask()).find(record.id)?.project).toEqual(record);
  expect(counted('CatalogStale')).toBe(1);
  await expect(ask('now')).rejects.toThrow('out of reach');
  time.advance(19 * SECOND);
  expect((await ask()).find(record.id)?.project).toEqual(record);
  expect(counted('CatalogStale')).toBe(2);
  time.advance(2 * SECOND);
  await expect(ask()).rejects.toThrow('out of reach');
  gate.closed = false;
  const renamed = await rename(record, 'renamed');
  expect((await ask()).find(record.id)?.project).toEqual(renamed);
});

it('is not older than a second after it was frozen, though its own clock stood still', async () => {
  const ask = reader();
  const record = await insert();
  await ask();
  time.freeze(300 * SECOND);
  const renamed = await rename(record, 'renamed meanwhile');
  expect((await ask()).find(record.id)?.project).toEqual(renamed);
});

it('looks within a second also after its clock was set back', async () => {
  const ask = reader();
  const record = await insert();
  await ask();
  const renamed = await rename(record, 'renamed');
  time.advance(1.1 * SECOND);
  const seen = await time.skewed(-HOUR, ask);
  expect(seen.find(record.id)?.project).toEqual(renamed);
});

it('looks far back after it was frozen', async () => {
  const ask = reader();
  await insert();
  await ask('now');
  const late = await time.skewed(-20 * SECOND, () => insert({ name: 'late' }));
  time.freeze(60 * SECOND);
  await insert();
  expect(await nameIn(ask, late.id)).toBe('late');
});

it('starts anew when it was frozen for so long that it may have missed tombstones', async () => {
  const ask = reader();
  const gone = await insert();
  await ask('now');
  await removeProject(gone, []);
  time.freeze(25 * HOUR);
  await table.sweep();
  expect((await ask()).find(gone.id)).toBeUndefined();
  expect(counted('CatalogReload')).toBe(1);
});

it('does not answer from what it knew before it was frozen while the table is out of reach', async () => {
  const ask = reader();
  await ask();
  time.freeze(31 * SECOND);
  gate.closed = true;
  await expect(ask()).rejects.toThrow('out of reach');
});

it('takes nothing for settled because its clock was set forward', async () => {
  const ask = reader();
  await insert();
  await ask('now');
  time.advance(6 * SECOND);
  await time.skewed(600 * SECOND, ask);
  const late = await time.skewed(-24 * SECOND, () => insert({ name: 'late' }));
  time.advance(6 * SECOND);
  expect(await nameIn(ask, late.id)).toBe('late');
});

it('has nothing to answer from when its first look fails', async () => {
  const ask = reader();
  gate.closed = true;
  await expect(ask()).rejects.toThrow('out of reach');
});

it('loses nothing when a look breaks off in the middle', async () => {
  const ask = reader();
  await ask('now');
  const long_description = 'x'.repeat(300_000);
  const records: ProjectRecord[] = [];
  for (let n = 0; n < 8; n += 1) records.push(await insert({ long_description }));
  let pages = 0;
  gate.tamper = (items) => {
    pages += 1;
    if (pages === 2) throw new Error('The connection was lost.');
    return items;
  };
  await expect(ask('now')).rejects.toThrow('lost');
  expect(pages).toBe(2);
  const catalog = await ask('now');
  for (const { id } of records) expect(catalog.find(id)?.project.long_description).toBe(long_description);
});
