import { mayTakeLong } from '#contract/route.ts';
import type { MiddlewareRequest } from '#http/call.ts';
import { log, loggable } from '#platform/log.ts';
import { count } from '#platform/metrics.ts';
import { statusOf } from '#shared/errors.ts';

/**
 * Writes one log line per request, after all other middleware. It omits address, user agent and query, which could
 * identify the caller. A response is slow when it used half of the request's time.
 */
const finish = ({ event, internal: { state }, response }: MiddlewareRequest): void => {
  const elapsedMs = performance.now() - state.startedAt;
  const status = response?.statusCode ?? statusOf('INTERNAL');
  const line = {
    route: state.route.id,
    method: event.httpMethod,
    status,
    duration_ms: Math.round(elapsedMs),
    request_id: state.requestId,
  };
  // At the beginning of a streamed response.
  if (elapsedMs >= state.time.remainingMs()) count(mayTakeLong(state.route) ? 'SlowLongResponse' : 'SlowResponse');
  if (state.cause === undefined) {
    log.info('request', line);
    return;
  }
  // Unavailable dependencies have alarms of their own.
  if (status === statusOf('INTERNAL')) count('UnhandledError');
  log.error('request failed', { ...line, error: loggable(state.cause) });
};

export const observe = {
  before: ({ event, context, internal: { state } }: MiddlewareRequest): void => {
    state.startedAt = performance.now();
    state.requestId = event.requestContext?.requestId ?? context?.awsRequestId ?? '';
  },
  after: finish,
  onError: finish,
};
