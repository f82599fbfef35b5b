import { header, type MiddlewareRequest } from '#http/call.ts';

const EXPOSED = 'ETag, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id, Content-Disposition';
const ALLOWED = 'Authorization, Content-Type, If-Match, If-None-Match, Idempotency-Key';
const METHODS = 'GET, POST, PUT, DELETE, OPTIONS';
const PREFLIGHT_SECONDS = 600;

/** Response headers that permit a configured origin to read the response. */
export const corsHeaders = (origin: string | undefined, allowed: readonly string[]): Record<string, string> => {
  if (allowed.length === 0) return {};
  if (origin === undefined || !allowed.includes(origin)) return { vary: 'Origin' };
  return {
    'access-control-allow-origin': origin,
    'access-control-allow-credentials': 'true',
    'access-control-expose-headers': EXPOSED,
    vary: 'Origin',
  };
};

export const preflightHeaders = (origin: string | undefined, allowed: readonly string[]): Record<string, string> => {
  const headers = corsHeaders(origin, allowed);
  if (!headers['access-control-allow-origin']) return headers;
  return {
    ...headers,
    'access-control-allow-methods': METHODS,
    'access-control-allow-headers': ALLOWED,
    'access-control-max-age': String(PREFLIGHT_SECONDS),
  };
};

/**
 * The `Strict-Transport-Security` header of deployed stages: browsers use https for this host for a year. Not on one
 * machine, where browsers would then refuse http on `localhost`.
 */
export const TRANSPORT_SECURITY = { 'strict-transport-security': 'max-age=31536000' } as const;

/** Adds the headers of every response: request id, rate limit quota, CORS, transport security. `HEAD` has no body. */
const complete = ({ event, internal: { state }, response }: MiddlewareRequest): void => {
  if (!response) return;
  // The response to GET without its body; `streaming` empties a streamed one.
  if (event.httpMethod === 'HEAD' && typeof response.body === 'string') response.body = '';
  const { quota } = state;
  const cors = corsHeaders(header(event, 'origin'), state.environment.allowedOrigins);
  // The gateway compresses responses, and caches must keep both forms apart: those to GET, HEAD and revalidations alike.
  const isCacheable = event.httpMethod === 'GET' || event.httpMethod === 'HEAD';
  const vary = [cors.vary, isCacheable && 'Accept-Encoding'].filter(Boolean).join(', ');
  response.headers = {
    ...response.headers,
    'x-request-id': state.requestId,
    'x-content-type-options': 'nosniff',
    ...(state.environment.httpsOnly && TRANSPORT_SECURITY),
    ...(quota && {
      'ratelimit-policy': `"${quota.tier}";q=${quota.limit};w=${quota.windowSeconds}`,
      ratelimit: `"${quota.tier}";r=${quota.remaining};t=${quota.resetSeconds}`,
    }),
    ...cors,
    ...(vary && { vary }),
  };
};

export const headers = { after: complete, onError: complete };
