import { setTimeout as wait } from 'node:timers/promises';
import {
  type AttributeValue,
  ConditionalCheckFailedException,
  DeleteItemCommand,
  type DynamoDBClient,
  ScanCommand,
} from '@aws-sdk/client-dynamodb';
import { tableShape } from '#data/keys.ts';
import { type Background, inBackground } from './background.ts';
import { sweptName } from './stream-records.ts';

const EVERY_MS = 30_000;
// Small pages with pauses between: nobody who asks the engine meanwhile has to wait for a long one.
const PAGE = 250;
const PAGE_PAUSE_MS = 20;

const { partitionKey, sortKey, ttl } = tableShape;

/**
 * Removes the items whose time is over, as DynamoDB does by itself. An item whose time was put off meanwhile stays.
 * @param swept where the removals are noted for the stream's reader.
 * @returns how many items were removed.
 */
export const sweepOnce = async (
  client: DynamoDBClient,
  tableName: string,
  swept: Set<string>,
  signal?: AbortSignal,
): Promise<number> => {
  const condition = {
    ExpressionAttributeNames: { '#ttl': ttl },
    ExpressionAttributeValues: { ':now': { N: String(Math.floor(Date.now() / 1000)) } },
  };
  let removed = 0;
  let from: Record<string, AttributeValue> | undefined;
  do {
    const page = await client.send(
      new ScanCommand({
        TableName: tableName,
        FilterExpression: '#ttl < :now',
        ProjectionExpression: '#pk, #sk',
        ExpressionAttributeNames: { ...condition.ExpressionAttributeNames, '#pk': partitionKey, '#sk': sortKey },
        ExpressionAttributeValues: condition.ExpressionAttributeValues,
        Limit: PAGE,
        ExclusiveStartKey: from,
      }),
    );
    for (const key of page.Items ?? []) {
      const name = sweptName(key);
      swept.add(name);
      try {
        await client.send(
          new DeleteItemCommand({ TableName: tableName, Key: key, ConditionExpression: '#ttl < :now', ...condition }),
        );
        removed += 1;
      } catch (error) {
        swept.delete(name);
        if (!(error instanceof ConditionalCheckFailedException)) throw error;
      }
    }
    from = page.LastEvaluatedKey;
    if (from) await wait(PAGE_PAUSE_MS, undefined, signal && { signal });
  } while (from);
  return removed;
};

/** Sweeps in the background. */
export const sweepExpired = (client: DynamoDBClient, tableName: string, swept: Set<string>): Background =>
  inBackground(EVERY_MS, 'expired items could not be removed this time', async (signal) => {
    await sweepOnce(client, tableName, swept, signal);
  });
