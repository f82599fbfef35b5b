import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Catalog } from '#catalog/catalog.ts';
import { makeReplica } from '#data/catalog.ts';
import { snapshotKey, snapshotPartKey } from '#data/keys.ts';
import { insertionOf, removeProject, replacementOf } from '#data/projects.ts';
import { findItem } from '#data/read.ts';
import { findNewest, loadSnapshot, storeSnapshot } from '#data/snapshots.ts';
import { putItem, removeItem, transact, updateItem } from '#data/write.ts';
import type { ProjectRecord } from '#domain/projects/project.ts';
import { log } from '#platform/log.ts';
import { count } from '#platform/metrics.ts';
import { project, query } from '../catalog/fixtures.ts';
import { RequestGate } from '../catalog/proof/request-gate.ts';
import { type BareTable, startBareTable } from '../support/bare-table.ts';
import { VirtualTime } from '../support/virtual-time.ts';

/** Snapshots of the catalog on the real engine: who begins with one knows what he would know without. */

vi.mock('#platform/metrics.ts', () => ({ count: vi.fn() }));

const SECOND = 1000;
const HOUR = 3600 * SECOND;

let table: BareTable;
let gate: RequestGate;
let time: VirtualTime;

beforeAll(async () => {
  log.setLogLevel('SILENT');
  table = await startBareTable();
  gate = new RequestGate();
  time = new VirtualTime('2026-03-01T00:00:00.000Z');
});

afterAll(async () => {
  time.restore();
  gate.restore();
  await table.stop();
});

beforeEach(() => {
  time.advance(HOUR);
  vi.mocked(count).mockClear();
});

const nobodyWrites = () => Number.NEGATIVE_INFINITY;
const reader = () => makeReplica(nobodyWrites);
const fromFeed = () => makeReplica(nobodyWrites, async () => undefined);

