import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, ScanCommand } from '@aws-sdk/lib-dynamodb';
import type { TestServer } from './server.ts';

/** Reads all items of the server's table, for assertions on stored data. */
export const scanTable = async ({ server }: TestServer): Promise<Record<string, unknown>[]> => {
  const client = DynamoDBDocumentClient.from(new DynamoDBClient({ endpoint: server.databaseEndpoint }));
  try {
    const items: Record<string, unknown>[] = [];
    let start: Record<string, unknown> | undefined;
    do {
      const response = await client.send(
        new ScanCommand({ TableName: server.tableName, ConsistentRead: true, ExclusiveStartKey: start }),
      );
      items.push(...(response.Items ?? []));
      start = response.LastEvaluatedKey;
    } while (start);
    return items;
  } finally {
    client.destroy();
  }
};
