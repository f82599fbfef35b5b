import type { Job as JobView } from '#contract/jobs.ts';
import { neededFeatures } from '#contract/route.ts';
import { allJobStates, requestRun } from '#data/jobs.ts';
import { newMessage } from '#events/catalogue.ts';
import { type Job, jobs } from '#events/jobs.ts';
import {
  isRunning,
  type JobState,
  jobNameOf,
  lastRunAt,
  nextDueAfter,
  nextOfPeriod,
  recentRunsAt,
} from '#model/job.ts';
import { now, secondsFromNow } from '#platform/clock.ts';
import { environment } from '#platform/environment.ts';
import { conflict, notFound } from '#shared/errors.ts';

interface KnownJob {
  readonly job: Job;
  readonly state: JobState;
}

const neverRun = (name: string): JobState => ({
  name,
  running: null,
  last_run: null,
  recent_runs: [],
  scheduled_at: null,
});

/** Every job by name. */
const knownJobs = async (): Promise<KnownJob[]> => {
  const states = new Map((await allJobStates()).map((state) => [state.name, state]));
  return (jobs as readonly Job[])
    .map((job) => {
      const name = jobNameOf(job.route);
      return { job, state: states.get(name) ?? neverRun(name) };
    })
    .toSorted((one, other) => (one.state.name < other.state.name ? -1 : 1));
};

const isAvailable = ({ route: { feature } }: Job): boolean => feature === undefined || environment().features[feature];

/** The number of jobs whose last run failed or was interrupted, without those whose feature is off. */
export const countFailedJobs = async (): Promise<number> => {
  const at = secondsFromNow(0);
  const known = await knownJobs();
  return known.filter(({ job, state }) => isAvailable(job) && lastRunAt(state, at)?.ok === false).length;
};

/** Why a job is not scheduled here. */
const offOf = (job: Job): JobView['off'] => {
  const { feature } = job.route;
  if (feature && !isAvailable(job)) {
    const needed = neededFeatures[feature];
    const off = needed && !environment().features[needed] ? needed : feature;
    return { reason: 'feature', variable: `FEATURE_${off.toUpperCase()}` };
  }
  return environment().localSchedules && job.deployedOnly ? { reason: 'deployed_only', variable: null } : null;
};

/** In milliseconds since the epoch; undefined when it is unknown. */
const nextRunMs = ({ job, state }: KnownJob, nowMs: number): number | undefined => {
  const startMs = state.scheduled_at === null ? undefined : Date.parse(state.scheduled_at);
  const { schedule, localSeconds } = job;
  if (!environment().localSchedules || localSeconds === undefined) return nextDueAfter(schedule, startMs, nowMs);
  return startMs === undefined ? undefined : nextOfPeriod(localSeconds * 1000, startMs, nowMs);
};

const viewOf = (known: KnownJob): JobView => {
  const { job, state } = known;
  const at = secondsFromNow(0);
  const off = offOf(job);
  const isEnabled = off === null;
  const nextMs = isEnabled ? nextRunMs(known, Date.parse(now())) : undefined;
  return {
    name: state.name,
    schedule: job.schedule,
    last_run: lastRunAt(state, at),
    recent_runs: [...recentRunsAt(state, at)],
    next_run_at: nextMs === undefined ? null : new Date(nextMs).toISOString(),
    is_enabled: isEnabled,
    off,
    is_running: isRunning(state, at),
  };
};

/** All jobs by name. */
export const listJobs = async (): Promise<JobView[]> => (await knownJobs()).map(viewOf);

/** The time between a request and the beginning of its run, at most, in seconds. */
const START_SECONDS = 60;

/**
 * Requests a run of a job, which begins in the background: the outbox starts it, so it begins also if this process dies.
 * @throws 404; 409 while a run is in progress, or while the feature of the job is off.
 */
export const requestJob = async (name: string, actorId: string): Promise<{ name: string; requested_at: string }> => {
  const job = (jobs as readonly Job[]).find(({ route }) => jobNameOf(route) === name);
  if (!job) throw notFound();
  if (!isAvailable(job)) throw conflict('INVALID_TRANSITION', 'The feature of the job is off.');
  const message = newMessage('jobDue', actorId, { job: name });
  const started_at = message.occurred_at;
  const running = { run_id: message.id, started_at, until: secondsFromNow(START_SECONDS + job.timeoutSeconds) };
  await requestRun(name, running, secondsFromNow(0), message);
  return { name, requested_at: started_at };
};