let made = 0;
const insert = async (overrides: Partial<ProjectRecord> = {}): Promise<ProjectRecord> => {
  made += 1;
  // Texts that do not become much smaller, so that there are several parts.
  const noise = Array.from({ length: 400 }, () => Math.random().toString(36)).join('');
  const record = project({ id: `prj_${made}`, long_description: noise, ...overrides });
  await transact(insertionOf(record));
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

/** Holds a reader with the snapshot to one that has read the whole feed. */
const holdToFeed = async (): Promise<void> => {
  const [one, other] = [reader(), fromFeed()];
  await one('now');
  await other('now');
  expect(everything(one.state().catalog)).toBe(everything(other.state().catalog));
  const all = query({ limit: 100 });
  expect((await one()).query(all)).toEqual((await other()).query(all));
};

const unusable = () => vi.mocked(count).mock.calls.filter(([name]) => name === 'CatalogSnapshotUnusable').length;

describe('who begins with a snapshot', () => {
  it('knows what the feed says, and reads only what came after it', async () => {
    const before = await Promise.all(Array.from({ length: 150 }, () => insert()));
    expect((await keep({ afterSeconds: 70 }))?.listings).toBeGreaterThanOrEqual(150);
    expect((await findNewest())?.parts).toBeGreaterThan(1);
    time.advance(10 * 60 * SECOND);
    const [first, second, third] = before as [ProjectRecord, ProjectRecord, ProjectRecord];
    await transact(await replacementOf(first, { ...first, name: 'later', version: 2 }));
    await removeProject(second, []);
    await insert({ name: 'new' });
    let read = 0;
    gate.tamper = (items) => {
      read += items.length;
      return items;
    };
    const ask = reader();
    const known = await ask('now');
    gate.tamper = undefined;
    expect(known.find(first.id)?.project.name).toBe('later');
    expect(known.find(second.id)).toBeUndefined();
    expect(known.find(third.id)?.project).toEqual(third);
    // The card, the tombstone, the new card; nothing of the hundred and fifty.
    expect(read).toBe(3);
    await holdToFeed();
    expect(unusable()).toBe(0);
  });

  it('misses nothing that was stamped before it was taken and committed after', async () => {
    const late = project({ id: 'prj_late' });
    const held = await gate.hold(() => transact(insertionOf(late)));
    time.advance(25 * SECOND);
    await insert();
    await keep();
    await held.release();
    const ask = reader();
    expect((await ask('now')).find('prj_late')?.project).toEqual(late);
    await holdToFeed();
  });

  it('goes on without as soon as it is too old for what was removed since', async () => {
    const gone = await insert();
    await keep();
    time.advance(12.1 * HOUR);
    await removeProject(gone, []);
    // The feed has forgotten, as it does after a day.
    await removeItem({ pk: `PROJECT#${gone.id}`, sk: 'TOMBSTONE' });
    expect(await loadSnapshot()).toBeUndefined();
    expect((await reader()('now')).find(gone.id)).toBeUndefined();
    expect(unusable()).toBe(0);
  });
});

describe('what is not a whole snapshot', () => {
  beforeEach(async () => {
    await insert();
    await keep();
    vi.mocked(count).mockClear();
  });

  const newest = async () => {
    const found = await findNewest();
    if (!found) throw new Error('There is no snapshot.');
    return found;
  };

  it('is noticed and left alone when a part is missing', async () => {
    const { generation } = await newest();
    await removeItem(snapshotPartKey(generation, 0));
    expect(await loadSnapshot()).toBeUndefined();
    expect(unusable()).toBe(1);
    await holdToFeed();
  });

  it('is noticed when a single bit of it is another', async () => {
    const { generation } = await newest();
    const key = snapshotPartKey(generation, 0);
    const part = await findItem(key);
    const bytes = Buffer.from(part?.bytes as Uint8Array);
    bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] as number) ^ 1;
    await putItem({ ...part, ...key, bytes });
    expect(await loadSnapshot()).toBeUndefined();
    expect(unusable()).toBe(1);
    await holdToFeed();
  });

  it('is noticed when what names it is cut off or says nonsense', async () => {
    const later = new Date(time.now - 1).toISOString();
    for (const set of [
      { parts: 1, bytes: 10 },
      { digest: 'x' },
      { unpacked_bytes: 5 },
      { parts: 'many' },
      { settled_at: later },
    ]) {
      await keep();
      await updateItem(snapshotKey, { set });
      expect(await loadSnapshot()).toBeUndefined();
      await holdToFeed();
    }
    expect(unusable()).toBeGreaterThanOrEqual(5);
  });

  it('is passed over without complaint when it is of another release', async () => {
    await updateItem(snapshotKey, { set: { format: 999 } });
    expect(await loadSnapshot()).toBeUndefined();
    expect(unusable()).toBe(0);
  });

  it('is not there when its writer died before he was through', async () => {
    const before = await newest();
    // All parts lie there, and nothing names them.
    await putItem({ ...snapshotPartKey('snp_dead', 0), type: 'snapshotPart', bytes: Buffer.from('half') });
    expect(await newest()).toEqual(before);
    await holdToFeed();
  });
});

it('of two that are kept at once one stays, whole', async () => {
  await insert();
  const [one, other] = [reader(), reader()];
  await one('now');
  await insert();
  await other('now');
  const kept = await Promise.all([storeSnapshot(one.state()), storeSnapshot(other.state())]);
  expect(kept.filter((stored) => stored !== undefined)).toHaveLength(1);
  expect(await loadSnapshot()).toBeDefined();
  await holdToFeed();
});

it('what was kept before goes away by itself', async () => {
  await insert();
  await keep();
  const { generation } = (await findNewest()) ?? { generation: '' };
  const part = await findItem(snapshotPartKey(generation, 0));
  const named = await findItem(snapshotKey);
  const inHours = (item: typeof part) => (Number(item?.ttl) * SECOND - time.now) / HOUR;
  expect(inHours(part)).toBeCloseTo(13, 1);
  expect(inHours(named)).toBeCloseTo(13, 1);
});
