import { createWriteStream } from 'node:fs';
import { PassThrough } from 'node:stream';
import { buffer, json } from 'node:stream/consumers';

/**
 * A minimal Lambda runtime: `node runtime.ts <index.mjs>` imports the file, runs its handler once with event and
 * context from stdin, and writes the outcome to file descriptor 3. It imports nothing of the repository.
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
  const fullContext = { ...context, getRemainingTimeInMillis: () => Math.max(0, deadline - performance.now()) };
  if (!(STREAMING in handler)) return { result: await handler(event, fullContext) };
  const stream = new PassThrough();
  const [body] = await Promise.all([buffer(stream), handler(event, stream, fullContext)]);
  return { streamed: { head, body: body.toString('base64') } };
};

const finished = await outcome().catch((error: unknown) => ({
  error: error instanceof Error ? `${error.name}: ${error.message}\n${error.stack ?? ''}` : String(error),
}));
// Lambda freezes a function after its response, regardless of open handles.
createWriteStream('', { fd: 3 }).end(JSON.stringify(finished), () => process.exit());
