import { Cron } from 'croner';
import type { JobRun } from '#contract/jobs.ts';
import type { Route } from '#contract/route.ts';
import { mayBeUnderWay } from './work-time.ts';

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

/** A run in progress, or a requested one that has not begun. */
export interface RunningJob {
  readonly run_id: string;
  readonly started_at: string;
  /** When it counts as interrupted, in seconds since the epoch. */
  readonly until: number;
}

export interface JobState {
  readonly name: string;
  readonly running: RunningJob | null;
  readonly last_run: JobRun | null;
  /** Runs that ended, newest first. */
  readonly recent_runs: readonly JobRun[];
  /** The start of the last run by the schedule. */
  readonly scheduled_at: string | null;
}

export const jobNameOf = ({ path }: Pick<Route, 'path'>): string => path.slice(path.lastIndexOf('/') + 1);

/** Whether a run is in progress. @param at seconds since the epoch. */
export const isRunning = ({ running }: JobState, at: number): boolean =>
  running !== null && mayBeUnderWay(running.until, at);

/** The last run that ended, or was interrupted: its process died or its time was over. @param at seconds since the epoch. */
export const lastRunAt = (state: JobState, at: number): JobRun | null => {
  const { running, last_run } = state;
  if (running === null || isRunning(state, at)) return last_run;
  return {
    at: running.started_at,
    took_ms: Math.max(0, running.until * 1000 - Date.parse(running.started_at)),
    ok: false,
    summary: 'The run did not end in time.',
  };
};

const RUNS_MAX = 10;

/** The newest runs with one more. */
export const runsWith = (run: JobRun, earlier: readonly JobRun[]): readonly JobRun[] =>
  [run, ...earlier].slice(0, RUNS_MAX);

/** The runs that ended or were interrupted, newest first. @param at seconds since the epoch. */
export const recentRunsAt = (state: JobState, at: number): readonly JobRun[] => {
  const { last_run, recent_runs } = state;
  const last = lastRunAt(state, at);
  return last === null || last === last_run ? recent_runs : runsWith(last, recent_runs);
};

const SUMMARY_MAX = 500;

const wordsOf = (name: string): string => name.replaceAll('_', ' ');

/** The counts of a result, and what is true in it, such as `processed 12, repaired 1, unfinished`. */
export const summaryOf = (result: object): string =>
  Object.entries(result)
    .flatMap(([name, value]: [string, unknown]) => {
      if (typeof value === 'number' && (value > 0 || name === 'processed')) return [`${wordsOf(name)} ${value}`];
      return value === true ? [wordsOf(name)] : [];
    })
    .join(', ')
    .slice(0, SUMMARY_MAX);
