import type { Job as JobView } from '#contract/jobs.ts';
import { isRunning, lastRunAt } from '#model/job.ts';
import { nextDueAfter, nextOfPeriod } from '#model/schedule.ts';
import { now, secondsFromNow } from '#platform/clock.ts';
import { settings } from '#platform/settings.ts';
import { isAvailable, type KnownJob, knownJobs } from './states.ts';

const isScheduled = ({ job }: KnownJob): boolean =>
  isAvailable(job) && !(settings().localSchedules && job.deployedOnly);

/** In milliseconds since the epoch; undefined when it is unknown. */
const nextRunMs = ({ job, state }: KnownJob, nowMs: number): number | undefined => {
  const startMs = state.scheduled_at === null ? undefined : Date.parse(state.scheduled_at);
  const { schedule, localSeconds } = job;
  if (!settings().localSchedules || localSeconds === undefined) return nextDueAfter(schedule, startMs, nowMs);
  return startMs === undefined ? undefined : nextOfPeriod(localSeconds * 1000, startMs, nowMs);
};

const viewOf = (known: KnownJob): JobView => {
  const { job, state } = known;
  const at = secondsFromNow(0);
  const isEnabled = isScheduled(known);
  const nextMs = isEnabled ? nextRunMs(known, Date.parse(now())) : undefined;
  return {
    name: state.name,
    schedule: job.schedule,
    last_run: lastRunAt(state, at),
    next_run_at: nextMs === undefined ? null : new Date(nextMs).toISOString(),
    is_enabled: isEnabled,
    is_running: isRunning(state, at),
  };
};

/** All jobs by name. */
export const listJobs = async (): Promise<JobView[]> => (await knownJobs()).map(viewOf);
