import { setImmediate as nextIteration } from 'node:timers/promises';
import { Catalog } from '#catalog/catalog.ts';
import type { ReadCatalog, TextSearch } from '#catalog/types.ts';
import { elapsed, type Moment, moment, NEVER } from '#platform/clock.ts';
import { log } from '#platform/log.ts';
import { count } from '#platform/metrics.ts';
import { singleFlight } from '#platform/single-flight.ts';
import { withTimeLimit } from '#platform/time-limit.ts';
import { fieldsWrittenAt, readFields } from './custom-fields.ts';
import { type Among, FEED_QUERY_LIMIT_MS, type FeedVersions, feedSince, lateChanges } from './feed.ts';
import { type ReplicaState, snapshotLoader } from './snapshots.ts';
import { lastWriteAt } from './write.ts';

/**
 * All requests of a process share one refresh from the feed per interval. Own writes of the process trigger another
 * one.
 */
export const REFRESH_MS = 1000;

// Writers stamp a change just before they commit it, and their clocks differ. Every refresh therefore starts before the
// watermark, periodically much earlier, to include late writes. Changes have versions: order and repetition have no effect.
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

/** A replica of the directory, and how far it has followed the feed. */
interface FollowedFeed {
  catalog: Catalog;
  /** The newest stamp read so far; undefined before the first read. */
  watermark: string | undefined;
  /** Monotonic time of the latest advance of the watermark: the writers' clocks advanced at least as much since. */
  advancedAt: number;
  /** No refresh starts before this, in milliseconds since the epoch by the writers' clocks. */
  completeUntil: number;
  /** When the latest successful refresh started. */
  refreshedAt: Moment;
  refreshedWideAt: Moment;
  /** The versions of the items that were read lately: those that the overlap of a refresh can contain. */
  versions: FeedVersions;
}

const unread = (): FollowedFeed => ({
  catalog: new Catalog(),
  watermark: undefined,
  advancedAt: Number.NEGATIVE_INFINITY,
  completeUntil: Number.NEGATIVE_INFINITY,
  refreshedAt: NEVER,
  refreshedWideAt: NEVER,
  versions: new Map(),
});

/**
 * An empty replica in place of one that may have missed tombstones, or whose watermark is after the stamps of the next changes,
 * because the clock was set back. A refresh that still runs goes on with the old one.
 */
const freshIfUnusable = (feed: FollowedFeed, startedAt: Moment): FollowedFeed => {
  const { watermark } = feed;
  if (watermark === undefined) return feed;
  const isAbsent = elapsed(feed.refreshedAt, startedAt) > ABSENCE_MAX_MS;
  if (!isAbsent && Date.parse(watermark) <= startedAt.epoch + OVERLAP_MS) return feed;
  count('CatalogReload');
  const reason = isAbsent ? 'the last refresh was too long ago' : 'the clock was set back';
  log.warn('the catalog cannot be refreshed and is reloaded', { reason });
  return unread();
};

/** Starts from a snapshot, if there is one. */
const startFrom = (feed: FollowedFeed, snapshot: ReplicaState | undefined): void => {
  if (!snapshot) return;
  feed.catalog = snapshot.catalog;
  feed.completeUntil = snapshot.completeUntil;
  feed.watermark = new Date(snapshot.completeUntil).toISOString();
  feed.advancedAt = performance.now();
};

const advance = (feed: FollowedFeed, readUntil: string): void => {
  // Capped at the local time: a stamp from a writer whose clock is ahead must not skip the writes of others.
  const reachable = readUntil < new Date().toISOString() ? readUntil : new Date().toISOString();
  if (reachable <= (feed.watermark ?? '')) return;
  feed.watermark = reachable;
  feed.advancedAt = performance.now();
};

/**
 * With more changes in the overlap than this, a refresh reads their versions first: decoding all of them again every second
 * would take longer than a request may wait.
 */
const OVERLAP_ITEMS_MAX = 100;

