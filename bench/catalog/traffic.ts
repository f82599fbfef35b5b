interface Traffic {
  readonly requestsPerMonth: number;
  /** The duration of a warm request. */
  readonly serviceMs: number;
  /** The additional duration of the first request of a process. */
  readonly coldMs: number;
  /** Writes to the feed. */
  readonly writesPerSecond: number;
}

/** Totals of a month. */
export interface Month {
  readonly coldStarts: number;
  /** Refreshes from the feed, of all processes. */
  readonly refreshes: number;
  /** Feed items read by the refreshes. */
  readonly itemsRead: number;
  /** The maximum number of concurrent processes. */
  readonly processes: number;
  /** Requests rejected at the concurrency limit. */
  readonly refused: number;
  /** Seconds of request processing, cold starts included. */
  readonly workSeconds: number;
}

const DAY_SECONDS = 86_400;
const DAYS = 30;
/** Relative deviation of the busiest and the quietest hour from the mean. */
const SWING = 0.8;
/** Commonly observed limits of Lambda, without guarantee: idle time and lifetime of a process. */
const IDLE_SECONDS = 420;
const LIFE_SECONDS = 7200;
/** The default concurrency limit of an account. */
const PROCESSES_MAX = 1000;

/** See shared/data/catalog.ts. */
const REFRESH_SECONDS = 1;
const OVERLAP_SECONDS = 2;
const WIDE_OVERLAP_SECONDS = 30;
const WIDE_EVERY_SECONDS = 5;

interface Process {
  freeAt: number;
  usedAt: number;
  startedAt: number;
  refreshedAt: number;
  refreshedWideAt: number;
}

const random = (seed: number): (() => number) => {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
};

/** The number of items that a refresh reads: those written in its window and the newest earlier one. */
const itemsOf = (process: Process, at: number, writesPerSecond: number): number => {
  const isWide = at - process.refreshedWideAt > WIDE_EVERY_SECONDS;
  const overlap = isWide ? WIDE_OVERLAP_SECONDS : OVERLAP_SECONDS;
  if (isWide) process.refreshedWideAt = at;
  return 1 + writesPerSecond * (at - process.refreshedAt + overlap);
};

/** Simulates one day request by request and multiplies it by thirty. Deterministic for a seed. */
export const simulate = (traffic: Traffic, seed = 1): Month => {
  const next = random(seed);
  const perSecond = traffic.requestsPerMonth / DAYS / DAY_SECONDS;
  const peak = perSecond * (1 + SWING);
  const service = traffic.serviceMs / 1000;
  const processes: Process[] = [];
  const day = { coldStarts: 0, refreshes: 0, itemsRead: 0, refused: 0, workSeconds: 0 };

  const serve = (at: number): void => {
    let isCold = false;
    // The first free one, so that the last ones become idle and end, as Lambda prefers recently used ones.
    let process = processes.find(({ freeAt }) => freeAt <= at);
    if (!process) {
      if (processes.length >= PROCESSES_MAX) {
        day.refused += 1;
        return;
      }
      process = { freeAt: 0, usedAt: at, startedAt: at, refreshedAt: at, refreshedWideAt: at };
      processes.push(process);
      isCold = true;
    } else if (at - process.usedAt > IDLE_SECONDS || at - process.startedAt > LIFE_SECONDS) {
      isCold = true;
    }
    if (isCold) {
      day.coldStarts += 1;
      Object.assign(process, { startedAt: at, refreshedAt: at, refreshedWideAt: at });
    } else if (at - process.refreshedAt > REFRESH_SECONDS) {
      day.refreshes += 1;
      day.itemsRead += itemsOf(process, at, traffic.writesPerSecond);
      process.refreshedAt = at;
    }
    const took = service + (isCold ? traffic.coldMs / 1000 : 0);
    day.workSeconds += took;
    process.freeAt = at + took;
    process.usedAt = at + took;
  };

  let at = 0;
  while (perSecond > 0) {
    at += -Math.log(1 - next()) / peak;
    if (at >= DAY_SECONDS) break;
    const rate = 1 - SWING * Math.cos((2 * Math.PI * at) / DAY_SECONDS);
    if (next() * (1 + SWING) < rate) serve(at);
  }
  return {
    coldStarts: day.coldStarts * DAYS,
    refreshes: day.refreshes * DAYS,
    itemsRead: day.itemsRead * DAYS,
    refused: day.refused * DAYS,
    workSeconds: day.workSeconds * DAYS,
    processes: processes.length,
  };
};
