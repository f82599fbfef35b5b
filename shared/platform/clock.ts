/** The current time in ISO 8601, UTC, with milliseconds. */
export const now = (): string => new Date().toISOString();

/** The length of a time in the form of `now`. */
export const TIME_LENGTH = '2026-01-01T00:00:00.000Z'.length;

/** More than the clocks of processes differ, in milliseconds: a time further ahead was stored by a clock that was wrong. */
export const CLOCK_SKEW_MAX_MS = 60_000;

/** The end of the current second, in the form of `now`. */
export const endOfSecond = (): string => new Date(Math.ceil(Date.now() / 1000) * 1000).toISOString();

/** A future time in the form of `now`. */
export const timeAfter = (milliseconds: number): string => new Date(Date.now() + milliseconds).toISOString();

/** A future time in whole seconds since the epoch, as DynamoDB's TTL requires. */
export const secondsFromNow = (seconds: number): number => Math.floor(Date.now() / 1000) + seconds;

/**
 * Whether a time, ISO 8601, is less than a duration in milliseconds away from now, before or after. A time that is further ahead
 * was stored by a clock that was ahead: what waits for it to be old would wait for years.
 */
export const isRecent = (time: string, milliseconds: number): boolean =>
  Math.abs(Date.now() - Date.parse(time)) < milliseconds;

/** A time by both clocks of this process, in milliseconds. */
export interface Moment {
  readonly monotonic: number;
  readonly epoch: number;
}

/** Earlier than every other moment. */
export const NEVER: Moment = { monotonic: Number.NEGATIVE_INFINITY, epoch: Number.NEGATIVE_INFINITY };

export const moment = (): Moment => ({ monotonic: performance.now(), epoch: Date.now() });

/**
 * An upper bound for the elapsed time, in milliseconds: the larger difference of both clocks. The monotonic clock stops
 * while Lambda freezes the process, and the system clock can be set back.
 */
export const elapsed = (from: Moment, to: Moment): number =>
  Math.max(to.monotonic - from.monotonic, to.epoch - from.epoch);
