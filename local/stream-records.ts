import { isDeepStrictEqual } from 'node:util';
import type { _Record, AttributeValue } from '@aws-sdk/client-dynamodb-streams';
import type { DynamoDBRecord, AttributeValue as LambdaValue } from 'aws-lambda';

/** The key of an item, of the form of the table or of its stream. */
type ItemKey = Readonly<Record<string, { readonly S?: string | undefined }>>;

/** Identifies an item among those that the TTL sweeper deleted. */
export const sweptKey = (keys: ItemKey | undefined): string => JSON.stringify([keys?.pk?.S, keys?.sk?.S]);

const EXPIRY = { type: 'Service', principalId: 'dynamodb.amazonaws.com' } as const;

/** Lambda delivers bytes in base64. */
const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');

const lambdaValue = (value: AttributeValue): LambdaValue => {
  if (value.B) return { B: base64(value.B) };
  if (value.BS) return { BS: value.BS.map(base64) };
  if (value.L) return { L: value.L.map(lambdaValue) };
  if (value.M) return { M: lambdaImage(value.M) };
  const { $unknown: _unknown, ...plain } = value;
  return plain as LambdaValue;
};

const lambdaImage = (image: Readonly<Record<string, AttributeValue>>): Record<string, LambdaValue> =>
  Object.fromEntries(Object.entries(image).map(([name, value]) => [name, lambdaValue(value)]));

/**
 * Converts a record of the stream to the form of Lambda events: with the stream, time in whole seconds, TTL deletions
 * marked.
 * @param swept the items that the TTL sweeper deleted; a matching item is removed from the set.
 * @returns undefined for a change without effect: DynamoDB writes no record for it.
 */
export const lambdaRecord = (
  { dynamodb = {}, userIdentity, ...record }: _Record,
  streamArn: string,
  swept: Set<string>,
): DynamoDBRecord | undefined => {
  const { Keys, NewImage, OldImage, ApproximateCreationDateTime: at, ...details } = dynamodb;
  if (record.eventName === 'MODIFY' && isDeepStrictEqual(NewImage, OldImage)) return undefined;
  const expired = record.eventName === 'REMOVE' && swept.delete(sweptKey(Keys));
  return {
    ...record,
    eventSourceARN: streamArn,
    dynamodb: {
      ...details,
      ...(Keys && { Keys: lambdaImage(Keys) }),
      ...(NewImage && { NewImage: lambdaImage(NewImage) }),
      ...(OldImage && { OldImage: lambdaImage(OldImage) }),
      ...(at && { ApproximateCreationDateTime: Math.floor(at.getTime() / 1000) }),
    },
    ...(expired ? { userIdentity: EXPIRY } : userIdentity && { userIdentity }),
  };
};
