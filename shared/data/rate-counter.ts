import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { LRUCache } from 'lru-cache';
import { dynamoWithoutRetries } from '#platform/dynamo.ts';
import { environment } from '#platform/environment.ts';
import { withTimeLimit } from '#platform/time-limit.ts';
import { isConnectionError } from '#platform/unavailable.ts';
import { rateKey } from './keys.ts';

/** One window of the request counter of one caller and tier. */
interface RateWindow {
  readonly tier: string;
  /** The hashed address of the caller. */
  readonly bucket: string;
  /** The number of the window since the epoch. */
  readonly window: number;
  /** The end of the window, in seconds since the epoch. */
  readonly endsAt: number;
}

const CALLERS_MAX = 10_000;

/** By bucket, the counters of a service that is one process. */
const counters = new LRUCache<string, number>({ max: CALLERS_MAX });

const countInMemory = ({ bucket }: RateWindow): number => {
  const count = (counters.get(bucket) ?? 0) + 1;
  counters.set(bucket, count);
  return count;
};

/** The least time of the first request of a process, which opens a connection, in milliseconds. */
const FIRST_LIMIT_MS = 1000;

let hasResponded = false;

/**
 * Sends its command itself instead of through `write.ts`, because every function may write this item, also those that may
 * write nothing else.
 */
const countInTable = async ({ tier, bucket, window, endsAt }: RateWindow): Promise<number> => {
  const command = new UpdateCommand({
    TableName: environment().table,
    Key: rateKey(tier, bucket, window),
    UpdateExpression: 'ADD #count :one SET #ttl = :ttl',
    ExpressionAttributeNames: { '#count': 'count', '#ttl': 'ttl' },
    ExpressionAttributeValues: { ':one': 1, ':ttl': endsAt + 60 },
    ReturnValues: 'UPDATED_NEW',
  });
  const { rateCounterTimeoutMs } = environment();
  const limitMs = hasResponded ? rateCounterTimeoutMs : Math.max(rateCounterTimeoutMs, FIRST_LIMIT_MS);
  const { Attributes } = await withTimeLimit(limitMs, async (abortSignal) => {
    const send = () => dynamoWithoutRetries().send(command, { abortSignal });
    try {
      return await send();
    } catch (error) {
      // Connections break while a function is frozen.
      if (!isConnectionError(error)) throw error;
      return await send();
    }
  });
  hasResponded = true;
  return Number(Attributes?.count);
};

/**
 * Counts one request.
 * @returns the number of requests in this window, with this one.
 * @throws when the table throttles, fails twice to be reached, or does not respond within `rateCounterTimeoutMs`.
 */
export const countRequest = async (rate: RateWindow): Promise<number> =>
  environment().rateCounter === 'memory' ? countInMemory(rate) : await countInTable(rate);
