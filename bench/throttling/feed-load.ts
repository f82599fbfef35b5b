import { makeReplica } from '#data/catalog.ts';
import { changeCounts } from '#data/counts.ts';
import { transact } from '#data/write.ts';
import { environment } from '#platform/environment.ts';
import { SimulatedTable } from './simulated-table.ts';
import type { VirtualClock } from './virtual-clock.ts';

/** At most so many processes are simulated; each stands for several. */
const SIMULATED_MAX = 10;
const SECONDS = 40;
/** Left out, because the first refreshes of all processes coincide. */
const WARM_UP_SECONDS = 5;

interface FeedLoad {
  /** Read units that a busy process consumes in a second. */
  readonly unitsPerProcess: number;
  /** Write units in the index per vote, and in a second. */
  readonly unitsPerVote: number;
  readonly writeUnitsPerSecond: number;
  /** The shares of requests that are throttled. */
  readonly throttledReads: number;
  readonly throttledWrites: number;
}

const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });

/** Lets processes serve lists without a pause while listings receive votes. */
export const runFeedLoad = async (
  clock: VirtualClock,
  options: {
    readonly votesPerSecond: number;
    /** Among how many listings the votes are distributed. */
    readonly listings: number;
    readonly processes: number;
    readonly shards: number;
    /** As in {@link SimulatedTable}. */
    readonly hasCountersInIndex?: boolean;
  },
): Promise<FeedLoad> => {
  clock.clear();
  // The settings of a process are read once.
  Object.assign(environment(), { feedShards: options.shards });
  const table = new SimulatedTable(clock, 1);
  table.hasCountersInIndex = options.hasCountersInIndex ?? true;
  table.isLimited = true;
  const startedAt = clock.now;
  const hasTime = (): boolean => clock.now - startedAt < SECONDS * 1000;
  const vote = async (): Promise<void> => {
    const id = `prj_${String(Math.floor(Math.random() * options.listings)).padStart(26, '0')}`;
    await transact([changeCounts(id, { upvote_count: 1 })]).catch(() => undefined);
  };
  const voteAll = async (): Promise<void> => {
    const slotMs = 10;
    for (let sent = 0, slot = 1; hasTime(); slot += 1) {
      for (; sent < (slot * slotMs * options.votesPerSecond) / 1000; sent += 1) void vote();
      await pause(slotMs);
    }
  };
  const serve = async (): Promise<void> => {
    const replica = makeReplica(
      () => Number.NEGATIVE_INFINITY,
      async () => undefined,
    );
    await pause(Math.random() * 1000);
    while (hasTime()) {
      await replica().catch(() => undefined);
      await pause(50);
    }
  };
  const simulated = Math.min(SIMULATED_MAX, options.processes);
  void table.asProcess(1, voteAll);
  for (let process = 0; process < simulated; process += 1) void table.asProcess(options.processes / simulated, serve);
  await clock.run(startedAt + WARM_UP_SECONDS * 1000);
  const { readUnits, writeUnits, reads, writes, throttledReads, throttledWrites } = table;
  await clock.run(startedAt + SECONDS * 1000);
  const seconds = SECONDS - WARM_UP_SECONDS;
  const share = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole);
  return {
    unitsPerProcess: (table.readUnits - readUnits) / seconds / options.processes,
    unitsPerVote: share(
      table.writeUnits - writeUnits,
      table.writes - writes - (table.throttledWrites - throttledWrites),
    ),
    writeUnitsPerSecond: (table.writeUnits - writeUnits) / seconds,
    throttledReads: share(table.throttledReads - throttledReads, table.reads - reads),
    throttledWrites: share(table.throttledWrites - throttledWrites, table.writes - writes),
  };
};
