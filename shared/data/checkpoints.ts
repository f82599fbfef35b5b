import { DAY_SECONDS } from '#model/days.ts';
import { secondsFromNow } from '#platform/clock.ts';
import { checkpointKey } from './keys.ts';
import { findItem } from './read.ts';
import { deleteItem, putItem } from './write.ts';

/** Checkpoints expire after this time, in seconds; a job then starts from the beginning. */
const EXPIRES_AFTER_SECONDS = 30 * DAY_SECONDS;

/** Finds the last id that an unfinished job has processed. */
export const findCheckpoint = async (job: string): Promise<string | undefined> =>
  (await findItem(checkpointKey(job)))?.after as string | undefined;

/** Stores the last id that a job has processed; its next run continues after it. */
export const saveCheckpoint = async (job: string, after: string): Promise<void> => {
  const ttl = secondsFromNow(EXPIRES_AFTER_SECONDS);
  await putItem({ ...checkpointKey(job), type: 'checkpoint', after, ttl });
};

export const deleteCheckpoint = async (job: string): Promise<void> => {
  await deleteItem(checkpointKey(job));
};

interface Iteration {
  readonly job: string;
  /** When to stop, on the monotonic clock in milliseconds. */
  readonly until: number;
  readonly batchSize: number;
  /** The most ids that one run processes; unlimited when absent. */
  readonly max?: number;
  /** Checkpoints are saved after so many batches, so that a crashed run does not start again from the beginning. */
  readonly batchesPerCheckpoint?: number;
  /** Checkpoints are left as they are while it returns false. */
  readonly isEffective?: () => boolean;
}

/**
 * Processes ids in ascending order in batches, starting after the last id of an unfinished run. Concurrent runs
 * process the same ids, so `processBatch` must be idempotent.
 */
export const iterateResumably = async (
  ids: Iterable<string>,
  {
    job,
    until,
    batchSize,
    max = Number.POSITIVE_INFINITY,
    batchesPerCheckpoint = 20,
    isEffective = () => true,
  }: Iteration,
  processBatch: (ids: readonly string[]) => Promise<unknown>,
): Promise<{ processed: number; unfinished: boolean }> => {
  const after = await findCheckpoint(job);
  const due = [...ids].filter((id) => after === undefined || id > after).sort();
  let processed = 0;
  let batches = 0;
  let hasCheckpoint = after !== undefined;
  while (processed < due.length && processed < max && performance.now() < until) {
    const batch = due.slice(processed, Math.min(processed + batchSize, max));
    await processBatch(batch);
    processed += batch.length;
    batches += 1;
    if (batches % batchesPerCheckpoint === 0 && isEffective()) {
      await saveCheckpoint(job, batch.at(-1) as string);
      hasCheckpoint = true;
    }
  }
  const unfinished = processed < due.length;
  if (!isEffective()) return { processed, unfinished };
  if (!unfinished && hasCheckpoint) await deleteCheckpoint(job);
  if (unfinished && processed > 0) await saveCheckpoint(job, due[processed - 1] as string);
  return { processed, unfinished };
};
