/**
 * When a schedule is due, for the expressions that the jobs are written in: `rate(5 minutes)`, and `cron(…)` with minutes,
 * hours, days of the month, months and days of the week as numbers, names, lists, ranges and steps. Times are UTC.
 */

const UNIT_MS: Readonly<Record<string, number>> = { minute: 60_000, hour: 3_600_000, day: 86_400_000 };
const DAYS = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];
const MINUTE_MS = 60_000;
const DAY_MS = UNIT_MS.day as number;
/** No schedule of ours waits longer, in days. */
const AHEAD_DAYS = 400;

/** Whether a value is meant by a part of an expression. */
type Field = (value: number) => boolean;

const numberOf = (text: string): number => {
  const day = DAYS.indexOf(text.toUpperCase());
  // Days of the week are counted from Sunday, which is 1.
  const value = day >= 0 ? day + 1 : Number(text);
  if (text === '' || !Number.isInteger(value)) throw new Error(`"${text}" is not understood.`);
  return value;
};

const partOf = (text: string): Field => {
  const [range = '', step] = text.split('/');
  const every = step === undefined ? 1 : numberOf(step);
  if (every < 1) throw new Error(`"${text}" never moves on.`);
  if (range === '*' || range === '?') return (value) => value % every === 0;
  const [from, to] = range.split('-').map(numberOf) as [number, number?];
  // A step without an end goes on to the last value there is.
  const last = to ?? (step === undefined ? from : Number.POSITIVE_INFINITY);
  return (value) => value >= from && value <= last && (value - from) % every === 0;
};

const fieldOf = (text: string): Field => {
  const parts = text.split(',').map(partOf);
  return (value) => parts.some((part) => part(value));
};

const nextOfCron = (fields: readonly string[], after: number): number => {
  if (fields.length !== 6 || fields[5] !== '*') throw new Error('it must have six parts, the last of them *');
  const [minute, hour, day, month, weekday] = fields.map(fieldOf) as [Field, Field, Field, Field, Field];
  const last = after + AHEAD_DAYS * DAY_MS;
  let at = (Math.floor(after / MINUTE_MS) + 1) * MINUTE_MS;
  while (at < last) {
    const time = new Date(at);
    if (!day(time.getUTCDate()) || !month(time.getUTCMonth() + 1) || !weekday(time.getUTCDay() + 1)) {
      at = (Math.floor(at / DAY_MS) + 1) * DAY_MS;
    } else if (hour(time.getUTCHours()) && minute(time.getUTCMinutes())) {
      return at;
    } else {
      at += MINUTE_MS;
    }
  }
  throw new Error('it is never due');
};

/**
 * When a schedule is due next, in milliseconds since the epoch.
 * @param after the last time that it was due, or the time from which on it counts.
 * @throws for an expression that is not understood.
 */
export const nextDue = (expression: string, after: number): number => {
  const rate = /^rate\((\d+) (minute|hour|day)s?\)$/.exec(expression);
  if (rate) return after + Number(rate[1]) * (UNIT_MS[rate[2] as string] as number);
  const cron = /^cron\((.+)\)$/.exec(expression)?.[1];
  try {
    if (cron !== undefined) return nextOfCron(cron.split(' '), after);
  } catch (cause) {
    throw new Error(`The schedule ${expression} cannot be kept: ${(cause as Error).message}.`, { cause });
  }
  throw new Error(`The schedule ${expression} is not understood.`);
};

/** How far to look for the longest pause: every schedule of ours comes round within a week. */
const ROUND_DAYS = 15;

/**
 * The longest time between two runs, in milliseconds.
 * @throws for an expression that is not understood, or that leaves more than a week between two runs.
 */
export const longestPause = (expression: string): number => {
  const end = ROUND_DAYS * DAY_MS;
  let pause = 0;
  for (let last = nextDue(expression, 0); last < end; ) {
    const next = nextDue(expression, last);
    pause = Math.max(pause, next - last);
    last = next;
  }
  if (pause === 0 || pause > 7 * DAY_MS)
    throw new Error(`The schedule ${expression} leaves more than a week between two runs.`);
  return pause;
};