/** ISO 8601. Nothing before this time is in an overlap. */
const earliestInOverlap = (): string => new Date(Date.now() - LATE_WRITE_MAX_MS - WIDE_OVERLAP_MS).toISOString();

const forgetVersions = (versions: FeedVersions): void => {
  const earliest = earliestInOverlap();
  for (const change of versions.keys()) if (change < earliest) versions.delete(change);
};

const remember = (feed: FollowedFeed, versions: FeedVersions): void => {
  const earliest = earliestInOverlap();
  for (const [change, version] of versions) if (change >= earliest) feed.versions.set(change, version);
};

/** Reads the feed from the watermark less an overlap. */
const follow = async (feed: FollowedFeed, overlapMs: number, among: Among): Promise<void> => {
  const since =
    feed.watermark === undefined
      ? undefined
      : new Date(Math.max(Date.parse(feed.watermark) - overlapMs, feed.completeUntil)).toISOString();
  let from = since;
  if (since !== undefined && feed.watermark !== undefined && feed.versions.size > OVERLAP_ITEMS_MAX) {
    from = feed.watermark;
    for await (const { changes, versions } of lateChanges(since, from, feed.versions, among)) {
      feed.catalog.apply(changes);
      remember(feed, versions);
    }
  }
  for await (const { changes, versions, readUntil } of feedSince(from, among)) {
    feed.catalog.apply(changes);
    remember(feed, versions);
    advance(feed, readUntil);
  }
};

/** Reads what was written since the last refresh. */
const followRecent = async (feed: FollowedFeed, startedAt: Moment): Promise<void> => {
  await follow(feed, OVERLAP_MS, 'written');
  feed.refreshedAt = startedAt;
};

/** Reads a longer time, for writes that became visible late. Other refreshes may run meanwhile. */
const followWide = async (feed: FollowedFeed, startedAt: Moment): Promise<void> => {
  forgetVersions(feed.versions);
  await follow(feed, WIDE_OVERLAP_MS, 'all');
  feed.refreshedWideAt = startedAt;
  if (startedAt.monotonic > feed.refreshedAt.monotonic) feed.refreshedAt = startedAt;
  if (feed.watermark === undefined) return;
  // Measured by the monotonic clock alone, which never jumps. The watermark may have advanced since the start.
  const aheadMs = Math.max(0, startedAt.monotonic - feed.advancedAt) - (performance.now() - startedAt.monotonic);
  feed.completeUntil = Math.max(feed.completeUntil, Date.parse(feed.watermark) + aheadMs - LATE_WRITE_MAX_MS);
};

type Freshness = 'second' | 'now';

/** A process's replica of the directory. It follows the feed. */
interface Replica {
  (freshness?: Freshness): Promise<ReadCatalog>;
  state(): ReplicaState;
  /** Refreshes the replica if it was read since the last refresh, so that the next reader need not wait for that. */
  refreshIfRead(): Promise<void>;
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
  let feed = unread();
  let isRead = false;
  let isAhead = false;

  const isWideOlder = (thanMs: number, at: Moment): boolean => elapsed(feed.refreshedWideAt, at) > thanMs;
  const refresh = singleFlight(async (): Promise<void> => {
    const startedAt = moment();
    isRead = false;
    feed = freshIfUnusable(feed, startedAt);
    if (feed.watermark === undefined) startFrom(feed, await loadState());
    // Where wide refreshes are made ahead, readers wait for one only if those come late.
    const isWide = isWideOlder(isAhead ? 2 * WIDE_EVERY_MS : WIDE_EVERY_MS, startedAt);
    const [fields] = await Promise.all([readFields(), (isWide ? followWide : followRecent)(feed, startedAt)]);
    feed.catalog.useFields(fields);
  });
  const refreshWide = singleFlight(() => followWide(feed, moment()));

  const isStale = (freshness: Freshness, requestedAt: Moment): boolean => {
    const refreshedAt = feed.refreshedAt.monotonic;
    // A refresh that started after the request is always fresh enough, so continuous writes cannot delay it forever.
    if (refreshedAt >= requestedAt.monotonic) return false;
    return freshness === 'now' || wroteAt() > refreshedAt || elapsed(feed.refreshedAt, requestedAt) > REFRESH_MS;
  };

