import { connect, JsonClient, MAX_ATTEMPTS } from '#platform/aws-json.ts';

/** The time limit of one attempt, in milliseconds: a page may have a thousand records. */
const TIMEOUT_MS = 30_000;

/** A client of the stream of the table, at the address in `AWS_ENDPOINT_URL_DYNAMODB_STREAMS`. */
export const streamsClient = (): JsonClient =>
  new JsonClient(
    connect({
      name: 'dynamodb',
      target: 'DynamoDBStreams_20120810',
      contentType: 'application/x-amz-json-1.0',
      endpointVariable: 'AWS_ENDPOINT_URL_DYNAMODB_STREAMS',
      timeoutMs: TIMEOUT_MS,
    }),
    MAX_ATTEMPTS,
  );
