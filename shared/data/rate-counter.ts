import { dynamoWithoutRetries } from '#platform/dynamo.ts';
import { UpdateCommand } from '#platform/dynamo-commands.ts';
import { settings } from '#platform/settings.ts';
import { withTimeLimit } from '#platform/time-limit.ts';
import { rateKey } from './keys.ts';
import { isTransactionConflict, sendSingle } from './write.ts';

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

/**
 * Adds requests to the shared counter unless it would exceed the limit. Sends its command itself instead of through
 * `write.ts`, because every function may write this item, also those that may write nothing else.
 * @returns the new count, or undefined when fewer than `requests` remain.
 * @throws when the table throttles, fails, or does not respond before the signal aborts.
 */
const countRequests = async (
  rate: RateWindow,
  requests: number,
  limit: number,
  signal: AbortSignal,
): Promise<number | undefined> => {
  const output = await sendSingle(
    () =>
      dynamoWithoutRetries().send(
        new UpdateCommand({
          TableName: settings().table,
          Key: rateKey(rate.tier, rate.bucket, rate.window),
          UpdateExpression: 'ADD #count :more SET #ttl = :ttl',
          ConditionExpression: 'attribute_not_exists(#count) OR #count <= :most',
          ExpressionAttributeNames: { '#count': 'count', '#ttl': 'ttl' },
          ExpressionAttributeValues: { ':more': requests, ':most': limit - requests, ':ttl': rate.endsAt + 60 },
          ReturnValues: 'UPDATED_NEW',
        }),
        { abortSignal: signal },
      ),
    isTransactionConflict,
  );
  return output && Number(output.Attributes?.count);
};

/** Runs counter writes within the time limit of the rate counter, which all of them share. */
const inTime = <T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> =>
  withTimeLimit(settings().rateCounterTimeoutMs, work);

/**
 * Requests of one window that are counted in the table but not yet used. A process that is the only one saves writes by
 * counting several requests ahead. The limit still holds, because a request is counted before it passes. What a crashed
 * process had prefetched is lost to the caller until the window ends, so a prefetch is never larger than the
 * number of requests that the caller has made, nor than `ratePrefetchMax`.
 */
interface PrefetchedQuota {
  /** The count of the next request. */
  next: number;
  /** The last prefetched count. */
  last: number;
  readonly endsAt: number;
  extending: Promise<boolean> | undefined;
}

const prefetched = new Map<string, PrefetchedQuota>();
const PREFETCHED_MAX = 10_000;

/** Discards ended windows; when all are current, discards all, which loses their unused requests. */
const evict = (): void => {
  const nowSeconds = Date.now() / 1000;
  for (const [key, { endsAt }] of prefetched) if (endsAt <= nowSeconds) prefetched.delete(key);
  if (prefetched.size >= PREFETCHED_MAX) prefetched.clear();
};

const quotaOf = ({ tier, bucket, window, endsAt }: RateWindow): PrefetchedQuota => {
  const key = `${tier} ${window} ${bucket}`;
  let quota = prefetched.get(key);
  if (!quota) {
    if (prefetched.size >= PREFETCHED_MAX) evict();
    quota = { next: 1, last: 0, endsAt, extending: undefined };
    prefetched.set(key, quota);
  }
  return quota;
};

/** @returns false when the limit is reached. */
const extend = async (
  quota: PrefetchedQuota,
  rate: RateWindow,
  limit: number,
  signal: AbortSignal,
): Promise<boolean> => {
  const wanted = Math.max(1, Math.min(quota.last, settings().ratePrefetchMax, limit - quota.last));
  let size = wanted;
  let last = await countRequests(rate, size, limit, signal);
  if (last === undefined && wanted > 1) {
    // Another process counts too and has left fewer than expected.
    size = 1;
    last = await countRequests(rate, size, limit, signal);
  }
  if (last === undefined) return false;
  quota.next = last - size + 1;
  quota.last = last;
  return true;
};

/**
 * Counts one request.
 * @returns the count with this request, or undefined when the limit was reached before.
 * @throws when the table throttles, fails, or does not respond within `rateCounterTimeoutMs`.
 */
export const countRequest = async (rate: RateWindow, limit: number): Promise<number | undefined> => {
  if (settings().ratePrefetchMax === 1) {
    return await inTime((signal) => countRequests(rate, 1, limit, signal));
  }
  const quota = quotaOf(rate);
  while (quota.next > quota.last) {
    quota.extending ??= inTime((signal) => extend(quota, rate, limit, signal)).finally(() => {
      quota.extending = undefined;
    });
    if (!(await quota.extending)) return undefined;
  }
  quota.next += 1;
  return quota.next - 1;
};
