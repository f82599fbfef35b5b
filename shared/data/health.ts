import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { dynamo } from '#platform/dynamo.ts';
import { settings } from '#platform/settings.ts';
import { healthKey } from './keys.ts';

/**
 * Asks the table for one item, which nobody ever writes.
 * @throws when the table answers with an error, or the signal ends the wait.
 */
export const askTable = async (signal: AbortSignal): Promise<void> => {
  await dynamo().send(new GetCommand({ TableName: settings().table, Key: healthKey, ConsistentRead: true }), {
    abortSignal: signal,
  });
};
