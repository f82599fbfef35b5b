import { ProvisionedThroughputExceededException } from '@aws-sdk/client-dynamodb';
import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { Catalog } from '#catalog/catalog.ts';
import { makeReplica } from '#data/catalog.ts';
import { feedPartitions, snapshotKey, snapshotPartKey } from '#data/keys.ts';
import { deleteProject, projectInsertion, projectReplacement } from '#data/projects.ts';
import { findItem } from '#data/read.ts';
import { findSnapshotManifest, snapshotLoader, storeSnapshot } from '#data/snapshots.ts';
import { deleteItem, putItem, transact, updateItem } from '#data/write.ts';
import type { ProjectRecord } from '#model/project.ts';
import { dynamo } from '#platform/dynamo.ts';
import type { RequestBarrier } from '#test/catalog/consistency/request-barrier.ts';
import { origin, project, query } from '#test/catalog/fixtures.ts';
import { withFeed } from '#test/catalog/with-feed.ts';
import { captureMetrics } from '#test/support/metrics.ts';
import { type VirtualTime, YEARS_AHEAD_MS } from '#test/support/virtual-time.ts';

const SECOND = 1000;
const HOUR = 3600 * SECOND;

let barrier: RequestBarrier;
let time: VirtualTime;

withFeed((feed) => {
  ({ barrier, time } = feed);
});

let counted: ReturnType<typeof captureMetrics>;
const unusableCount = () => counted('CatalogSnapshotUnusable');

beforeEach(() => {
  time.advance(HOUR);
  counted = captureMetrics();
});

const neverWrites = () => Number.NEGATIVE_INFINITY;
const reader = () => makeReplica(neverWrites);
const fromFeed = () => makeReplica(neverWrites, async () => undefined);

let created = 0;
const insert = async (overrides: Partial<ProjectRecord> = {}): Promise<ProjectRecord> => {
  created += 1;
  // Hardly compressible, so that the snapshot has several parts.
  const noise = Array.from({ length: 400 }, () => Math.random().toString(36)).join('');
  const record = project({ id: `prj_${created}`, long_description: noise, ...overrides });
  await transact(projectInsertion(record, origin));
  return record;
};

const keep = async ({ afterSeconds = 0 } = {}) => {
  const taker = reader();
  await taker('now');
  if (afterSeconds > 0) {
    time.advance(afterSeconds * SECOND);
    await taker('now');
  }
  return await storeSnapshot(taker.state());
};

const everything = (catalog: Catalog) =>
  JSON.stringify(
    catalog
      .contents()
      .rows.map((row) => row.unpacked())
      .sort((a, b) => (a.id < b.id ? -1 : 1)),
  );

/** Compares a replica that starts from the snapshot with one that reads the whole feed. */
const expectSameAsFeed = async (): Promise<void> => {
  const [one, other] = [reader(), fromFeed()];
  await one('now');
  await other('now');
  expect(everything(one.state().catalog)).toBe(everything(other.state().catalog));
  const all = query({ limit: 100 });
  expect((await one()).query(all)).toEqual((await other()).query(all));
};

it('a replica that starts from a snapshot equals one that reads the whole feed, and reads only later changes', async () => {
  const before: ProjectRecord[] = [];
  for (let n = 0; n < 150; n += 1) before.push(await insert());
  expect((await keep({ afterSeconds: 70 }))?.listings).toBeGreaterThanOrEqual(150);
  expect((await findSnapshotManifest())?.parts).toBeGreaterThan(1);
  time.advance(10 * 60 * SECOND);
  const [first, second, third] = before as [ProjectRecord, ProjectRecord, ProjectRecord];
  await transact(await projectReplacement(first, { ...first, name: 'later', version: 2 }, origin));
  await deleteProject(second, []);
  await insert({ name: 'new' });
  let read = 0;
  barrier.tamper = (items) => {
    read += items.length;
    return items;
  };
  const readCatalog = reader();
  const known = await readCatalog('now');
  barrier.tamper = undefined;
  expect(known.find(first.id)?.project.name).toBe('later');
  expect(known.find(second.id)).toBeUndefined();
  expect(known.find(third.id)?.project).toEqual(third);
  // The changed project, the tombstone and the new project; none of the 150.
  expect(read).toBe(3);
  await expectSameAsFeed();
  expect(unusableCount()).toBe(0);
});

