import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

// A request that is not answered in this time is given up and tried again; readers of the feed count on writes that do
// not linger.
const REQUEST_TIMEOUT_MS = 5000;
const CONNECTION_TIMEOUT_MS = 1000;

let client: DynamoDBDocumentClient | undefined;

/** The process's one connection to DynamoDB; `AWS_ENDPOINT_URL_DYNAMODB` points it at another engine. */
export const dynamo = (): DynamoDBDocumentClient => {
  client ??= DynamoDBDocumentClient.from(
    new DynamoDBClient({
      requestHandler: {
        requestTimeout: REQUEST_TIMEOUT_MS,
        connectionTimeout: CONNECTION_TIMEOUT_MS,
        throwOnRequestTimeout: true,
      },
    }),
    { marshallOptions: { removeUndefinedValues: true } },
  );
  return client;
};
