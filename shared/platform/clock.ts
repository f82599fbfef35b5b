/** The time as the contract writes it: ISO 8601 in UTC with milliseconds. */
export const now = (): string => new Date().toISOString();

/** A time to come as DynamoDB's time to live takes it: whole seconds since the epoch. */
export const secondsFromNow = (seconds: number): number => Math.floor(Date.now() / 1000) + seconds;

/** A moment by both clocks of this process, in milliseconds: one that only goes forward, and the time since the epoch. */
export interface Moment {
  readonly monotonic: number;
  readonly epoch: number;
}

/** Before everything. */
export const NEVER: Moment = { monotonic: Number.NEGATIVE_INFINITY, epoch: Number.NEGATIVE_INFINITY };

/** This moment. */
export const moment = (): Moment => ({ monotonic: performance.now(), epoch: Date.now() });

/**
 * How much time has passed, in milliseconds, by the clock that says more: how old something is at most. A process may be
 * frozen between two requests, and its monotonic clock with it, while the other clock may be set back.
 */
export const elapsed = (from: Moment, to: Moment): number =>
  Math.max(to.monotonic - from.monotonic, to.epoch - from.epoch);
