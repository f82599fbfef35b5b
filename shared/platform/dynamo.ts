import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { clientSettings, lazily } from './aws.ts';
import { environment } from './environment.ts';

const documentClient = (client: DynamoDBClient): DynamoDBDocumentClient =>
  DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });

/** The DynamoDB client of this process; `AWS_ENDPOINT_URL_DYNAMODB` selects another engine. */
export const dynamo = lazily(() =>
  documentClient(
    new DynamoDBClient({
      ...clientSettings(environment().tableTimeoutMs),
      // An endpoint per account would need the id of the account, which the credentials of a function do not have.
      accountIdEndpointMode: 'disabled',
    }),
  ),
);

/** A client that sends each request once, over the connections and with the credentials of `dynamo`. */
export const dynamoWithoutRetries = lazily(() => {
  const { region, credentials, requestHandler } = dynamo().config;
  return documentClient(
    new DynamoDBClient({ region, credentials, requestHandler, maxAttempts: 1, accountIdEndpointMode: 'disabled' }),
  );
});
