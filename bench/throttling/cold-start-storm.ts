import { Catalog } from '#catalog/catalog.ts';
import { makeReplica } from '#data/catalog.ts';
import { snapshotPartKey } from '#data/keys.ts';
import { partBytesOf, snapshotLoader, storeSnapshot } from '#data/snapshots.ts';
import { startRequestTime } from '#platform/time-limit.ts';
import { type Item, SimulatedTable } from './simulated-table.ts';
import type { VirtualClock } from './virtual-clock.ts';

/** The time limit of a request, and the pause of a caller that received 503, in milliseconds. */
const REQUEST_MS = 10_000;
const RETRY_AFTER_MS = 1000;
/** The time within which the first requests of all processes arrive, in milliseconds. */
const ARRIVAL_MS = 1000;
/** At most so many processes are simulated; each stands for several of a larger storm. */
const SIMULATED_MAX = 50;

// Measured by bench/catalog/growth.ts and for ADR 30, per listing.
const SNAPSHOT_BYTES = 183;
const FEED_BYTES = 1350;
const LOAD_MS = 0.0054;

interface ColdStartResult {
  /** Seconds until the first, the median and the last process serve; undefined: not within the limit. */
  readonly first: number | undefined;
  readonly half: number | undefined;
  readonly last: number | undefined;
  /** Requests that were answered with an error. */
  readonly refused: number;
  readonly readUnits: number;
}

/** Stores the snapshot of an empty catalog in as many parts as that of a directory of this size. */
const storeStandIn = async (table: SimulatedTable, listings: number): Promise<void> => {
  const at = new Date().toISOString();
  const state = { catalog: new Catalog(), completeUntil: Date.now(), watermark: at, takenAt: at };
  await table.asProcess(1, () => storeSnapshot(state));
  const manifest = table.all().find(({ type }) => type === 'snapshot') as Item;
  const whole = table.all().find(({ type }) => type === 'snapshotPart') as Item;
  const bytes = listings * SNAPSHOT_BYTES;
  const partBytes = partBytesOf(bytes);
  const parts = Math.ceil(bytes / partBytes);
  table.put({ ...manifest, parts });
  const all = whole.bytes as Uint8Array;
  const start = (part: number): number => Math.floor((part * all.length) / parts);
  for (let part = 0; part < parts; part += 1) {
    const piece = all.slice(start(part), start(part + 1));
    table.put({ ...whole, ...snapshotPartKey(String(manifest.generation), part), bytes: piece });
  }
  table.partBytes = partBytes;
  table.feed = { pages: Math.ceil((listings * FEED_BYTES) / (1024 * 1024)) };
};

/** The CPU time of loading a snapshot of this size, in milliseconds. */
export const loadMs = (listings: number): number => listings * LOAD_MS;

/** Starts processes at once and waits until all serve. */
export const runColdStarts = async (
  clock: VirtualClock,
  options: {
    readonly listings: number;
    readonly processes: number;
    readonly partitions: number;
    readonly burstSeconds: number;
    readonly limitSeconds: number;
  },
): Promise<ColdStartResult> => {
  clock.clear();
  const startedAt = clock.now;
  const table = new SimulatedTable(clock, options.burstSeconds);
  table.partitions = options.partitions;
  const prepared = storeStandIn(table, options.listings);
  await clock.run(clock.now);
  await prepared;
  table.isLimited = true;
  const simulated = Math.min(SIMULATED_MAX, options.processes);
  const each = options.processes / simulated;
  const servedAt: number[] = [];
  let refused = 0;
  const start = async (): Promise<void> => {
    const replica = makeReplica(() => Number.NEGATIVE_INFINITY, snapshotLoader());
    await new Promise((resolve) => {
      setTimeout(resolve, Math.random() * ARRIVAL_MS);
    });
    for (;;) {
      const time = startRequestTime(REQUEST_MS);
      try {
        await time.run(() => replica());
        servedAt.push((clock.now - startedAt) / 1000);
        return;
      } catch {
        refused += each;
        await new Promise((resolve) => {
          setTimeout(resolve, RETRY_AFTER_MS);
        });
      } finally {
        time.end();
      }
    }
  };
  for (let process = 0; process < simulated; process += 1) void table.asProcess(each, start);
  for (let second = 1; second <= options.limitSeconds && servedAt.length < simulated; second += 1) {
    await clock.run(startedAt + second * 1000);
  }
  servedAt.sort((one, other) => one - other);
  const at = (part: number): number | undefined => servedAt[Math.ceil(simulated * part) - 1];
  return { first: servedAt[0], half: at(0.5), last: at(1), refused, readUnits: table.readUnits };
};
