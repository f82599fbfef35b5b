import { beforeEach, expect, it } from 'vitest';
import { makeReplica } from '#data/catalog.ts';
import { changeCounts } from '#data/counts.ts';
import { countFeedChanges, feedSince } from '#data/feed.ts';
import { countsKey, feedPartitions, inFeed, projectKey, snapshotKey } from '#data/keys.ts';
import { deleteProject, projectInsertion, projectReplacement } from '#data/projects.ts';
import { findItem } from '#data/read.ts';
import { findSnapshotManifest, snapshotLoader, storeSnapshot } from '#data/snapshots.ts';
import { transact, updateItem } from '#data/write.ts';
import type { ProjectRecord } from '#model/project.ts';
import type { RequestBarrier } from '#test/catalog/consistency/request-barrier.ts';
import type { VirtualTime } from '#test/support/virtual-time.ts';
import { origin, project } from './fixtures.ts';
import { withFeed } from './with-feed.ts';

/** A stage that writes to all partitions of the feed. */

const SECOND = 1000;
const HOUR = 3600 * SECOND;

let barrier: RequestBarrier;
let time: VirtualTime;

withFeed(
  (feed) => {
    ({ barrier, time } = feed);
  },
  { FEED_SHARDS: '8' },
);

// No overlap includes changes of the previous test.
beforeEach(() => time.advance(HOUR));

const reader = () => makeReplica(() => Number.NEGATIVE_INFINITY);

let created = 0;
const insert = async (overrides: Partial<ProjectRecord> = {}): Promise<ProjectRecord> => {
  created += 1;
  const record = project({ id: `prj_${created}`, ...overrides });
  await transact(projectInsertion(record, origin));
  return record;
};

const rename = async (previous: ProjectRecord, name: string): Promise<void> =>
  await transact(await projectReplacement(previous, { ...previous, name, version: previous.version + 1 }, origin));

const partitionOf = async (id: string): Promise<unknown> => (await findItem(projectKey(id)))?.feed_pk;

/** A project in each partition, in their order. */
const inEachPartition = async (): Promise<ProjectRecord[]> => {
  const found = new Map<unknown, ProjectRecord>();
  while (found.size < feedPartitions.length) {
    const record = await insert();
    found.set(await partitionOf(record.id), record);
  }
  return feedPartitions.map((partition) => found.get(partition) as ProjectRecord);
};

it('spreads projects evenly, and writes the counters of a project to its partition', async () => {
  const found = new Map<unknown, number>();
  for (let n = 0; n < 4000; n += 1) {
    const { feed_pk } = inFeed('', projectKey(`prj_${n}`), 8);
    found.set(feed_pk, (found.get(feed_pk) ?? 0) + 1);
  }
  expect([...found.keys()].toSorted()).toEqual(feedPartitions);
  for (const count of found.values()) expect(Math.abs(count - 500)).toBeLessThan(100);
  const { id } = await insert();
  await transact([changeCounts(id, { views_count: 1 })]);
  expect((await findItem(countsKey(id)))?.feed_pk).toBe(await partitionOf(id));
});

it('finds a change in any partition at the next refresh', async () => {
  const records = await inEachPartition();
  const readCatalog = reader();
  await readCatalog('now');
  for (const record of records) {
    time.advance(0.4 * SECOND);
    await rename(record, `renamed ${record.id}`);
    expect((await readCatalog('now')).find(record.id)?.project.name).toBe(`renamed ${record.id}`);
  }
});

