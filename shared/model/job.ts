import type { Job } from '#contract/jobs.ts';
import type { Route } from '#contract/route.ts';

/** The outcome of a run. */
export type JobRun = NonNullable<Job['last_run']>;

/** A run in progress, or a requested one that has not begun. */
export interface RunningJob {
  readonly run_id: string;
  readonly started_at: string;
  /** When it counts as interrupted, in seconds since the epoch. */
  readonly until: number;
}

/** What is stored about a job. */
export interface JobState {
  readonly name: string;
  readonly running: RunningJob | null;
  readonly last_run: JobRun | null;
  /** The start of the last run by the schedule. */
  readonly scheduled_at: string | null;
}

/** The name of a job: the last segment of its path. */
export const jobNameOf = ({ path }: Pick<Route, 'path'>): string => path.slice(path.lastIndexOf('/') + 1);

/** Whether a run is in progress. @param at seconds since the epoch. */
export const isRunning = ({ running }: JobState, at: number): boolean => running !== null && running.until >= at;

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
