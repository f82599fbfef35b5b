import { header, type MiddlewareRequest } from '#http/call.ts';
import { corsHeaders } from '#http/cors.ts';
import { TRANSPORT_SECURITY } from '#http/transport-security.ts';

/** Adds the headers of every response: request id, rate limit quota, CORS, transport security. `HEAD` has no body. */
const complete = ({ event, internal: { state }, response }: MiddlewareRequest): void => {
  if (!response) return;
  // The response to GET without its body; `streaming` empties a streamed one.
  if (event.httpMethod === 'HEAD' && typeof response.body === 'string') response.body = '';
  const { quota } = state;
  response.headers = {
    ...response.headers,
    'x-request-id': state.requestId,
    'x-content-type-options': 'nosniff',
    ...(state.settings.httpsOnly && TRANSPORT_SECURITY),
    ...(quota && {
      'ratelimit-policy': `"${quota.tier}";q=${quota.limit};w=${quota.windowSeconds}`,
      ratelimit: `"${quota.tier}";r=${quota.remaining};t=${quota.resetSeconds}`,
    }),
    ...corsHeaders(header(event, 'origin'), state.settings.allowedOrigins),
  };
};

export const headers = { after: complete, onError: complete };
