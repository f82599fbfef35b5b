import { Cron } from 'croner';

/** Schedule expressions of EventBridge Scheduler, in UTC. Outside `shared/`, because functions do not ship croner. */

const UNIT_MS: Readonly<Record<string, number>> = { minute: 60_000, hour: 3_600_000, day: 86_400_000 };
const DAY_MS = 86_400_000;
/** Every schedule repeats within a week; two weeks contain its longest pause. */
const OBSERVED_DAYS = 15;
const PAUSE_DAYS_MAX = 7;

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
  const rate = /^rate\((\d+) (minute|hour|day)s?\)$/.exec(expression);
  if (rate) return after + Number(rate[1]) * (UNIT_MS[rate[2] as string] as number);
  const fields = /^cron\((.+)\)$/.exec(expression)?.[1];
  if (fields === undefined) throw new Error(`The schedule ${expression} is neither rate(…) nor cron(…).`);
  try {
    return nextOfCron(fields, after);
  } catch (cause) {
    throw new Error(`The schedule ${expression} is invalid: ${(cause as Error).message}`, { cause });
  }
};

/**
 * The longest time between two runs, in milliseconds.
 * @throws {Error} for an invalid expression and for pauses of more than a week.
 */
export const longestPause = (expression: string): number => {
  const end = OBSERVED_DAYS * DAY_MS;
  let pause = 0;
  for (let last = nextDue(expression, 0); last < end; ) {
    const next = nextDue(expression, last);
    pause = Math.max(pause, next - last);
    last = next;
  }
  if (pause === 0 || pause > PAUSE_DAYS_MAX * DAY_MS) {
    throw new Error(`The schedule ${expression} has pauses of more than a week.`);
  }
  return pause;
};
