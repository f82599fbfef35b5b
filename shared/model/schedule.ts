import { Cron } from 'croner';

/** Schedule expressions of EventBridge Scheduler, in UTC. */

const UNIT_MS: Readonly<Record<string, number>> = { minute: 60_000, hour: 3_600_000, day: 86_400_000 };

const rateMs = (expression: string): number | undefined => {
  const rate = /^rate\((\d+) (minute|hour|day)s?\)$/.exec(expression);
  return rate ? Number(rate[1]) * (UNIT_MS[rate[2] as string] as number) : undefined;
};

const nextOfCron = (fields: string, after: number): number => {
  // EventBridge has no seconds, counts weekdays from Sunday = 1, and writes `?` where croner writes `*`.
  const pattern = `0 ${fields.replaceAll('?', '*')}`;
  const cron = new Cron(pattern, { mode: '7-part', timezone: 'UTC', alternativeWeekdays: true, sloppyRanges: true });
  const next = cron.nextRun(new Date(after));
  if (!next) throw new Error('it is never due');
  return next.getTime();
};

/**
 * When a schedule is due next, in milliseconds since the epoch.
 * @param expression `rate(…)` or `cron(…)`.
 * @param after the last time that it was due, or the start of a rate, in milliseconds since the epoch.
 * @throws {Error} for an invalid expression and for one that is never due.
 */
export const nextDue = (expression: string, after: number): number => {
  const rate = rateMs(expression);
  if (rate !== undefined) return after + rate;
  const fields = /^cron\((.+)\)$/.exec(expression)?.[1];
  if (fields === undefined) throw new Error(`The schedule ${expression} is neither rate(…) nor cron(…).`);
  try {
    return nextOfCron(fields, after);
  } catch (cause) {
    throw new Error(`The schedule ${expression} is invalid: ${(cause as Error).message}`, { cause });
  }
};

/** The first time after `nowMs` that is a multiple of a period after `startMs`. */
export const nextOfPeriod = (periodMs: number, startMs: number, nowMs: number): number =>
  startMs + periodMs * (Math.floor((nowMs - startMs) / periodMs) + 1);

/**
 * The first time after `nowMs` at which a schedule is due, in milliseconds since the epoch.
 * @param startMs a time at which it was due; a rate counts from there.
 * @returns undefined for a rate without a start.
 */
export const nextDueAfter = (expression: string, startMs: number | undefined, nowMs: number): number | undefined => {
  const rate = rateMs(expression);
  if (rate === undefined) return nextDue(expression, nowMs);
  return startMs === undefined ? undefined : nextOfPeriod(rate, startMs, nowMs);
};
