import { deduplicationKey } from '#data/keys.ts';
import { every, exists, is, updateItem } from '#data/write.ts';

/**
 * Lets a message be processed again whose subscriber was interrupted by the end of the process. When deployed,
 * an interrupted run looks like a slow one and its lock has to expire; here no run survives the process.
 */
export const releaseRun = async (subscriber: string, messageId: string): Promise<void> => {
  await updateItem(
    deduplicationKey(subscriber, messageId),
    { set: { until: 0 } },
    every(exists, is('state', 'running')),
  );
};
