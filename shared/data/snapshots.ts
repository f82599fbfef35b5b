import { createHash, type Hash } from 'node:crypto';
import { promisify } from 'node:util';
import { zstdCompress, zstdDecompress } from 'node:zlib';
import { Catalog } from '#catalog/catalog.ts';
import { readSnapshot, SNAPSHOT_FORMAT, writeSnapshot } from '#catalog/snapshot.ts';
import { isRecent, now, secondsFromNow } from '#platform/clock.ts';
import { environment } from '#platform/environment.ts';
import { newId } from '#platform/ids.ts';
import { log, loggable } from '#platform/log.ts';
import { mapConcurrently } from '#platform/map-concurrently.ts';
import { count } from '#platform/metrics.ts';
import { isUnavailable } from '#platform/unavailable.ts';
import { retryOnConflict } from './conflict.ts';
import { feedPartitions, snapshotKey, snapshotPartKey } from './keys.ts';
import { firstOfCollection, type Item } from './read.ts';
import { absent, either, is, putItem } from './write.ts';

/** The state of a replica, which a snapshot stores: the initial state of a cold process. */
export interface ReplicaState {
  readonly catalog: Catalog;
  /** The catalog contains every change stamped before this time, in milliseconds since the epoch. */
  readonly completeUntil: number;
  /** The stamp of the newest change in it, ISO 8601; undefined when there is none. */
  readonly watermark: string | undefined;
  /** The start of the latest refresh from the feed, ISO 8601. */
  readonly takenAt: string;
}

/**
 * The item that describes the newest snapshot, written after all its parts. Snapshots are an optimisation: without a
 * usable one, the feed has everything.
 */
interface Manifest {
  readonly generation: string;
  readonly format: number;
  readonly parts: number;
  readonly bytes: number;
  readonly unpacked_bytes: number;
  readonly digest: string;
  readonly stable_at: string;
  readonly newest_at: string;
  readonly taken_at: string;
  readonly listings: number;
  /** How many partitions of the feed its writer followed. */
  readonly feed_partitions: number;
}

const pack = promisify(zstdCompress);
const unpack = promisify(zstdDecompress);

/** DynamoDB limits an item to 400 KB, its key and attribute names included. */
const PART_BYTES_MAX = 380_000;
/** A smaller part would cost more in rounding and requests than it spreads the load. */
const PART_BYTES_MIN = 32_768;
const CONCURRENT_PARTS = 16;

/**
 * The size of the parts of a snapshot of this many bytes. All cold processes read the same parts, and a key takes 3,000 units
 * a second: a small snapshot has several parts too.
 */
export const partBytesOf = (bytes: number): number =>
  Math.min(PART_BYTES_MAX, Math.max(PART_BYTES_MIN, Math.ceil(bytes / CONCURRENT_PARTS)));

/** Tombstones expire from the feed after a day; a reader with an older state would miss them. */
const AGE_MAX_MS = 12 * 3600 * 1000;
/** Longer than `AGE_MAX_MS`, so that no parts expire while they are read. */
const TTL_SECONDS = 13 * 3600;

/** Begins with the times from which readers continue, because wrong ones would make them skip changes. */
const digestFrom = ({ stable_at, taken_at }: Pick<Manifest, 'stable_at' | 'taken_at'>): Hash =>
  createHash('sha256').update(`${stable_at} ${taken_at} `);

/** A query instead of `findItem`, which would share a batch with the reads of concurrent requests. */
const itemIn = async (partition: string, isConsistent = true): Promise<Item | undefined> =>
  (await firstOfCollection({ partition, isConsistent }, 1))[0];

/** The manifest of the newest snapshot, of any format and age. */
export const findSnapshotManifest = async (): Promise<Manifest | undefined> =>
  (await itemIn(snapshotKey.pk)) as Manifest | undefined;

const ATTEMPTS_MAX = 20;

/** Repeats a read while the table is throttled or unreachable, within the time of the request. */
const whileUnavailable = <T>(read: () => Promise<T>): Promise<T> =>
  retryOnConflict(read, { isConflict: isUnavailable, attemptsMax: ATTEMPTS_MAX });

/** A part is missing, or the bytes do not match the manifest. */
class DamagedSnapshot extends Error {
  override readonly name = 'DamagedSnapshot';
}

/** A snapshot as far as a process has read it. Parts that were read stay when the read of another one fails. */
class PartialSnapshot {
  readonly manifest: Manifest;
  readonly #parts = new Map<number, Uint8Array>();

  constructor(manifest: Manifest) {
    this.manifest = manifest;
  }

  /**
   * Reads the missing parts with eventual consistency, at half the price. It can miss parts that were written just before;
   * the digest detects that, and all parts are read once more with strong consistency.
   * @throws {DamagedSnapshot} when that does not help.
   */
  async unpacked(): Promise<Buffer> {
    try {
      return await this.#read(false);
    } catch (error) {
      if (!(error instanceof DamagedSnapshot)) throw error;
      this.#parts.clear();
      return await this.#read(true);
    }
  }

