import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { requestHandler } from './aws-client.ts';
import { settings } from './settings.ts';

const documentClient = (plain: DynamoDBClient): DynamoDBDocumentClient => {
  // It copies every input and output for a logger that discards them: 20% of the cost of a call.
  plain.middlewareStack.remove('loggerMiddleware');
  return DynamoDBDocumentClient.from(plain, { marshallOptions: { removeUndefinedValues: true } });
};

const connect = (): DynamoDBDocumentClient =>
  documentClient(new DynamoDBClient({ requestHandler: requestHandler(settings().tableTimeoutMs) }));

let client: DynamoDBDocumentClient | undefined;

/** The DynamoDB client of this process; `AWS_ENDPOINT_URL_DYNAMODB` selects another engine. */
export const dynamo = (): DynamoDBDocumentClient => {
  client ??= connect();
  return client;
};

let singleAttemptClient: DynamoDBDocumentClient | undefined;

/** A client that sends each request once, over the connections and with the credentials of `dynamo`. */
export const dynamoWithoutRetries = (): DynamoDBDocumentClient => {
  if (!singleAttemptClient) {
    const { requestHandler: connections, credentials, region } = dynamo().config;
    const config = { requestHandler: connections, credentials, region, maxAttempts: 1 };
    singleAttemptClient = documentClient(new DynamoDBClient(config));
  }
  return singleAttemptClient;
};
