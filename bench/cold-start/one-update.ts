import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb';

/** The least that counting a request takes: the SDK and one call. */

const client = DynamoDBDocumentClient.from(new DynamoDBClient({}));

export const handler = async () => {
  await client.send(
    new UpdateCommand({
      TableName: process.env.TABLE_NAME,
      Key: { pk: 'cold-start', sk: 'cold-start' },
      UpdateExpression: 'ADD #count :one',
      ExpressionAttributeNames: { '#count': 'count' },
      ExpressionAttributeValues: { ':one': 1 },
      ReturnValues: 'UPDATED_NEW',
    }),
  );
  return { statusCode: 200, headers: {}, body: '{}' };
};
