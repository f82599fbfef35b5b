import { deleteCheckpoint, findCheckpoint, saveCheckpoint } from '#data/checkpoints.ts';

interface Iteration {
  /** The name of the checkpoint. */
  readonly job: string;
  /** When to stop, on the monotonic clock in milliseconds. */
  readonly until: number;
  readonly batchSize: number;
  /** The most ids that one run processes; unlimited when absent. */
  readonly max?: number;
  /** Checkpoints are left as they are while it returns false. */
  readonly isEffective?: () => boolean;
}

/** Checkpoints are saved after so many batches, so that a crashed run does not start again from the beginning. */
const BATCHES_PER_CHECKPOINT = 20;

/**
 * Processes ids in ascending order in batches, starting after the last id of an unfinished run. Concurrent runs
 * process the same ids, so `processBatch` must be idempotent.
 */
export const iterateResumably = async (
  ids: Iterable<string>,
  { job, until, batchSize, max = Number.POSITIVE_INFINITY, isEffective = () => true }: Iteration,
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
    if (batches % BATCHES_PER_CHECKPOINT === 0 && isEffective()) {
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
