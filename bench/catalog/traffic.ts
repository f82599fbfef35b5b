/** Requests as they come in the course of a day, and the processes that Lambda keeps for them. */

export interface Traffic {
  readonly requestsPerMonth: number;
  /** How long a warm process works on a request. */
  readonly serviceMs: number;
  /** How much longer the first request of a process takes. */
  readonly coldMs: number;
  /** How many writes a second the feed sees. */
  readonly writesPerSecond: number;
}

/** What a month of it comes to. */
export interface Month {
  readonly coldStarts: number;
  /** How often a process asked the feed what is new. */
  readonly looks: number;
  /** Items of the feed that those looks read. */
  readonly itemsRead: number;
  /** How many processes there were at the busiest time. */
  readonly processes: number;
  /** Requests that found all processes busy that there may be. */
  readonly refused: number;
  /** Seconds that processes worked on requests, cold starts included. */
  readonly workSeconds: number;
}

const DAY_SECONDS = 86_400;
const DAYS = 30;
/** How far the busiest hour of a day lies above its mean, and the quietest below. */
const SWING = 0.8;
/** What Lambda gives no promise about, and what is commonly seen: how long an idle process is kept, and how long any. */
const IDLE_SECONDS = 420;
const LIFE_SECONDS = 7200;
/** The default of an account. */
const PROCESSES_MAX = 1000;

/** See shared/data/catalog.ts. */
const REFRESH_SECONDS = 1;
const OVERLAP_SECONDS = 2;
const WIDE_OVERLAP_SECONDS = 30;
const WIDE_EVERY_SECONDS = 5;

interface Process {
  freeAt: number;
  usedAt: number;
  bornAt: number;
  lookedAt: number;
  lookedWideAt: number;
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

/** How many items a look reads: what was written in its window, and the newest one of before, which is in every window. */
const itemsOf = (process: Process, at: number, writesPerSecond: number): number => {
  const isWide = at - process.lookedWideAt > WIDE_EVERY_SECONDS;
  const overlap = isWide ? WIDE_OVERLAP_SECONDS : OVERLAP_SECONDS;
  if (isWide) process.lookedWideAt = at;
  return 1 + writesPerSecond * (at - process.lookedAt + overlap);
};

/** Lets a day go by, request for request, and takes it thirty times. The same numbers come out for the same seed. */
export const simulate = (traffic: Traffic, seed = 1): Month => {
  const next = random(seed);
  const perSecond = traffic.requestsPerMonth / DAYS / DAY_SECONDS;
  const busiest = perSecond * (1 + SWING);
  const service = traffic.serviceMs / 1000;
  const processes: Process[] = [];
  const day = { coldStarts: 0, looks: 0, itemsRead: 0, refused: 0, workSeconds: 0 };

  const serve = (at: number): void => {
    let isCold = false;
    // The one at the front is taken first, as Lambda prefers the one that was used last: those behind fall idle and end.
    let process = processes.find(({ freeAt }) => freeAt <= at);
    if (!process) {
      if (processes.length >= PROCESSES_MAX) {
        day.refused += 1;
        return;
      }
      process = { freeAt: 0, usedAt: at, bornAt: at, lookedAt: at, lookedWideAt: at };
      processes.push(process);
      isCold = true;
    } else if (at - process.usedAt > IDLE_SECONDS || at - process.bornAt > LIFE_SECONDS) {
      isCold = true;
    }
    if (isCold) {
      day.coldStarts += 1;
      Object.assign(process, { bornAt: at, lookedAt: at, lookedWideAt: at });
    } else if (at - process.lookedAt > REFRESH_SECONDS) {
      day.looks += 1;
      day.itemsRead += itemsOf(process, at, traffic.writesPerSecond);
      process.lookedAt = at;
    }
    const took = service + (isCold ? traffic.coldMs / 1000 : 0);
    day.workSeconds += took;
    process.freeAt = at + took;
    process.usedAt = at + took;
  };

  let at = 0;
  while (perSecond > 0) {
    at += -Math.log(1 - next()) / busiest;
    if (at >= DAY_SECONDS) break;
    const rate = 1 - SWING * Math.cos((2 * Math.PI * at) / DAY_SECONDS);
    if (next() * (1 + SWING) < rate) serve(at);
  }
  return {
    coldStarts: day.coldStarts * DAYS,
    looks: day.looks * DAYS,
    itemsRead: day.itemsRead * DAYS,
    refused: day.refused * DAYS,
    workSeconds: day.workSeconds * DAYS,
    processes: processes.length,
  };
};
