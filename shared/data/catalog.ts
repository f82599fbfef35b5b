import { setImmediate as nextIteration } from 'node:timers/promises';
import { Catalog } from '#catalog/catalog.ts';
import type { ReadCatalog, TextSearch } from '#catalog/types.ts';
import { elapsed, type Moment, moment, NEVER } from '#platform/clock.ts';
import { log } from '#platform/log.ts';
import { count } from '#platform/metrics.ts';
import { withTimeLimit } from '#platform/time-limit.ts';
import { FEED_QUERY_LIMIT_MS, feedSince } from './feed.ts';
import { type ReplicaState, snapshotLoader } from './snapshots.ts';
import { lastWriteAt } from './write.ts';

/**
 * All requests of a process share one refresh from the feed per interval. Own writes of the process trigger another
 * one.
 */
export const REFRESH_MS = 1000;

// Writers stamp a change just before they commit it, and their clocks differ. Every refresh therefore starts before the
// watermark, periodically much earlier, to include late writes. Applying a change repeatedly has no effect.
export const OVERLAP_MS = 2000;
export const WIDE_OVERLAP_MS = 30_000;
export const WIDE_EVERY_MS = 5000;

/**
 * Writes become visible within this time after their stamp. Bounds what the overlap reads again while nothing is
 * written.
 */
const LATE_WRITE_MAX_MS = 60_000;

/** Tombstones expire from the feed after a day; a replica without a refresh for this long may have missed one. */
const ABSENCE_MAX_MS = 12 * 3600 * 1000;

/** How long lists are served from memory while the feed is unreachable, throttled or slow. */
const GRACE_MS = 30_000;

/** A process's replica of the directory. It follows the feed. */
interface Replica {
  (freshness?: 'second' | 'now'): Promise<ReadCatalog>;
  state(): ReplicaState;
}

/**
 * Creates an empty replica.
 * @param wroteAt the time of this process's latest write to the feed, in milliseconds of the monotonic clock.
 * @param loadState the initial state; undefined: the feed is read from its beginning.
 */
export const makeReplica = (
  wroteAt: () => number,
  loadState: () => Promise<ReplicaState | undefined> = snapshotLoader(),
): Replica => {
  let replica = new Catalog();
  /** The newest stamp read so far. */
  let watermark: string | undefined;
  /** Monotonic time of the latest advance of the watermark: the writers' clocks advanced at least as much since. */
  let advancedAt = Number.NEGATIVE_INFINITY;
  /** No refresh starts before this, in milliseconds since the epoch by the writers' clocks. */
  let completeUntil = Number.NEGATIVE_INFINITY;
  /** When the latest successful refresh started. */
  let refreshedAt = NEVER;
  let refreshedWideAt = NEVER;
  let refreshing: Promise<void> | undefined;

  /** Starts from the initial state, if there is one. */
  const load = async (): Promise<void> => {
    const initial = await loadState();
    if (!initial) return;
    replica = initial.catalog;
    completeUntil = initial.completeUntil;
    watermark = new Date(completeUntil).toISOString();
    advancedAt = performance.now();
  };

  const refresh = async (): Promise<void> => {
    const startedAt = moment();
    if (watermark !== undefined && elapsed(refreshedAt, startedAt) > ABSENCE_MAX_MS) {
      count('CatalogReload');
      log.warn('the catalog is too old to be refreshed and is reloaded');
      replica = new Catalog();
      watermark = undefined;
      completeUntil = Number.NEGATIVE_INFINITY;
    }
    if (watermark === undefined) await load();
    const isWide = elapsed(refreshedWideAt, startedAt) > WIDE_EVERY_MS;
    const overlapMs = isWide ? WIDE_OVERLAP_MS : OVERLAP_MS;
    const since =
      watermark === undefined
        ? undefined
        : new Date(Math.max(Date.parse(watermark) - overlapMs, completeUntil)).toISOString();
    for await (const { changes, readUntil } of feedSince(since, isWide ? 'all' : 'written')) {
      replica.apply(changes);
      // Capped at the local time: a stamp from a writer whose clock is ahead must not skip the writes of others.
      const reachable = readUntil < new Date().toISOString() ? readUntil : new Date().toISOString();
      if (reachable > (watermark ?? '')) {
        watermark = reachable;
        advancedAt = performance.now();
      }
    }
    refreshedAt = startedAt;
    if (!isWide) return;
    refreshedWideAt = startedAt;
    // Measured by the monotonic clock alone, which never jumps.
    if (watermark !== undefined)
      completeUntil = Date.parse(watermark) + Math.max(0, startedAt.monotonic - advancedAt) - LATE_WRITE_MAX_MS;
  };

  const sharedRefresh = (): Promise<void> => {
    refreshing ??= refresh().finally(() => {
      refreshing = undefined;
    });
    return refreshing;
  };

  const isStale = (freshness: 'second' | 'now', requestedAt: Moment): boolean =>
    // A refresh that started after the request is always fresh enough, so continuous writes cannot delay it forever.
    refreshedAt.monotonic < requestedAt.monotonic &&
    (freshness === 'now' || wroteAt() > refreshedAt.monotonic || elapsed(refreshedAt, requestedAt) > REFRESH_MS);

  const read = async (freshness: 'second' | 'now' = 'second'): Promise<ReadCatalog> => {
    const requestedAt = moment();
    if (!isStale(freshness, requestedAt)) return replica;
    const mayBeStale = (): boolean => freshness !== 'now' && elapsed(refreshedAt, requestedAt) <= GRACE_MS;
    const update = async (): Promise<void> => {
      while (isStale(freshness, requestedAt)) await sharedRefresh();
    };
    try {
      // A refresh may consist of many queries: a request that can be served from memory does not wait for all of them.
      await (mayBeStale() ? withTimeLimit(FEED_QUERY_LIMIT_MS, update) : update());
    } catch (error) {
      if (!mayBeStale()) throw error;
      count('CatalogStale');
      log.warn('the feed cannot be read; lists are served from memory', { error });
    }
    return replica;
  };
  const state = (): ReplicaState => ({
    catalog: replica,
    completeUntil,
    watermark,
    takenAt: Number.isFinite(refreshedAt.epoch) ? new Date(refreshedAt.epoch).toISOString() : '',
  });
  return Object.assign(read, { state });
};

/**
 * The catalog of this process.
 * @param freshness `second`: at most a second old, up to `GRACE_MS` older while the table is unreachable. `now`:
 * includes all writes committed before this call.
 */
export const catalog = makeReplica(lastWriteAt);

/** Folds the texts that a search needs, in steps of some milliseconds between which other requests are served. */
export const prepareInSteps = async (directory: ReadCatalog, search: TextSearch): Promise<void> => {
  while (!directory.prepareSearch(search)) await nextIteration();
};

/** The catalog, ready for `similar`. */
export const catalogToCompare = async (freshness: 'second' | 'now' = 'second'): Promise<ReadCatalog> => {
  const directory = await catalog(freshness);
  while (!directory.prepareSimilar()) await nextIteration();
  return directory;
};

/** The catalog, at most a second old, ready for a text search. */
export const catalogToSearch = async (search: TextSearch): Promise<ReadCatalog> => {
  const directory = await catalog();
  await prepareInSteps(directory, search);
  return directory;
};
