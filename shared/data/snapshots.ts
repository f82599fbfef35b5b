import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { zstdCompress, zstdDecompress } from 'node:zlib';
import { Catalog } from '#catalog/catalog.ts';
import { readSnapshot, SNAPSHOT_FORMAT, writeSnapshot } from '#catalog/snapshot.ts';
import { now, secondsFromNow } from '#platform/clock.ts';
import { newId } from '#platform/ids.ts';
import { log } from '#platform/log.ts';
import { loggable } from '#platform/loggable.ts';
import { count } from '#platform/metrics.ts';
import { absent, either, is } from './conditions.ts';
import { snapshotKey, snapshotPartKey } from './keys.ts';
import { firstOfCollection, type Item } from './read.ts';
import { putItem } from './write.ts';

/**
 * Snapshots of the catalog: what a process begins with that has none yet. A snapshot lies in parts, each an item, and one
 * item that names the newest is written when all of them are there. Nothing depends on them: whatever is wrong with one,
 * the feed has everything.
 */

/** A catalog from a snapshot. */
export interface LoadedSnapshot {
  readonly catalog: Catalog;
  /** Every change that was stamped before this time is in it, in milliseconds since the epoch. */
  readonly settled: number;
  /** The stamp of the newest change in it, ISO 8601; undefined when there is none. */
  readonly newest: string | undefined;
  /** When whoever took it began to look at the feed for the last time, ISO 8601. */
  readonly takenAt: string;
}

/** What is said of the newest snapshot, as it is stored. */
interface Newest {
  readonly generation: string;
  readonly format: number;
  readonly parts: number;
  readonly bytes: number;
  readonly unpacked_bytes: number;
  readonly digest: string;
  readonly settled_at: string;
  readonly newest_at: string;
  readonly taken_at: string;
  readonly listings: number;
}

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

/** An item takes 400 KB, with its key and its attributes. */
const PART_BYTES = 380_000;
const PARTS_AT_ONCE = 16;
/** How much is decompressed at once: in the usual 16 KB it takes half as long again. */
const CHUNK_BYTES = 1 << 20;

/** The feed forgets what was removed for good after a day; who begins with an older state would never hear of it. */
const AGE_MAX_MS = 12 * 3600 * 1000;
/** Longer than a snapshot may be used, with time for whoever has just begun to read it. */
const KEPT_SECONDS = 13 * 3600;

/** Of the bytes and of the times by which a reader goes: later ones would make him pass over changes. */
const digestOf = ({ settled_at, taken_at }: Pick<Newest, 'settled_at' | 'taken_at'>, bytes: Uint8Array): string =>
  createHash('sha256').update(`${settled_at} ${taken_at} `).update(bytes).digest('base64url');

/** Asked for as a collection: one item by its key would travel together with what others ask for. */
const itemIn = async (partition: string): Promise<Item | undefined> => (await firstOfCollection({ partition }, 1))[0];

/** What is said of the newest snapshot. */
export const findNewest = async (): Promise<Newest | undefined> => (await itemIn(snapshotKey.pk)) as Newest | undefined;

/** Does something with each of some numbers, a few at a time. */
const forEach = async (total: number, act: (number: number) => Promise<void>): Promise<void> => {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < total) {
      next += 1;
      await act(next - 1);
    }
  };
  await Promise.all(Array.from({ length: Math.min(PARTS_AT_ONCE, total) }, worker));
};

const readParts = async ({ generation, parts }: Newest): Promise<Buffer> => {
  const found = new Array<Uint8Array>(parts);
  await forEach(parts, async (part) => {
    const bytes = (await itemIn(snapshotPartKey(generation, part).pk))?.bytes;
    if (!(bytes instanceof Uint8Array)) throw new Error(`Part ${part} of ${parts} is missing.`);
    found[part] = bytes;
  });
  return Buffer.concat(found);
};

const load = async (newest: Newest): Promise<LoadedSnapshot> => {
  const packed = await readParts(newest);
  if (packed.length !== newest.bytes || digestOf(newest, packed) !== newest.digest)
    throw new Error('Its digest is another.');
  const bytes = await decompress(packed, { maxOutputLength: newest.unpacked_bytes, chunkSize: CHUNK_BYTES });
  return {
    catalog: Catalog.of(readSnapshot(bytes)),
    settled: Date.parse(newest.settled_at),
    newest: newest.newest_at,
    takenAt: newest.taken_at,
  };
};

const isUsable = ({ format, taken_at }: Newest): boolean => {
  // Another release reads and writes its own.
  if (format !== SNAPSHOT_FORMAT) return false;
  // By two clocks: one that is ahead a little makes no difference to half a day.
  return Math.abs(Date.parse(now()) - Date.parse(taken_at)) < AGE_MAX_MS;
};

/** The newest snapshot, if there is one that can be used. What is wrong with one is counted and logged, never fatal. */
export const loadSnapshot = async (): Promise<LoadedSnapshot | undefined> => {
  try {
    const newest = await findNewest();
    return newest && isUsable(newest) ? await load(newest) : undefined;
  } catch (error) {
    count('CatalogSnapshotUnusable');
    log.error('the snapshot of the catalog cannot be used; the feed is read from its beginning', {
      ...loggable(error),
    });
    return undefined;
  }
};

/**
 * Keeps a catalog.
 * @returns undefined when somebody else has kept one meanwhile.
 */
export const storeSnapshot = async ({
  catalog,
  settled,
  newest: newestAt,
  takenAt,
}: LoadedSnapshot): Promise<{ listings: number; bytes: number } | undefined> => {
  // Who has read nothing cannot say what he has not missed.
  if (!Number.isFinite(settled) || newestAt === undefined) return undefined;
  const before = await findNewest();
  const { size: listings } = catalog;
  const bytes = writeSnapshot(catalog.contents());
  const packed = await compress(bytes);
  const generation = newId('snp');
  const ttl = secondsFromNow(KEPT_SECONDS);
  const parts = Math.ceil(packed.length / PART_BYTES);
  await forEach(parts, async (part) => {
    const piece = packed.subarray(part * PART_BYTES, (part + 1) * PART_BYTES);
    await putItem({ ...snapshotPartKey(generation, part), type: 'snapshotPart', bytes: piece, ttl });
  });
  const times = { settled_at: new Date(settled).toISOString(), taken_at: takenAt };
  const newest: Newest = {
    generation,
    format: SNAPSHOT_FORMAT,
    parts,
    bytes: packed.length,
    unpacked_bytes: bytes.length,
    digest: digestOf(times, packed),
    ...times,
    newest_at: newestAt,
    listings,
  };
  const isFirst = await putItem(
    { ...snapshotKey, type: 'snapshot', ...newest, ttl },
    before ? either(absent, is('generation', before.generation)) : absent,
  );
  return isFirst ? { listings, bytes: packed.length } : undefined;
};
