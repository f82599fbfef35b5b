import { Readable } from 'node:stream';
import { executionModeStreamifyResponse } from '@middy/core/StreamifyResponse';
import type { MiddlewareRequest, StreamReply } from '#http/call.ts';
import type { RouteMiddleware } from '#http/middleware.ts';

/** Streams the response body. Separate from `handle` because it loads web streams, which lengthens a cold start. */
export const streaming: RouteMiddleware = {
  name: 'streaming',
  // Its `after` phase runs before that of `reply`, which writes status and headers.
  runsAfter: 'reply',
  executionMode: executionModeStreamifyResponse,
  after: (request: MiddlewareRequest): void => {
    const reply = request.response as unknown as StreamReply | undefined;
    if (!reply || !('stream' in reply)) return;
    // `HEAD` has the headers only: the body is not even started.
    Object.assign(reply, { stream: Readable.from(request.event.httpMethod === 'HEAD' ? [] : reply.stream) });
  },
};
