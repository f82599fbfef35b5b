import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { dynamo } from '#platform/dynamo.ts';
import { settings } from '#platform/settings.ts';
import { rateKey } from './keys.ts';
import { sendSingle } from './single-write.ts';

/**
 * The shared counter behind the rate tiers. It sends its command itself, apart from `write.ts`, because every function
 * may do just this, also those that may write nothing else.
 */

/** One window of one bucket. */
export interface RateWindow {
  readonly tier: string;
  /** Who is counted, already made unreadable. */
  readonly bucket: string;
  /** The number of the window since the epoch. */
  readonly window: number;
  /** The end of the window, in seconds since the epoch. */
  readonly endsAt: number;
}

/**
 * Counts some requests at once, unless that would lead over the limit; the counter never grows beyond it.
 * @returns the count with these requests, or undefined when there are not so many left.
 */
export const countRequests = async (rate: RateWindow, requests: number, limit: number): Promise<number | undefined> => {
  const answer = await sendSingle(() =>
    dynamo().send(
      new UpdateCommand({
        TableName: settings().table,
        Key: rateKey(rate.tier, rate.bucket, rate.window),
        UpdateExpression: 'ADD #count :more SET #ttl = :ttl',
        ConditionExpression: 'attribute_not_exists(#count) OR #count <= :most',
        ExpressionAttributeNames: { '#count': 'count', '#ttl': 'ttl' },
        ExpressionAttributeValues: { ':more': requests, ':most': limit - requests, ':ttl': rate.endsAt + 60 },
        ReturnValues: 'UPDATED_NEW',
      }),
    ),
  );
  return answer && Number(answer.Attributes?.count);
};
