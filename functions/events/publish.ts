import middy from '@middy/core';
import type { DynamoDBBatchResponse, DynamoDBStreamEvent } from 'aws-lambda';
import { publishMessages } from '#services/events/publish.ts';

/** Invoked by the stream of the table. */
export const handler = middy<DynamoDBStreamEvent, DynamoDBBatchResponse>().handler(({ Records }, context) =>
  publishMessages(Records, context?.awsRequestId),
);
