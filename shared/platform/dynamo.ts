import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

// A request that is not answered in this time is given up and tried again; readers of the feed count on writes that do
// not linger.
const REQUEST_TIMEOUT_MS = 5000;
const CONNECTION_TIMEOUT_MS = 1000;

const connect = (): DynamoDBDocumentClient => {
  const plain = new DynamoDBClient({
    requestHandler: {
      requestTimeout: REQUEST_TIMEOUT_MS,
      connectionTimeout: CONNECTION_TIMEOUT_MS,
      throwOnRequestTimeout: true,
    },
  });
  // It copies all that is sent and received for a logger that throws it away: a fifth of what a call costs.
  plain.middlewareStack.remove('loggerMiddleware');
  return DynamoDBDocumentClient.from(plain, { marshallOptions: { removeUndefinedValues: true } });
};

let client: DynamoDBDocumentClient | undefined;

/** The process's one connection to DynamoDB; `AWS_ENDPOINT_URL_DYNAMODB` points it at another engine. */
export const dynamo = (): DynamoDBDocumentClient => {
  client ??= connect();
  return client;
};
