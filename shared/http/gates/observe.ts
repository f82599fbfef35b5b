import type { GateRequest } from '#http/call.ts';
import { log } from '#platform/log.ts';
import { loggable } from '#platform/loggable.ts';
import { count } from '#platform/metrics.ts';
import { statusOf } from '#shared/errors.ts';

/**
 * Writes one line per request when everything else is done. No address, no user agent, no query: nothing that tells who
 * asked.
 */
const finish = ({ event, internal: { state }, response }: GateRequest): void => {
  const status = response?.statusCode ?? statusOf('INTERNAL');
  const line = {
    route: state.route.id,
    method: event.httpMethod,
    status,
    duration_ms: Math.round(performance.now() - state.startedAt),
    request_id: state.requestId,
  };
  if (state.cause === undefined) {
    log.info('request', line);
    return;
  }
  count('UnhandledError');
  log.error('request failed', { ...line, ...loggable(state.cause) });
};

export const observe = {
  before: ({ event, context, internal: { state } }: GateRequest): void => {
    state.startedAt = performance.now();
    state.requestId = event.requestContext?.requestId ?? context?.awsRequestId ?? '';
  },
  after: finish,
  onError: finish,
};
