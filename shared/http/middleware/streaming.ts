import { pipeline, Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import { executionModeStreamifyResponse } from '@middy/core/StreamifyResponse';
import { header, type MiddlewareRequest, type StreamResponse } from '#http/call.ts';
import type { RouteMiddleware } from '#http/middleware.ts';
import { preferredEncoding } from '#http/preferred-encoding.ts';

// The fastest level: most of the time of an export goes into reading the table.
const GZIP = { level: 1 };

/**
 * Streams the response body, with gzip where the client accepts it: API Gateway compresses no streams, and Lambda ends one
 * after 200 MB. Separate from `handle` because it loads web streams, which lengthens a cold start.
 */
export const streaming: RouteMiddleware = {
  name: 'streaming',
  // Its `after` phase runs before that of `response`, which writes status and headers.
  runsAfter: 'response',
  executionMode: executionModeStreamifyResponse,
  after: (request: MiddlewareRequest): void => {
    const response = request.response as unknown as StreamResponse | undefined;
    if (!response || !('stream' in response)) return;
    const { event } = request;
    if (event.httpMethod === 'HEAD') {
      // The headers only: the body is not even started.
      Object.assign(response, { stream: Readable.from([]) });
      return;
    }
    const body = Readable.from(response.stream);
    const isCompressed = preferredEncoding(header(event, 'accept-encoding'), ['gzip']) !== undefined;
    Object.assign(response, {
      // An error of the body ends the compressed stream too. `pipeline` demands a callback.
      stream: isCompressed ? pipeline(body, createGzip(GZIP), () => undefined) : body,
      headers: { ...response.headers, ...(isCompressed && { 'content-encoding': 'gzip' }) },
    });
  },
};
