import { secondsFromNow } from '#platform/clock.ts';
import { checkpointKey } from './keys.ts';
import { findItem } from './read.ts';
import { deleteItem, putItem } from './write.ts';

/** Checkpoints expire after this time, in seconds; a job then starts from the beginning. */
const EXPIRES_AFTER_SECONDS = 30 * 86_400;

/** Finds the last id that an unfinished job has processed. */
export const findCheckpoint = async (job: string): Promise<string | undefined> =>
  (await findItem(checkpointKey(job)))?.after as string | undefined;

/** Stores the last id that a job has processed; its next run continues after it. */
export const saveCheckpoint = async (job: string, after: string): Promise<void> => {
  const ttl = secondsFromNow(EXPIRES_AFTER_SECONDS);
  await putItem({ ...checkpointKey(job), type: 'bookmark', after, ttl });
};

export const deleteCheckpoint = async (job: string): Promise<void> => {
  await deleteItem(checkpointKey(job));
};
