import { createHash } from 'node:crypto';
import { countRequest } from '#data/rate-counter.ts';
import { header, type MiddlewareRequest } from '#http/call.ts';
import { addressRanges, bucketOf, clientAddress, sentThroughGateway } from '#http/client-address.ts';
import { log } from '#platform/log.ts';
import { count } from '#platform/metrics.ts';
import { rateLimited } from '#shared/errors.ts';

// Buckets known to be over their limit, with the end of their window in seconds. They are rejected without a write.
const exhausted = new Map<string, number>();
const EXHAUSTED_MAX = 10_000;

let isTrusted: ((address: string) => boolean) | undefined;

const addressOf = ({ event, internal: { state } }: MiddlewareRequest): string => {
  isTrusted ??= addressRanges(state.settings.trustedProxies);
  const trusted = isTrusted;
  const { sourceIp, apiKeyId } = event.requestContext.identity;
  const mayForward = (address: string) => trusted(address) || (Boolean(apiKeyId) && address === sourceIp);
  const forwardedFor = header(event, 'x-forwarded-for');
  // API keys are verified by the gateway, so a request with one has passed it.
  return clientAddress(sourceIp, apiKeyId ? sentThroughGateway(forwardedFor, sourceIp) : forwardedFor, mayForward);
};

const digest = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, 22);

const digests = new Map<string, string>();
const DIGESTS_MAX = 10_000;

// The table must not reveal addresses, so the counter's key is a digest that changes with every window.
const bucketDigest = (address: string, tier: string, window: number): string => {
  const plain = `${tier} ${window} ${bucketOf(address)}`;
  let bucket = digests.get(plain);
  if (bucket === undefined) {
    bucket = digest(plain);
    if (digests.size >= DIGESTS_MAX) digests.clear();
    digests.set(plain, bucket);
  }
  return bucket;
};

const rememberExhausted = (bucket: string, endsAt: number, nowSeconds: number): void => {
  if (exhausted.size >= EXHAUSTED_MAX) {
    for (const [ended, end] of exhausted) if (end <= nowSeconds) exhausted.delete(ended);
    if (exhausted.size >= EXHAUSTED_MAX) exhausted.clear();
  }
  exhausted.set(bucket, endsAt);
};

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
 * Limits requests per tier and client address, in a window shared by all processes. When the counter fails or does not
 * respond in time the request passes: the limiter must not reduce availability.
 */
export const rate = {
  before: async (request: MiddlewareRequest): Promise<void> => {
    const { state } = request.internal;
    const { tier } = state.route;
    if (tier === 'none') return;
    const { count: limit, windowSeconds } = state.settings.tiers[tier];
    const nowSeconds = Date.now() / 1000;
    const window = Math.floor(nowSeconds / windowSeconds);
    const endsAt = (window + 1) * windowSeconds;
    const resetSeconds = Math.max(1, Math.ceil(endsAt - nowSeconds));
    state.address = addressOf(request);
    const bucket = bucketDigest(state.address, tier, window);
    const quota = { tier, limit, windowSeconds, resetSeconds };
    const reject = () => {
      state.quota = { ...quota, remaining: 0 };
      throw rateLimited(resetSeconds);
    };

    if ((exhausted.get(bucket) ?? 0) > nowSeconds) reject();
    let counted: number | undefined;
    try {
      counted = await countRequest({ tier, bucket, window, endsAt }, limit);
    } catch (error) {
      reportUnavailable(error);
      return;
    }
    reportAvailable();
    if (counted === undefined) {
      rememberExhausted(bucket, endsAt, nowSeconds);
      reject();
      return;
    }
    state.quota = { ...quota, remaining: limit - counted };
  },
};
