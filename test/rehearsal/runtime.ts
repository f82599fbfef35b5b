import { createWriteStream } from 'node:fs';
import { PassThrough } from 'node:stream';
import { buffer, json } from 'node:stream/consumers';

/**
 * A bare stand-in for the Lambda runtime, in a process of its own: `node runtime.ts <index.mjs>` imports that file, runs its
 * handler once with the event and the context that come by stdin, and writes the outcome to the fourth descriptor. It
 * imports nothing of the repository.
 */

interface Invocation {
  readonly event: unknown;
  readonly context: { readonly seconds: number } & Readonly<Record<string, unknown>>;
}

const STREAMING = Symbol.for('aws.lambda.runtime.handler.streaming');

let head: unknown;
Object.assign(globalThis, {
  awslambda: {
    streamifyResponse: (handler: object) => Object.assign(handler, { [STREAMING]: 'response' }),
    HttpResponseStream: {
      from: (stream: unknown, given: unknown) => {
        head = given;
        return stream;
      },
    },
  },
});

const outcome = async (): Promise<unknown> => {
  const { event, context } = (await json(process.stdin)) as Invocation;
  const { handler } = (await import(String(process.argv[2]))) as { handler: (...given: unknown[]) => Promise<unknown> };
  const deadline = performance.now() + context.seconds * 1000;
  const whole = { ...context, getRemainingTimeInMillis: () => Math.max(0, deadline - performance.now()) };
  if (!(STREAMING in handler)) return { result: await handler(event, whole) };
  const stream = new PassThrough();
  const [body] = await Promise.all([buffer(stream), handler(event, stream, whole)]);
  return { streamed: { head, body: body.toString('base64') } };
};

const settled = await outcome().catch((error: unknown) => ({
  error: error instanceof Error ? `${error.name}: ${error.message}\n${error.stack ?? ''}` : String(error),
}));
// Lambda stops a function when it has answered, whatever is still open.
createWriteStream('', { fd: 3 }).end(JSON.stringify(settled), () => process.exit());
