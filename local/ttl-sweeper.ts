import { setTimeout as wait } from 'node:timers/promises';
import {
  type AttributeValue,
  ConditionalCheckFailedException,
  DeleteItemCommand,
  type DynamoDBClient,
  ScanCommand,
} from '@aws-sdk/client-dynamodb';
import { tableShape } from '#data/keys.ts';
import { type BackgroundTask, runPeriodically } from './background.ts';
import { sweptKey } from './stream-records.ts';

const PAUSE_MS = 30_000;
// Small pages with pauses, so that concurrent requests to the engine are not delayed.
const PAGE = 250;
const PAGE_PAUSE_MS = 20;

const { partitionKey, sortKey, ttl } = tableShape;

/**
 * Deletes expired items, as DynamoDB's TTL does. An item whose expiry is extended concurrently stays.
 * @param swept collects the deletions for the stream poller.
 * @returns the number of deleted items.
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
  let deleted = 0;
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
      const name = sweptKey(key);
      swept.add(name);
      try {
        await client.send(
          new DeleteItemCommand({ TableName: tableName, Key: key, ConditionExpression: '#ttl < :now', ...condition }),
        );
        deleted += 1;
      } catch (error) {
        swept.delete(name);
        if (!(error instanceof ConditionalCheckFailedException)) throw error;
      }
    }
    from = page.LastEvaluatedKey;
    if (from) await wait(PAGE_PAUSE_MS, undefined, signal && { signal });
  } while (from);
  return deleted;
};

export const sweepExpired = (client: DynamoDBClient, tableName: string, swept: Set<string>): BackgroundTask =>
  runPeriodically(PAUSE_MS, 'expired items could not be deleted', async (signal) => {
    await sweepOnce(client, tableName, swept, signal);
  });
