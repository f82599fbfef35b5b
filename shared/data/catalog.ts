import { Catalog } from '#catalog/catalog.ts';
import type { ReadCatalog } from '#catalog/types.ts';
import { elapsed, type Moment, moment, NEVER } from '#platform/clock.ts';
import { log } from '#platform/log.ts';
import { count } from '#platform/metrics.ts';
import { feedSince } from './feed.ts';
import { type LoadedSnapshot, loadSnapshot } from './snapshots.ts';
import { lastWriteAt } from './write-marks.ts';

/**
 * This process's replica of the directory. It follows the feed: at most one look a second, shared by all requests, and
 * one more at once when this very process has changed something, so that it sees its own writes.
 */

const REFRESH_MS = 1000;

// Writers stamp a change just before it is committed, and their clocks differ. Each look starts a little before the
// newest change that was seen, and now and then much before it, so what comes late is still found. What is found again
// changes nothing.
const OVERLAP_MS = 2000;
const WIDE_OVERLAP_MS = 30_000;
const WIDE_EVERY_MS = 5000;

// While nothing is written, what was written last would be found again by every look, and after an import that is much.
// What a look has not found this long after its stamp will not come any more.
const SETTLED_MS = 60_000;

// Tombstones stay in the feed for a day; who has not looked for so long may have missed one and starts anew.
const ABSENCE_MAX_MS = 12 * 3600 * 1000;

// While the table cannot be reached, lists are answered from memory for this long: a hiccup must not take them away.
const GRACE_MS = 30_000;

/** The directory as it is in the memory of a process. */
interface Replica {
  (freshness?: 'second' | 'now'): Promise<ReadCatalog>;
  /** What is in the memory now, and up to when nothing that was stamped is missing. */
  state(): LoadedSnapshot;
}

/**
 * A replica that knows nothing yet; a process has one.
 * @param wroteAt when this process last changed what the catalog follows, in milliseconds of the monotonic clock.
 * @param begin what it may begin with instead of reading the feed from its beginning.
 */
export const makeReplica = (
  wroteAt: () => number,
  begin: () => Promise<LoadedSnapshot | undefined> = loadSnapshot,
): Replica => {
  let replica = new Catalog();
  let watermark: string | undefined;
  /** When the watermark was first seen: since then at least as much time has passed for whoever wrote it. */
  let markedAt = Number.NEGATIVE_INFINITY;
  /** No look needs to go back behind this, in milliseconds since the epoch by the clocks of writers. */
  let settled = Number.NEGATIVE_INFINITY;
  /** When the last look began. */
  let lookedAt = NEVER;
  let lookedWideAt = NEVER;
  let looking: Promise<void> | undefined;

  const look = async (): Promise<void> => {
    const beganAt = moment();
    if (watermark !== undefined && elapsed(lookedAt, beganAt) > ABSENCE_MAX_MS) {
      count('CatalogReload');
      log.warn('the catalog is too old to be followed and is loaded anew');
      replica = new Catalog();
      watermark = undefined;
      settled = Number.NEGATIVE_INFINITY;
    }
    if (watermark === undefined) {
      const known = await begin();
      if (known) {
        replica = known.catalog;
        settled = known.settled;
        watermark = new Date(settled).toISOString();
        markedAt = performance.now();
      }
    }
    const isWide = elapsed(lookedWideAt, beganAt) > WIDE_EVERY_MS;
    const overlapMs = isWide ? WIDE_OVERLAP_MS : OVERLAP_MS;
    const since =
      watermark === undefined
        ? undefined
        : new Date(Math.max(Date.parse(watermark) - overlapMs, settled)).toISOString();
    for await (const page of feedSince(since)) {
      replica.apply(page.changes);
      // A writer whose clock runs ahead must not make us pass over what others write until then.
      const reachable = page.changedAt < new Date().toISOString() ? page.changedAt : new Date().toISOString();
      if (reachable > (watermark ?? '')) {
        watermark = reachable;
        markedAt = performance.now();
      }
    }
    lookedAt = beganAt;
    if (!isWide) return;
    lookedWideAt = beganAt;
    // By the monotonic clock alone: what was written may linger for as long as time has really passed, and that one never leaps.
    if (watermark !== undefined)
      settled = Date.parse(watermark) + Math.max(0, beganAt.monotonic - markedAt) - SETTLED_MS;
  };

  const sharedLook = (): Promise<void> => {
    looking ??= look().finally(() => {
      looking = undefined;
    });
    return looking;
  };

  const isStale = (freshness: 'second' | 'now', askedAt: Moment): boolean =>
    // A look that began after the question is new enough, however much is written meanwhile.
    lookedAt.monotonic < askedAt.monotonic &&
    (freshness === 'now' || wroteAt() > lookedAt.monotonic || elapsed(lookedAt, askedAt) > REFRESH_MS);

  const read = async (freshness: 'second' | 'now' = 'second'): Promise<ReadCatalog> => {
    const askedAt = moment();
    try {
      while (isStale(freshness, askedAt)) await sharedLook();
    } catch (error) {
      if (freshness === 'now' || elapsed(lookedAt, askedAt) > GRACE_MS) throw error;
      count('CatalogStale');
      log.warn('the feed cannot be read; lists are answered from what is known', { error: error as Error });
    }
    return replica;
  };
  const state = (): LoadedSnapshot => ({
    catalog: replica,
    settled,
    newest: watermark,
    takenAt: Number.isFinite(lookedAt.epoch) ? new Date(lookedAt.epoch).toISOString() : '',
  });
  return Object.assign(read, { state });
};

/**
 * The directory as it is in the memory of this process.
 * @param freshness `second`: at most a second old, a little older while the table cannot be reached. `now`: not older than this call.
 */
export const catalog = makeReplica(lastWriteAt);
