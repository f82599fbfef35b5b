import { GetCommand } from '@aws-sdk/lib-dynamodb';
import type { JobRun } from '#contract/jobs.ts';
import type { Message } from '#events/catalogue.ts';
import { type JobState, type RunningJob, runsWith } from '#model/job.ts';
import { dynamo } from '#platform/dynamo.ts';
import { environment } from '#platform/environment.ts';
import { conflict } from '#shared/errors.ts';
import { inOutbox } from './event-log.ts';
import { healthKey, jobKey, jobsPartition } from './keys.ts';
import { type Item, inKeyOrder, orNull, wholeCollection } from './read.ts';
import { is, isNotUnderWay, transact, updateItem } from './write.ts';

const runningOf = ({ run_id, started_at, until }: Item): RunningJob | null =>
  until === undefined ? null : { run_id: String(run_id), started_at: String(started_at), until: Number(until) };

const recentRunsOf = ({ recent_runs }: Item): readonly JobRun[] => inKeyOrder(orNull<JobRun[]>(recent_runs)) ?? [];

const stateOf = (item: Item): JobState => ({
  name: String(item.name),
  running: runningOf(item),
  last_run: inKeyOrder(orNull<JobRun>(item.last_run)),
  recent_runs: recentRunsOf(item),
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
      when: isNotUnderWay('until', at),
      orElse: () => conflict('IN_PROGRESS', 'A run of the job is in progress.'),
    },
    inOutbox(message),
  ]);

/**
 * Records the beginning of a run. Runs may overlap: the latest one holds the lock.
 * @returns the runs before it.
 */
export const beginRun = async (name: string, running: RunningJob, isScheduled: boolean): Promise<readonly JobRun[]> => {
  const schedule = isScheduled ? { scheduled_at: running.started_at } : {};
  return recentRunsOf((await updateItem(jobKey(name), { set: { type: 'job', name, ...running, ...schedule } })) ?? {});
};

/**
 * Records the outcome of a run, and releases the lock unless a later run holds it.
 * @param earlier the runs before it; undefined when its beginning could not be recorded.
 */
export const endRun = async (
  name: string,
  runId: string,
  last_run: JobRun,
  earlier: readonly JobRun[] | undefined,
): Promise<void> => {
  const outcome = { last_run, ...(earlier && { recent_runs: runsWith(last_run, earlier) }) };
  const release = { set: outcome, remove: ['run_id', 'started_at', 'until'] };
  if (await updateItem(jobKey(name), release, is('run_id', runId))) return;
  await updateItem(jobKey(name), { set: { type: 'job', name, ...outcome } });
};

/**
 * Reads an item that never exists, to check that the table responds.
 * @throws when the table responds with an error or the signal aborts.
 */
export const readHealthItem = async (signal: AbortSignal): Promise<void> => {
  await dynamo().send(new GetCommand({ TableName: environment().table, Key: healthKey, ConsistentRead: true }), {
    abortSignal: signal,
  });
};