it('a replica that starts from a snapshot finds a change that was stamped before the snapshot and committed after it', async () => {
  const late = project({ id: 'prj_late' });
  const held = await barrier.hold(() => transact(projectInsertion(late, origin)));
  time.advance(25 * SECOND);
  await insert();
  await keep();
  await held.release();
  const readCatalog = reader();
  expect((await readCatalog('now')).find('prj_late')?.project).toEqual(late);
  await expectSameAsFeed();
});

it('a replica that starts from a snapshot reads the whole feed instead when the snapshot is older than tombstones are kept', async () => {
  const removed = await insert();
  await keep();
  time.advance(12.1 * HOUR);
  await deleteProject(removed, []);
  // Tombstones expire after a day.
  await deleteItem({ pk: `PROJECT#${removed.id}`, sk: 'TOMBSTONE' });
  expect(await snapshotLoader()()).toBeUndefined();
  expect((await reader()('now')).find(removed.id)).toBeUndefined();
  expect(unusableCount()).toBe(0);
});

it.each([5 * 60 * SECOND, YEARS_AHEAD_MS])(
  'a replica does not start from a snapshot of a clock that was %i ms ahead',
  async (aheadMs) => {
    await time.skewed(aheadMs, async () => {
      await insert({ name: 'ahead' });
      await keep({ afterSeconds: 70 });
    });
    const right = await insert({ name: 'right' });
    expect((await reader()('now')).find(right.id)?.project).toEqual(right);
    await expectSameAsFeed();
    expect(unusableCount()).toBe(0);
    // The next one replaces it.
    await keep();
    await expectSameAsFeed();
  },
);

describe('a snapshot whose reads fail', () => {
  let reads: { readonly partition: unknown; readonly isConsistent: unknown }[];

  /** Replaces responses to queries of the snapshot's partitions. */
  const intercept = (respond: (partition: string, isConsistent: boolean) => object | undefined): void => {
    const client = dynamo() as unknown as { send: (command: unknown) => Promise<unknown> };
    const { send: original } = client;
    const send = original.bind(client);
    client.send = async (command) => {
      if (!(command instanceof QueryCommand)) return await send(command);
      const partition = String(command.input.ExpressionAttributeValues?.[':p']);
      const isConsistent = command.input.ConsistentRead === true;
      reads.push({ partition, isConsistent });
      const response = partition.startsWith('SNAPSHOT') ? respond(partition, isConsistent) : undefined;
      if (response instanceof Error) throw response;
      return response ?? (await send(command));
    };
    onTestFinished(() => {
      client.send = original;
    });
  };

  const throttled = () =>
    new ProvisionedThroughputExceededException({ message: 'The level of throughput was exceeded.', $metadata: {} });

  const feedReads = () => reads.filter(({ partition }) => feedPartitions.includes(String(partition))).length;

  beforeEach(async () => {
    await insert();
    await keep();
    counted = captureMetrics();
    reads = [];
  });

  it('a snapshot whose reads fail is read again while the table is throttled, and the feed is not', async () => {
    let failures = 0;
    intercept((partition) => {
      if (partition === snapshotKey.pk || failures === 5) return undefined;
      failures += 1;
      return throttled();
    });
    expect(await snapshotLoader()()).toBeDefined();
    expect([failures, feedReads(), unusableCount()]).toEqual([5, 0, 0]);
  });

  it('a snapshot whose reads fail is continued by the next request after throttling, with the parts that are missing', async () => {
    // Hardly compressible, and more than a part.
    const long_description = Array.from({ length: 25_000 }, () => Math.random().toString(36))
      .join('')
      .slice(0, 300_000);
    for (let n = 0; n < 3; n += 1) await insert({ long_description });
    await keep();
    const { parts = 0, generation = '' } = (await findSnapshotManifest()) ?? {};
    expect(parts).toBeGreaterThan(1);
    const load = snapshotLoader();
    const last = snapshotPartKey(generation, parts - 1).pk;
    let isThrottled = true;
    intercept((partition) => (partition === last && isThrottled ? throttled() : undefined));
    await expect(load()).rejects.toThrow(ProvisionedThroughputExceededException);
    isThrottled = false;
    reads = [];
    expect(await load()).toBeDefined();
    expect(reads.map(({ partition }) => partition)).toEqual([last]);
  });

  it('a snapshot whose reads fail throws when throttling lasts, instead of reading the feed', async () => {
    intercept(throttled);
    await expect(reader()('now')).rejects.toThrow(ProvisionedThroughputExceededException);
    expect([feedReads(), unusableCount()]).toEqual([0, 0]);
  });

  it('a snapshot whose reads fail is read with eventual consistency first, and with strong consistency when a part is missing', async () => {
    intercept((partition, isConsistent) =>
      partition === snapshotKey.pk || isConsistent ? undefined : { Items: [], Count: 0 },
    );
    expect(await snapshotLoader()()).toBeDefined();
    const parts = reads.filter(({ partition }) => partition !== snapshotKey.pk).map(({ isConsistent }) => isConsistent);
    expect([...new Set(parts)]).toEqual([false, true]);
    expect(unusableCount()).toBe(0);
  });
});

