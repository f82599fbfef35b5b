import { allJobStates } from '#data/jobs.ts';
import { type Job, jobs } from '#events/jobs.ts';
import { type JobState, jobNameOf, lastRunAt } from '#model/job.ts';
import { secondsFromNow } from '#platform/clock.ts';
import { settings } from '#platform/settings.ts';

/** A job of the table with what is stored about it. */
export interface KnownJob {
  readonly job: Job;
  readonly state: JobState;
}

const neverRun = (name: string): JobState => ({ name, running: null, last_run: null, scheduled_at: null });

/** Every job by name. */
export const knownJobs = async (): Promise<KnownJob[]> => {
  const states = new Map((await allJobStates()).map((state) => [state.name, state]));
  return (jobs as readonly Job[])
    .map((job) => {
      const name = jobNameOf(job.route);
      return { job, state: states.get(name) ?? neverRun(name) };
    })
    .toSorted((one, other) => (one.state.name < other.state.name ? -1 : 1));
};

/** Whether the feature of a job is on. */
export const isAvailable = ({ route: { feature } }: Job): boolean =>
  feature === undefined || settings().features[feature];

/** The number of jobs whose last run failed or was interrupted, without those whose feature is off. */
export const countFailedJobs = async (): Promise<number> => {
  const at = secondsFromNow(0);
  const known = await knownJobs();
  return known.filter(({ job, state }) => isAvailable(job) && lastRunAt(state, at)?.ok === false).length;
};
