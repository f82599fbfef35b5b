import { dynamo } from '#platform/dynamo.ts';
import { GetCommand } from '#platform/dynamo-commands.ts';
import { settings } from '#platform/settings.ts';
import { healthKey } from './keys.ts';

/**
 * Reads an item that never exists, to check that the table responds.
 * @throws when the table responds with an error or the signal aborts.
 */
export const readHealthItem = async (signal: AbortSignal): Promise<void> => {
  await dynamo().send(new GetCommand({ TableName: settings().table, Key: healthKey, ConsistentRead: true }), {
    abortSignal: signal,
  });
};
