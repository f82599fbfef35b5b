import { createHash } from 'node:crypto';
import { countRequest } from '#data/rate-leases.ts';
import { type GateRequest, header } from '#http/call.ts';
import { addressRanges, bucketOf, clientAddress, sentThroughGateway } from '#http/client-address.ts';
import { log } from '#platform/log.ts';
import { count } from '#platform/metrics.ts';
import { rateLimited } from '#shared/errors.ts';

// Buckets that are known to be over their limit, with the end of their window in seconds: they are refused without a write.
const exhausted = new Map<string, number>();
const EXHAUSTED_MAX = 10_000;

let isTrusted: ((address: string) => boolean) | undefined;

const addressOf = ({ event, internal: { state } }: GateRequest): string => {
  isTrusted ??= addressRanges(state.settings.trustedProxies);
  const trusted = isTrusted;
  const { sourceIp, apiKeyId } = event.requestContext.identity;
  const speaksForOthers = (address: string) => trusted(address) || (Boolean(apiKeyId) && address === sourceIp);
  const forwardedFor = header(event, 'x-forwarded-for');
  // Only the gateway knows keys; who presents one has come through it.
  return clientAddress(sourceIp, apiKeyId ? sentThroughGateway(forwardedFor, sourceIp) : forwardedFor, speaksForOthers);
};

const digest = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, 22);

const digests = new Map<string, string>();
const DIGESTS_MAX = 10_000;

// The table must not tell who called, so the counter's key is a digest that also changes with every window.
const unreadable = (address: string, tier: string, window: number): string => {
  const readable = `${tier} ${window} ${bucketOf(address)}`;
  let known = digests.get(readable);
  if (known === undefined) {
    known = digest(readable);
    if (digests.size >= DIGESTS_MAX) digests.clear();
    digests.set(readable, known);
  }
  return known;
};

const remember = (bucket: string, endsAt: number, nowSeconds: number): void => {
  if (exhausted.size >= EXHAUSTED_MAX) {
    for (const [known, end] of exhausted) if (end <= nowSeconds) exhausted.delete(known);
    if (exhausted.size >= EXHAUSTED_MAX) exhausted.clear();
  }
  exhausted.set(bucket, endsAt);
};

/**
 * Counts the request on its tier and its caller's address in a window that all processes share. When the counter cannot
 * be reached the request passes: a limiter must not be able to take the service down.
 */
export const rate = {
  before: async (request: GateRequest): Promise<void> => {
    const { state } = request.internal;
    const { tier } = state.route;
    if (tier === 'none') return;
    const { count: limit, windowSeconds } = state.settings.tiers[tier];
    const nowSeconds = Date.now() / 1000;
    const window = Math.floor(nowSeconds / windowSeconds);
    const endsAt = (window + 1) * windowSeconds;
    const resetSeconds = Math.max(1, Math.ceil(endsAt - nowSeconds));
    state.address = addressOf(request);
    const bucket = unreadable(state.address, tier, window);
    const quota = { tier, limit, windowSeconds, resetSeconds };
    const refuse = () => {
      state.quota = { ...quota, remaining: 0 };
      throw rateLimited(resetSeconds);
    };

    if ((exhausted.get(bucket) ?? 0) > nowSeconds) refuse();
    let counted: number | undefined;
    try {
      counted = await countRequest({ tier, bucket, window, endsAt }, limit);
    } catch (error) {
      count('RateCounterUnavailable');
      log.error('the rate counter cannot be reached; the request passes', { error: error as Error });
      return;
    }
    if (counted === undefined) {
      remember(bucket, endsAt, nowSeconds);
      refuse();
      return;
    }
    state.quota = { ...quota, remaining: limit - counted };
  },
};
