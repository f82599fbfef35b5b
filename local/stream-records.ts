import { isDeepStrictEqual } from 'node:util';
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { _Record } from '@aws-sdk/client-dynamodb-streams';
import type { DynamoDBRecord, AttributeValue as LambdaValue } from 'aws-lambda';

type Image = Record<string, AttributeValue>;

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');

const lambdaValue = (value: AttributeValue): LambdaValue => {
  if (value.B) return { B: base64(value.B) };
  if (value.BS) return { BS: value.BS.map(base64) };
  if (value.L) return { L: value.L.map(lambdaValue) };
  if (value.M) return { M: lambdaImage(value.M) };
  return value as LambdaValue;
};

const lambdaImage = (image: Image): Record<string, LambdaValue> =>
  Object.fromEntries(Object.entries(image).map(([name, value]) => [name, lambdaValue(value)]));

/** Identifies an item among those that the TTL sweeper deleted. */
export const sweptKey = (keys: Image | undefined): string => JSON.stringify([keys?.pk?.S, keys?.sk?.S]);

const EXPIRY = { type: 'Service', principalId: 'dynamodb.amazonaws.com' } as const;

/**
 * Converts a stream record to the form of Lambda events: binaries in base64, time in seconds, TTL deletions marked.
 * @param swept the items that the TTL sweeper deleted; a matching item is removed from the set.
 * @returns undefined for a change without effect: DynamoDB writes no record for it.
 */
export const lambdaRecord = (record: _Record, streamArn: string, swept: Set<string>): DynamoDBRecord | undefined => {
  const { dynamodb = {} } = record;
  const { Keys, NewImage, OldImage, ApproximateCreationDateTime: at, ...rest } = dynamodb;
  if (record.eventName === 'MODIFY' && isDeepStrictEqual(NewImage, OldImage)) return undefined;
  const expired = record.eventName === 'REMOVE' && swept.delete(sweptKey(Keys));
  return {
    eventID: record.eventID,
    eventName: record.eventName,
    eventVersion: record.eventVersion,
    eventSource: record.eventSource,
    awsRegion: record.awsRegion,
    eventSourceARN: streamArn,
    dynamodb: {
      ...rest,
      ...(at && { ApproximateCreationDateTime: Math.floor(at.getTime() / 1000) }),
      ...(Keys && { Keys: lambdaImage(Keys) }),
      ...(NewImage && { NewImage: lambdaImage(NewImage) }),
      ...(OldImage && { OldImage: lambdaImage(OldImage) }),
    },
    ...(expired && { userIdentity: EXPIRY }),
  };
};
