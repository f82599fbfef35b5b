import { isDeepStrictEqual } from 'node:util';
import type { DynamoDBRecord } from 'aws-lambda';

/** The key of an item, of the form of the table or of its stream. */
type ItemKey = Readonly<Record<string, { readonly S?: string | undefined }>>;

/** Identifies an item among those that the TTL sweeper deleted. */
export const sweptKey = (keys: ItemKey | undefined): string => JSON.stringify([keys?.pk?.S, keys?.sk?.S]);

const EXPIRY = { type: 'Service', principalId: 'dynamodb.amazonaws.com' } as const;

/**
 * Converts a stream record, as it is transferred, to the form of Lambda events: with the stream, time in whole seconds, TTL
 * deletions marked.
 * @param swept the items that the TTL sweeper deleted; a matching item is removed from the set.
 * @returns undefined for a change without effect: DynamoDB writes no record for it.
 */
export const lambdaRecord = (
  record: DynamoDBRecord,
  streamArn: string,
  swept: Set<string>,
): DynamoDBRecord | undefined => {
  const { dynamodb = {} } = record;
  const { Keys, NewImage, OldImage, ApproximateCreationDateTime: at } = dynamodb;
  if (record.eventName === 'MODIFY' && isDeepStrictEqual(NewImage, OldImage)) return undefined;
  const expired = record.eventName === 'REMOVE' && swept.delete(sweptKey(Keys));
  return {
    ...record,
    eventSourceARN: streamArn,
    dynamodb: { ...dynamodb, ...(at !== undefined && { ApproximateCreationDateTime: Math.floor(at) }) },
    ...(expired && { userIdentity: EXPIRY }),
  };
};
