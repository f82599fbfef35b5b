import { afterAll, onTestFinished, vi } from 'vitest';

/**
 * Replaces `Date` and `performance.now` in this process. The time advances only by calls of `advance` and `freeze`, and by
 * 1 ns per read of the monotonic clock. Timers keep running in real time.
 */
export class VirtualTime {
  /** Milliseconds since the epoch. */
  #at: number;
  #skewMs = 0;
  #frozenMs = 0;
  #ticks = 0;
  readonly #real = globalThis.Date;

  /** Replaces the clocks of this process until `restore`. */
  constructor(startsAt: string) {
    this.#at = Date.parse(startsAt);
    const skewedNow = () => this.#at + this.#skewMs;
    const startedAt = this.#at;
    const RealDate = this.#real;
    globalThis.Date = class extends RealDate {
      constructor(...given: readonly unknown[]) {
        super(...((given.length === 0 ? [skewedNow()] : given) as [number]));
      }
      static override now(): number {
        return skewedNow();
      }
    } as DateConstructor;
    performance.now = () => {
      // Successive reads differ, so that their order is preserved.
      this.#ticks += 1;
      return this.#at - startedAt - this.#frozenMs + this.#ticks / 1e6;
    };
  }

  /** Milliseconds since the epoch, without skew. */
  get now(): number {
    return this.#at;
  }

  /** Advances both clocks, in milliseconds. */
  advance(ms: number): void {
    this.#at += ms;
  }

  /** Advances the wall clock only, as when a Lambda environment is frozen, in milliseconds. */
  freeze(ms: number): void {
    this.#at += ms;
    this.#frozenMs += ms;
  }

  /** Runs work with a wall clock that is ahead by `ms`, or behind if negative. Calls must not overlap. */
  async skewed<T>(ms: number, work: () => Promise<T>): Promise<T> {
    this.#skewMs = ms;
    try {
      return await work();
    } finally {
      this.#skewMs = 0;
    }
  }

  /** Restores the real clocks. */
  restore(): void {
    globalThis.Date = this.#real;
    // Uncovers the method of the prototype.
    Reflect.deleteProperty(performance, 'now');
  }
}

/** Sets the wall clock of this process ahead by `ms`; it keeps running. @returns what sets it back. */
const shiftClock = (ms: number): (() => void) => {
  const RealDate = globalThis.Date;
  globalThis.Date = class extends RealDate {
    constructor(...given: readonly unknown[]) {
      super(...((given.length === 0 ? [RealDate.now() + ms] : given) as [number]));
    }
    static override now(): number {
      return RealDate.now() + ms;
    }
  } as DateConstructor;
  return () => {
    globalThis.Date = RealDate;
  };
};

/** How far the clock of a machine is ahead whose date is wrong, in milliseconds. */
export const YEARS_AHEAD_MS = 4 * 365 * 86_400_000;

/** Runs work while the wall clock of this process is ahead by `ms`, and keeps running. Calls must not overlap. */
export const withClockAhead = async <T>(ms: number, work: () => Promise<T>): Promise<T> => {
  const reset = shiftClock(ms);
  try {
    return await work();
  } finally {
    reset();
  }
};

/** The time until the beginning of an hour of the current day, in UTC; negative after it. */
const untilHour = (hour: number): number => {
  const begin = new Date();
  return begin.setUTCHours(hour, 0, 0, 0) - Date.now();
};

/** Runs work at the beginning of an hour of the current day, in UTC. Calls must not overlap. */
export const atHour = <T>(hour: number, work: () => Promise<T>): Promise<T> => withClockAhead(untilHour(hour), work);

/** Begins the tests of this file at an hour of the current day, in UTC, so that they cross no end of one. */
export const beginAtHour = (hour: number): void => {
  afterAll(shiftClock(untilHour(hour)));
};

/** Until the end of the test, all clocks and timers of this process, also `timers/promises`, advance only by `vi.advanceTimers…`. */
export const stopClocks = (): void => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'], fakeNodeBuiltins: true });
  onTestFinished(() => void vi.useRealTimers());
};