  async #read(isConsistent: boolean): Promise<Buffer> {
    const { generation, parts, bytes, digest, unpacked_bytes: unpackedBytes } = this.manifest;
    const numbers = Array.from({ length: parts }, (_, part) => part);
    const missing = numbers.filter((part) => !this.#parts.has(part));
    const readPart = async (part: number): Promise<void> => {
      const item = await whileUnavailable(() => itemIn(snapshotPartKey(generation, part).pk, isConsistent));
      if (!(item?.bytes instanceof Uint8Array)) throw new DamagedSnapshot(`Part ${part} of ${parts} is missing.`);
      this.#parts.set(part, item.bytes);
    };
    await mapConcurrently(missing, readPart, { concurrency: CONCURRENT_PARTS });
    const packed = Buffer.concat(numbers.map((part) => this.#parts.get(part) as Uint8Array));
    if (packed.length !== bytes || digestFrom(this.manifest).update(packed).digest('base64url') !== digest)
      throw new DamagedSnapshot('The digest does not match.');
    // Into one buffer, which the end does not fill: zlib allocates another one of the same size for a full one.
    return await unpack(packed, { chunkSize: unpackedBytes + 1, maxOutputLength: unpackedBytes });
  }
}

const stateOf = ({ stable_at, newest_at, taken_at }: Manifest, bytes: Buffer): ReplicaState => ({
  catalog: Catalog.of(readSnapshot(bytes)),
  completeUntil: Date.parse(stable_at),
  watermark: newest_at,
  takenAt: taken_at,
});

const isUsable = ({ format, stable_at, taken_at, feed_partitions }: Manifest): boolean => {
  // Written by another release.
  if (format !== SNAPSHOT_FORMAT || feed_partitions < environment().feedShards) return false;
  // Compares the clocks of two processes; their skew is small against half a day. After the clock was set back, new changes have
  // stamps before `stable_at`, which a reader would skip.
  return isRecent(taken_at, AGE_MAX_MS) && stable_at <= now();
};

/**
 * A function that loads the newest snapshot; undefined when none is usable. A damaged one is counted and logged. After an
 * error it continues with the parts that are still missing, so that every request of a cold process brings it closer.
 * The function throws when the table is throttled or unreachable for as long as the request may take: after a deployment
 * every process loads the snapshot, and reading the whole feed instead, from few keys, would make that worse.
 */
export const snapshotLoader = (): (() => Promise<ReplicaState | undefined>) => {
  let partial: PartialSnapshot | undefined;
  const load = async (): Promise<ReplicaState | undefined> => {
    if (!partial || !isUsable(partial.manifest)) {
      const newest = await whileUnavailable(findSnapshotManifest);
      if (!newest || !isUsable(newest)) return undefined;
      partial = new PartialSnapshot(newest);
    }
    return stateOf(partial.manifest, await partial.unpacked());
  };
  return async () => {
    try {
      const state = await load();
      partial = undefined;
      return state;
    } catch (error) {
      if (isUnavailable(error)) throw error;
      partial = undefined;
      count('CatalogSnapshotUnusable');
      log.error('the catalog snapshot is unusable; the feed is read from its beginning', { error: loggable(error) });
      return undefined;
    }
  };
};

/**
 * Stores a replica's state as the newest snapshot.
 * @returns undefined when a newer snapshot was written concurrently, or when the replica has read nothing yet.
 */
export const storeSnapshot = async ({
  catalog,
  completeUntil,
  watermark,
  takenAt,
}: ReplicaState): Promise<{ listings: number; bytes: number } | undefined> => {
  if (!Number.isFinite(completeUntil) || watermark === undefined) return undefined;
  const before = await findSnapshotManifest();
  const { size: listings } = catalog;
  const bytes = writeSnapshot(catalog.contents());
  const packed = await pack(bytes);
  const generation = newId('snp');
  const ttl = secondsFromNow(TTL_SECONDS);
  const partBytes = partBytesOf(packed.length);
  const parts = Math.ceil(packed.length / partBytes);
  const numbers = Array.from({ length: parts }, (_, part) => part);
  const writePart = async (part: number): Promise<void> => {
    const slice = packed.subarray(part * partBytes, (part + 1) * partBytes);
    await putItem({ ...snapshotPartKey(generation, part), type: 'snapshotPart', bytes: slice, ttl });
  };
  await mapConcurrently(numbers, writePart, { concurrency: CONCURRENT_PARTS });
  const times = { stable_at: new Date(completeUntil).toISOString(), taken_at: takenAt };
  const newest: Manifest = {
    generation,
    format: SNAPSHOT_FORMAT,
    parts,
    bytes: packed.length,
    unpacked_bytes: bytes.length,
    digest: digestFrom(times).update(packed).digest('base64url'),
    ...times,
    newest_at: watermark,
    listings,
    feed_partitions: feedPartitions.length,
  };
  const isNewest = await putItem(
    { ...snapshotKey, type: 'snapshot', ...newest, ttl },
    before ? either(absent, is('generation', before.generation)) : absent,
  );
  return isNewest ? { listings, bytes: packed.length } : undefined;
};
