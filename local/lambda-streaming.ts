import type { Writable } from 'node:stream';
import type { Context } from 'aws-lambda';

/** Status and headers of a streamed answer, which go before its first byte. */
export interface StreamHead {
  readonly statusCode?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The stream that a handler is given to write its answer to. */
export interface ResponseStream extends Writable {
  /** Sends the head and gives the stream for the body. */
  begin(head: StreamHead): Writable;
}

/** A Lambda handler that writes its answer piece by piece. */
export type StreamingHandler = (event: unknown, stream: ResponseStream, context: Context) => Promise<void>;

// The mark by which the Lambda runtime itself tells such handlers from others.
const MARK = Symbol.for('aws.lambda.runtime.handler.streaming');

/** Gives this process the global that handlers with a streamed answer expect; call it before any is imported. */
export const provideStreaming = (): void => {
  Object.assign(globalThis, {
    awslambda: {
      streamifyResponse: (handler: StreamingHandler) => Object.assign(handler, { [MARK]: 'response' }),
      HttpResponseStream: { from: (stream: ResponseStream, head: StreamHead) => stream.begin(head) },
    },
  });
};

/** Whether a handler wants to be given a stream. */
export const isStreaming = (handler: unknown): handler is StreamingHandler =>
  typeof handler === 'function' && MARK in handler;