describe('an unusable snapshot', () => {
  beforeEach(async () => {
    await insert();
    await keep();
    counted = captureMetrics();
  });

  const newest = async () => {
    const found = await findSnapshotManifest();
    if (!found) throw new Error('There is no snapshot.');
    return found;
  };

  it('an unusable snapshot is ignored and counted when a part is missing', async () => {
    const { generation } = await newest();
    await deleteItem(snapshotPartKey(generation, 0));
    expect(await snapshotLoader()()).toBeUndefined();
    expect(unusableCount()).toBe(1);
    await expectSameAsFeed();
  });

  it('an unusable snapshot is ignored and counted when a single bit is flipped', async () => {
    const { generation } = await newest();
    const key = snapshotPartKey(generation, 0);
    const part = await findItem(key);
    const bytes = Buffer.from(part?.bytes as Uint8Array);
    bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] as number) ^ 1;
    await putItem({ ...part, ...key, bytes });
    expect(await snapshotLoader()()).toBeUndefined();
    expect(unusableCount()).toBe(1);
    await expectSameAsFeed();
  });

  it('an unusable snapshot is ignored and counted when its manifest is wrong', async () => {
    const later = new Date(time.now - 1).toISOString();
    for (const set of [
      { parts: 1, bytes: 10 },
      { digest: 'x' },
      { unpacked_bytes: 5 },
      { parts: 'many' },
      { stable_at: later },
    ]) {
      await keep();
      await updateItem(snapshotKey, { set });
      expect(await snapshotLoader()()).toBeUndefined();
      await expectSameAsFeed();
    }
    expect(unusableCount()).toBeGreaterThanOrEqual(5);
  });

  it('an unusable snapshot is ignored but not counted when it has the format of another release', async () => {
    await updateItem(snapshotKey, { set: { format: 999 } });
    expect(await snapshotLoader()()).toBeUndefined();
    expect(unusableCount()).toBe(0);
  });

  it('an unusable snapshot has no effect when its writer stopped before writing the manifest', async () => {
    const before = await newest();
    // A part without a manifest.
    await putItem({ ...snapshotPartKey('snp_dead', 0), type: 'snapshotPart', bytes: Buffer.from('half') });
    expect(await newest()).toEqual(before);
    await expectSameAsFeed();
  });
});

it('of two snapshots stored concurrently exactly one remains, and it is complete', async () => {
  await insert();
  const [one, other] = [reader(), reader()];
  await one('now');
  await insert();
  await other('now');
  const kept = await Promise.all([storeSnapshot(one.state()), storeSnapshot(other.state())]);
  expect(kept.filter((stored) => stored !== undefined)).toHaveLength(1);
  expect(await snapshotLoader()()).toBeDefined();
  await expectSameAsFeed();
});

it('all items of a snapshot expire after 13 hours', async () => {
  await insert();
  await keep();
  const { generation } = (await findSnapshotManifest()) ?? { generation: '' };
  const part = await findItem(snapshotPartKey(generation, 0));
  const named = await findItem(snapshotKey);
  const inHours = (item: typeof part) => (Number(item?.ttl) * SECOND - time.now) / HOUR;
  expect(inHours(part)).toBeCloseTo(13, 1);
  expect(inHours(named)).toBeCloseTo(13, 1);
});
