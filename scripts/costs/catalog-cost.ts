import { OVERLAP_MS, REFRESH_MS, WIDE_EVERY_MS, WIDE_OVERLAP_MS } from '#data/catalog.ts';
import { feedPartitions } from '#data/keys.ts';
import type { Config } from '#lib/config/schema.ts';
import { TIMEOUT_SECONDS } from '#lib/constructs/base-function.ts';
import { price } from './prices.ts';

/** The cost of the catalog in each process: following the feed, and loading when the process is new. */

/** Measured by `bench/catalog/growth.ts`, in bytes: an entry that a refresh reads, and per listing the feed and a snapshot. */
export const MEASURED = { entryBytes: 814, feedBytes: 1382, snapshotBytes: 183 } as const;

/** Conservative assumptions: the start of a process without its catalog, and loading 1,000 listings, in milliseconds. */
export const ASSUMED_START = { startMs: 500, loadMs: 5.4 } as const;

/** Read units a second: of one partition, and of a table on demand that has never had more traffic. */
export const PARTITION_UNITS = 3000;
export const TABLE_UNITS = 12_000;

const PAGE_BYTES = 4096;

/** An eventually consistent query costs half a unit per 4 KB, and half a unit when it finds nothing. */
const queryUnits = (bytes: number): number => 0.5 * Math.max(1, Math.ceil(bytes / PAGE_BYTES));

interface FeedLoad {
  /** Read units a second of a process that receives requests all the time. */
  readonly units: number;
  /** The part of them in the busiest partition. */
  readonly inOnePartition: number;
}

/**
 * What following the feed consumes. A refresh reads what changed since the one before, and an overlap, in the partitions that
 * the stage writes to; the one with the long overlap reads all partitions.
 */
export const feedLoad = (changesPerSecond: number, { feedShards }: Pick<Config, 'feedShards'>): FeedLoad => {
  const bytesOf = (overlapMs: number): number =>
    (changesPerSecond / feedShards) * ((overlapMs + REFRESH_MS) / 1000) * MEASURED.entryBytes;
  const wideShare = REFRESH_MS / WIDE_EVERY_MS;
  const perRefresh =
    (1 - wideShare) * queryUnits(bytesOf(OVERLAP_MS)) + wideShare * queryUnits(bytesOf(WIDE_OVERLAP_MS));
  const unused = wideShare * (feedPartitions.length - feedShards) * queryUnits(0);
  const perSecond = 1000 / REFRESH_MS;
  return {
    units: (feedShards * perRefresh + unused) * perSecond,
    inOnePartition: perRefresh * perSecond,
  };
};

/**
 * Read units that a request for a list consumes in a stage beyond what was measured, where the feed has one partition: each
 * such request of a process without much traffic refreshes the catalog.
 */
export const furtherFeedUnits = ({ feedShards }: Pick<Config, 'feedShards'>): number =>
  ((feedLoad(0, { feedShards }).units - feedLoad(0, { feedShards: 1 }).units) * REFRESH_MS) / 1000;

interface ColdStartStorm {
  /** Read units of all processes, and the seconds that they take at the limit of the table or of the partition. */
  readonly units: number;
  readonly seconds: number;
  readonly dollars: number;
}

/** What it costs that `processes` start at once, as after a deployment. */
export const coldStartStormOf = (
  processes: number,
  listings: number,
  from: 'snapshot' | 'feed',
  { feedShards, memoryMb }: Pick<Config, 'feedShards' | 'memoryMb'>,
): ColdStartStorm => {
  const bytes = listings * (from === 'snapshot' ? MEASURED.snapshotBytes : MEASURED.feedBytes);
  const units = processes * queryUnits(bytes);
  const limit = from === 'snapshot' ? TABLE_UNITS : Math.min(TABLE_UNITS, PARTITION_UNITS * feedShards);
  const seconds = units / limit;
  const workSeconds = (ASSUMED_START.startMs + (listings / 1000) * ASSUMED_START.loadMs) / 1000;
  const runSeconds = processes * (workSeconds + Math.min(seconds, TIMEOUT_SECONDS.request));
  return {
    units,
    seconds,
    dollars:
      (units / 1_000_000) * price('dynamodbReadPerMillion') +
      runSeconds * (memoryMb.catalog / 1024) * price('lambdaPerGbSecond'),
  };
};
