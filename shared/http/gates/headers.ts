import { type GateRequest, header } from '#http/call.ts';
import { corsHeaders } from '#http/cors.ts';

/** Adds what every answer carries, good or bad: its id, the caller's quota, the words for browsers of other origins. */
const complete = ({ event, internal: { state }, response }: GateRequest): void => {
  if (!response) return;
  const { quota } = state;
  response.headers = {
    ...response.headers,
    'x-request-id': state.requestId,
    'x-content-type-options': 'nosniff',
    ...(quota && {
      'ratelimit-policy': `"${quota.tier}";q=${quota.limit};w=${quota.windowSeconds}`,
      ratelimit: `"${quota.tier}";r=${quota.remaining};t=${quota.resetSeconds}`,
    }),
    ...corsHeaders(header(event, 'origin'), state.settings.allowedOrigins),
  };
};

export const headers = { after: complete, onError: complete };
