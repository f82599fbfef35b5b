import { every, exists, is } from '#data/conditions.ts';
import { receiptKey } from '#data/keys.ts';
import { updateItem } from '#data/write.ts';

/**
 * Lets a message be dealt with at once whose subscriber died over it with the process. Deployed, nobody can tell a dead run
 * from a slow one, and its time must be waited out; here nothing of the last process is left.
 */
export const releaseRun = async (subscriber: string, messageId: string): Promise<void> => {
  await updateItem(receiptKey(subscriber, messageId), { set: { until: 0 } }, every(exists, is('state', 'running')));
};