it('reads one partition as completely as the others before it goes on', async () => {
  const records = await inEachPartition();
  const since = new Date(time.now - SECOND).toISOString();
  time.advance(SECOND);
  // Several pages in one partition, of 1 MB each, and later changes in the others.
  const long_description = 'x'.repeat(300_000);
  const [first, ...others] = records as [ProjectRecord, ...ProjectRecord[]];
  await transact(await projectReplacement(first, { ...first, version: 2, long_description }, origin));
  const early: string[] = [];
  while (early.length < 7) {
    time.advance(1);
    const { id } = await insert({ long_description });
    if ((await partitionOf(id)) === feedPartitions[0]) early.push(id);
  }
  time.advance(SECOND);
  for (const record of others) await rename(record, 'later');
  const seen: { readonly readUntil: string; readonly ids: readonly string[] }[] = [];
  for await (const { changes, readUntil } of feedSince(since, 'written')) {
    seen.push({ readUntil, ids: changes.flatMap((change) => (change.kind === 'project' ? [change.project.id] : [])) });
  }
  expect(seen.length).toBeGreaterThan(2);
  // While a part of the first partition is missing, the feed is complete only up to what was read of it.
  const missing = (from: number) => seen.slice(from).flatMap(({ ids }) => ids);
  for (const [index, { readUntil }] of seen.entries()) {
    for (const id of missing(index + 1)) {
      expect(String((await findItem(projectKey(id)))?.feed_sk) > readUntil).toBe(true);
    }
  }
  expect(seen.at(-1)?.readUntil).toBe(new Date(time.now).toISOString());
});

it('loses no change when one partition cannot be read', async () => {
  const records = await inEachPartition();
  const readCatalog = reader();
  await readCatalog('now');
  time.advance(SECOND);
  for (const record of records) await rename(record, 'renamed');
  // The others respond, with changes much later than the overlap.
  time.advance(10 * SECOND);
  const late = await inEachPartition();
  let queries = 0;
  barrier.tamper = (items) => {
    queries += 1;
    if (queries === 4) throw new Error('The connection was lost.');
    return items;
  };
  await expect(readCatalog('now')).rejects.toThrow('lost');
  barrier.tamper = undefined;
  time.advance(SECOND);
  const catalog = await readCatalog('now');
  for (const { id } of records) expect(catalog.find(id)?.project.name).toBe('renamed');
  for (const { id } of late) expect(catalog.find(id)).toBeDefined();
});

it('applies the newer state of a project that moves between partitions', async () => {
  const [first, , third] = (await inEachPartition()) as [ProjectRecord, ProjectRecord, ProjectRecord];
  // Written by a release that knew one partition.
  const key = projectKey(third.id);
  await updateItem(key, { set: inFeed(new Date(time.now).toISOString(), key) });
  const readCatalog = reader();
  expect((await readCatalog('now')).find(third.id)?.project).toEqual(third);
  await rename(third, 'moved');
  expect(await partitionOf(third.id)).toBe(feedPartitions[2]);
  expect((await readCatalog('now')).find(third.id)?.project.name).toBe('moved');
  expect((await reader()('now')).find(third.id)?.project.name).toBe('moved');
  await deleteProject(first, []);
  expect((await readCatalog('now')).find(first.id)).toBeUndefined();
});

it('counts the changes of all partitions up to a maximum', async () => {
  const since = new Date(time.now - 1).toISOString();
  const before = created;
  await inEachPartition();
  expect(await countFeedChanges(since, 10_000)).toBe(created - before);
  expect(await countFeedChanges(since, 5)).toBe(5);
});

it('does not start from a snapshot whose writer followed fewer partitions', async () => {
  await inEachPartition();
  const readCatalog = reader();
  await readCatalog('now');
  await storeSnapshot(readCatalog.state());
  expect(await snapshotLoader()()).toBeDefined();
  expect(await findSnapshotManifest()).toMatchObject({ feed_partitions: 8 });
  await updateItem(snapshotKey, { set: { feed_partitions: 1 } });
  expect(await snapshotLoader()()).toBeUndefined();
});

it('moves the counters of a project in the feed once a second, with the last of their values', async () => {
  const { id } = await insert();
  time.advance(SECOND - (time.now % SECOND) + 100);
  const places: unknown[] = [];
  const readCatalog = reader();
  for (let view = 1; view <= 20; view += 1) {
    await transact([changeCounts(id, { views_count: 1 })]);
    places.push((await findItem(countsKey(id)))?.feed_sk);
    expect((await readCatalog('now')).find(id)?.counts.views_count).toBe(view);
    time.advance(100);
  }
  expect(new Set(places).size).toBe(2);
});
