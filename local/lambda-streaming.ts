import type { Writable } from 'node:stream';
import type { Context } from 'aws-lambda';

/** Status and headers of a streamed response. */
export interface StreamHead {
  readonly statusCode?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The stream that a handler writes its response to. */
export interface ResponseStream extends Writable {
  /** Sends the head. @returns the stream of the body. */
  begin(head: StreamHead): Writable;
}

export type StreamingHandler = (event: unknown, stream: ResponseStream, context: Context) => Promise<void>;

// The Lambda runtime identifies streaming handlers by this symbol.
const MARK = Symbol.for('aws.lambda.runtime.handler.streaming');

/** Defines the global `awslambda` of the Lambda runtime. Call it before a streaming handler is imported. */
export const provideStreaming = (): void => {
  Object.assign(globalThis, {
    awslambda: {
      streamifyResponse: (handler: StreamingHandler) => Object.assign(handler, { [MARK]: 'response' }),
      HttpResponseStream: { from: (stream: ResponseStream, head: StreamHead) => stream.begin(head) },
    },
  });
};

export const isStreaming = (handler: unknown): handler is StreamingHandler =>
  typeof handler === 'function' && MARK in handler;
