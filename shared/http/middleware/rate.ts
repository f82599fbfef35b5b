import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Tier } from '#contract/route.ts';
import { countRequest } from '#data/rate-counter.ts';
import { header, type MiddlewareRequest, type RequestState } from '#http/call.ts';
import { addressRanges, bucketOf, clientAddress, sentThroughGateway } from '#http/client-address.ts';
import { log } from '#platform/log.ts';
import { count } from '#platform/metrics.ts';
import { rateLimited } from '#shared/errors.ts';

const EXHAUSTED_MAX = 10_000;

/** Buckets known to be over their limit, which are rejected without a write. A bucket belongs to one window. */
const exhausted = new LRUCache<string, true>({ max: EXHAUSTED_MAX });

let isTrusted: ((address: string) => boolean) | undefined;

const addressOf = ({ event, internal: { state } }: MiddlewareRequest): string => {
  isTrusted ??= addressRanges(state.environment.trustedProxies);
  const trusted = isTrusted;
  const { sourceIp, apiKeyId } = event.requestContext.identity;
  const mayForward = (address: string) => trusted(address) || (Boolean(apiKeyId) && address === sourceIp);
  const forwardedFor = header(event, 'x-forwarded-for');
  // API keys are verified by the gateway, so a request with one has passed it.
  return clientAddress(sourceIp, apiKeyId ? sentThroughGateway(forwardedFor, sourceIp) : forwardedFor, mayForward);
};

/** The table must not reveal addresses, so the counter's key is a digest, which changes with every window. */
const bucketDigest = (address: string, tier: string, window: number): string =>
  createHash('sha256')
    .update(`${tier} ${window} ${bucketOf(address)}`)
    .digest('base64url')
    .slice(0, 22);

/** Whether the latest request could be counted: only a change is logged, not every request. */
let isCounting = true;

const reportUnavailable = (error: unknown): void => {
  count('RateCounterUnavailable');
  if (isCounting) log.error('the rate counter is unavailable; requests pass uncounted', { error });
  isCounting = false;
};

const reportAvailable = (): void => {
  if (!isCounting) log.info('the rate counter is available again');
  isCounting = true;
};

/**
 * Counts a request in a tier. When the counter fails or does not respond in time the request passes: the limiter must not reduce
 * availability.
 * @returns the quota that is left; undefined when the request could not be counted.
 * @throws 429
 */
export const countIn = async (request: MiddlewareRequest, tier: Tier): Promise<RequestState['quota']> => {
  const { state } = request.internal;
  const { count: limit, windowSeconds } = state.environment.tiers[tier];
  const nowSeconds = Date.now() / 1000;
  const window = Math.floor(nowSeconds / windowSeconds);
  const endsAt = (window + 1) * windowSeconds;
  const resetSeconds = Math.max(1, Math.ceil(endsAt - nowSeconds));
  state.address = addressOf(request);
  const bucket = bucketDigest(state.address, tier, window);
  const quota = { tier, limit, windowSeconds, resetSeconds };
  const reject = (): never => {
    if (tier === state.route.tier) state.quota = { ...quota, remaining: 0 };
    throw rateLimited(resetSeconds);
  };

  if (exhausted.has(bucket)) reject();
  let counted: number;
  try {
    counted = await countRequest({ tier, bucket, window, endsAt });
  } catch (error) {
    reportUnavailable(error);
    return undefined;
  }
  reportAvailable();
  if (counted > limit) {
    exhausted.set(bucket, true);
    reject();
  }
  return { ...quota, remaining: limit - counted };
};

/** Limits requests per tier and client address, in a window shared by all processes. */
export const rate = {
  before: async (request: MiddlewareRequest): Promise<void> => {
    const { state } = request.internal;
    const { tier } = state.route;
    if (tier === 'none') return;
    const quota = await countIn(request, tier);
    if (quota) state.quota = quota;
  },
};
