import type { Message } from '#events/catalogue.ts';
import type { JobRun, JobState, RunningJob } from '#model/job.ts';
import { conflict } from '#shared/errors.ts';
import { jobKey, jobsPartition } from './keys.ts';
import { inOutbox } from './outbox.ts';
import { type Item, inKeyOrder, orNull, wholeCollection } from './read.ts';
import { is, isBelow, transact, updateItem } from './write.ts';

const runningOf = ({ run_id, started_at, until }: Item): RunningJob | null =>
  until === undefined ? null : { run_id: String(run_id), started_at: String(started_at), until: Number(until) };

const stateOf = (item: Item): JobState => ({
  name: String(item.name),
  running: runningOf(item),
  last_run: inKeyOrder(orNull<JobRun>(item.last_run)),
  scheduled_at: orNull(item.scheduled_at),
});

/** The stored state of every job that has run, strongly consistent. */
export const allJobStates = async (): Promise<JobState[]> =>
  (await wholeCollection({ partition: jobsPartition })).map(stateOf);

/**
 * Requests a run with the message that starts it.
 * @param at seconds since the epoch.
 * @throws 409 while a run is in progress.
 */
export const requestRun = (name: string, running: RunningJob, at: number, message: Message): Promise<void> =>
  transact([
    {
      update: jobKey(name),
      change: { set: { type: 'job', name, ...running } },
      when: isBelow('until', at),
      orElse: () => conflict('IN_PROGRESS', 'A run of the job is in progress.'),
    },
    inOutbox(message),
  ]);

/** Records the beginning of a run. Runs may overlap: the latest one holds the lock. */
export const beginRun = async (name: string, running: RunningJob, isScheduled: boolean): Promise<void> => {
  const schedule = isScheduled ? { scheduled_at: running.started_at } : {};
  await updateItem(jobKey(name), { set: { type: 'job', name, ...running, ...schedule } });
};

/** Records the outcome of a run, and releases the lock unless a later run holds it. */
export const endRun = async (name: string, runId: string, last_run: JobRun): Promise<void> => {
  const release = { set: { last_run }, remove: ['run_id', 'started_at', 'until'] };
  if (await updateItem(jobKey(name), release, is('run_id', runId))) return;
  await updateItem(jobKey(name), { set: { type: 'job', name, last_run } });
};
