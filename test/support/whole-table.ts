import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, ScanCommand } from '@aws-sdk/lib-dynamodb';
import type { TestWorld } from './world.ts';

/** Every item of the table: for tests that ask what is stored at all, which nothing else may do. */
export const wholeTable = async ({ world }: TestWorld): Promise<Record<string, unknown>[]> => {
  const client = DynamoDBDocumentClient.from(new DynamoDBClient({ endpoint: world.databaseEndpoint }));
  try {
    const items: Record<string, unknown>[] = [];
    let start: Record<string, unknown> | undefined;
    do {
      const answer = await client.send(
        new ScanCommand({ TableName: world.tableName, ConsistentRead: true, ExclusiveStartKey: start }),
      );
      items.push(...(answer.Items ?? []));
      start = answer.LastEvaluatedKey;
    } while (start);
    return items;
  } finally {
    client.destroy();
  }
};
