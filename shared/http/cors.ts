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

/** Response headers for a preflight request. */
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
