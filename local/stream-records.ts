import { isDeepStrictEqual } from 'node:util';
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { _Record } from '@aws-sdk/client-dynamodb-streams';
import type { DynamoDBRecord, AttributeValue as LambdaValue } from 'aws-lambda';

type Image = Record<string, AttributeValue>;

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');

const valueAsDelivered = (value: AttributeValue): LambdaValue => {
  if (value.B) return { B: base64(value.B) };
  if (value.BS) return { BS: value.BS.map(base64) };
  if (value.L) return { L: value.L.map(valueAsDelivered) };
  if (value.M) return { M: imageAsDelivered(value.M) };
  return value as LambdaValue;
};

const imageAsDelivered = (image: Image): Record<string, LambdaValue> =>
  Object.fromEntries(Object.entries(image).map(([name, value]) => [name, valueAsDelivered(value)]));

/** The name of an item among the removals that the sweeper made. */
export const sweptName = (keys: Image | undefined): string => JSON.stringify([keys?.pk?.S, keys?.sk?.S]);

const EXPIRY = { type: 'Service', principalId: 'dynamodb.amazonaws.com' } as const;

/**
 * A record of the stream as Lambda delivers it: binaries as base64, the time in seconds, removals of expired items marked.
 * @returns undefined for one that DynamoDB would not have written: a change that changes nothing.
 * @param swept the items that the sweeper has removed; one that is met is taken out.
 */
export const asDelivered = (record: _Record, streamArn: string, swept: Set<string>): DynamoDBRecord | undefined => {
  const { dynamodb = {} } = record;
  const { Keys, NewImage, OldImage, ApproximateCreationDateTime: at, ...rest } = dynamodb;
  if (record.eventName === 'MODIFY' && isDeepStrictEqual(NewImage, OldImage)) return undefined;
  const expired = record.eventName === 'REMOVE' && swept.delete(sweptName(Keys));
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
      ...(Keys && { Keys: imageAsDelivered(Keys) }),
      ...(NewImage && { NewImage: imageAsDelivered(NewImage) }),
      ...(OldImage && { OldImage: imageAsDelivered(OldImage) }),
    },
    ...(expired && { userIdentity: EXPIRY }),
  };
};