  const read = async (freshness: Freshness = 'second'): Promise<ReadCatalog> => {
    const requestedAt = moment();
    isRead = true;
    if (!isStale(freshness, requestedAt)) return feed.catalog;
    const mayBeStale = (): boolean => freshness !== 'now' && elapsed(feed.refreshedAt, requestedAt) <= GRACE_MS;
    const update = async (): Promise<void> => {
      while (isStale(freshness, requestedAt)) await refresh();
    };
    try {
      // A refresh may consist of many queries: a request that can be served from memory does not wait for all of them.
      await (mayBeStale() ? withTimeLimit(FEED_QUERY_LIMIT_MS, update) : update());
    } catch (error) {
      if (!mayBeStale()) throw error;
      count('CatalogStale');
      log.warn('the feed cannot be read; lists are served from memory', { error });
    }
    return feed.catalog;
  };

  const state = (): ReplicaState => ({
    catalog: feed.catalog,
    completeUntil: feed.completeUntil,
    watermark: feed.watermark,
    takenAt: Number.isFinite(feed.refreshedAt.epoch) ? new Date(feed.refreshedAt.epoch).toISOString() : '',
  });
  const refreshIfRead = async (): Promise<void> => {
    isAhead = true;
    if (!isRead) return;
    await refresh();
    if (isWideOlder(WIDE_EVERY_MS, moment())) await refreshWide();
  };
  return Object.assign(read, { state, refreshIfRead });
};

/**
 * The catalog of this process.
 * @param freshness `second`: at most a second old, up to `GRACE_MS` older while the table is unreachable. `now`:
 * includes all writes committed before this call.
 */
export const catalog = makeReplica(() => Math.max(lastWriteAt(), fieldsWrittenAt()));

/** Does what a query needs, in steps of some milliseconds between which other requests are served. */
export const prepareInSteps = async (directory: ReadCatalog, search: TextSearch): Promise<void> => {
  while (!directory.prepareSearch(search)) await nextIteration();
};

/** The catalog, ready for `similar`. */
export const catalogToCompare = async (freshness: 'second' | 'now' = 'second'): Promise<ReadCatalog> => {
  const directory = await catalog(freshness);
  while (!directory.prepareSimilar()) await nextIteration();
  return directory;
};

/** The catalog whose words are being indexed. */
let indexing: ReadCatalog | undefined;

/**
 * Indexes the words of a catalog beside the requests, so that the first searches by words need not wait for it. Each time for as long
 * as the requests took: many searches at once, which compare all texts meanwhile, would otherwise leave it hardly any time.
 */
export const indexInSteps = async (directory: ReadCatalog, longDescriptions: boolean): Promise<void> => {
  if (indexing === directory) return;
  indexing = directory;
  for (let isComplete = false; !isComplete; ) {
    const from = performance.now();
    await nextIteration();
    if (indexing !== directory) return;
    const until = 2 * performance.now() - from;
    do isComplete = directory.indexWords(longDescriptions);
    while (!isComplete && performance.now() < until);
  }
  indexing = undefined;
};

interface PreparedSearch extends Omit<TextSearch, 'fields'> {
  /** Of the fields that the query names; unknown ones are passed over. */
  readonly fieldKeys?: readonly string[];
}

/** The catalog, at most a second old, ready for a text search and for filters, orders and facets of fields. */
export const catalogToSearch = async ({ fieldKeys = [], ...search }: PreparedSearch): Promise<ReadCatalog> => {
  const directory = await catalog();
  const fields = fieldKeys.flatMap((key) => {
    const field = directory.fields.get(key);
    return field && (field.filterable || field.sortable) ? field : [];
  });
  await prepareInSteps(directory, { ...search, fields });
  if (search.needsWords) void indexInSteps(directory, search.longDescriptions === true);
  return directory;
};
