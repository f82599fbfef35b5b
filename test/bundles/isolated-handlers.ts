import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Context } from 'aws-lambda';
import { handlerIdOf, routes } from '#contract/table.ts';
import { bundleFolder } from '#lib/bundling/paths.ts';
import { isStreamed } from '#lib/gateway/body.ts';
import { handlerFiles } from '#lib/handlers.ts';
import type { ImportHandler, LambdaHandler } from '#local/handlers.ts';
import type { ResponseStream, StreamHead } from '#local/lambda-streaming.ts';

/** Handlers as uploaded, each invocation in a separate Node process without the repository. */

/** One invocation of a handler. */
export interface Run {
  readonly handler: string;
  readonly milliseconds: number;
  /** An error outside the response of the handler: a missing module, or a thrown error. */
  readonly error: string | undefined;
}

export interface IsolatedHandlers {
  readonly importHandler: ImportHandler;
  readonly runs: readonly Run[];
  /** Deletes the copies. */
  remove(): void;
}

interface Outcome {
  readonly result?: unknown;
  readonly streamed?: { readonly head: StreamHead; readonly body: string };
  readonly error?: string;
}

/** The number of concurrent processes. */
const CONCURRENCY = 2;

const STREAMING = Symbol.for('aws.lambda.runtime.handler.streaming');

const runtime = join(import.meta.dirname, 'runtime.ts');

const streamedHandlers = new Set(routes.filter(isStreamed).map(handlerIdOf));

/** The variables that Lambda adds to the environment of a function. */
const lambdaVariables = (handler: string, { memoryLimitInMB }: Context): Record<string, string> => ({
  AWS_REGION: 'eu-central-1',
  AWS_DEFAULT_REGION: 'eu-central-1',
  // The simulated AWS identifies the role by these credentials.
  AWS_ACCESS_KEY_ID: handler,
  AWS_SECRET_ACCESS_KEY: 'none',
  AWS_SESSION_TOKEN: 'none',
  AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
  AWS_LAMBDA_FUNCTION_NAME: handler,
  AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
  AWS_LAMBDA_FUNCTION_MEMORY_SIZE: memoryLimitInMB,
  AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
  AWS_LAMBDA_LOG_FORMAT: 'JSON',
  _HANDLER: 'index.handler',
  _X_AMZN_TRACE_ID: 'Root=1-00000000-000000000000000000000000;Parent=0000000000000000;Sampled=0',
  TZ: ':UTC',
  LANG: 'en_US.UTF-8',
});

/** Limits the number of concurrent operations. */
const limiter = (limit: number) => {
  const waiting: (() => void)[] = [];
  let free = limit;
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resume) => waiting.push(resume));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else free += 1;
    }
  };
};

const outcomeOf = async (child: ChildProcess, invocation: unknown): Promise<Outcome> => {
  const [stdin, , stderr, output] = child.stdio as unknown as [Writable, Readable, Readable, Readable];
  stdin.end(JSON.stringify(invocation));
  const [written, errors] = await Promise.all([text(output), text(stderr), once(child, 'close')]);
  if (written === '') return { error: `The process ended without a response: ${errors}` };
  return JSON.parse(written) as Outcome;
};

/**
 * Copies every bundle to a folder outside the repository, and starts a new process there for each event.
 * @param variablesOf the environment of the deployed function, and the endpoints of local services.
 */
export const isolatedHandlers = (
  variablesOf: (handler: string) => Readonly<Record<string, string>>,
): IsolatedHandlers => {
  const folder = mkdtempSync(join(tmpdir(), 'isolated-handlers-'));
  for (const { id, path } of handlerFiles) cpSync(bundleFolder(path), join(folder, id), { recursive: true });
  const runs: Run[] = [];
  const limited = limiter(CONCURRENCY);

  const invoke = async (handler: string, event: unknown, context: Context): Promise<Outcome> => {
    const startedAt = performance.now();
    const child = spawn(process.execPath, [runtime, join(folder, handler, 'index.mjs')], {
      cwd: join(folder, handler),
      env: { ...lambdaVariables(handler, context), ...variablesOf(handler) },
      stdio: ['pipe', 'ignore', 'pipe', 'pipe'],
    });
    const seconds = context.getRemainingTimeInMillis() / 1000;
    const outcome = await outcomeOf(child, { event, context: { ...context, seconds } });
    runs.push({ handler, milliseconds: performance.now() - startedAt, error: outcome.error });
    if (outcome.error !== undefined) throw new Error(`${handler}: ${outcome.error}`);
    return outcome;
  };

  const importHandler: ImportHandler = async (handler) => {
    const plain: LambdaHandler = async (event, context) =>
      (await limited(() => invoke(handler, event, context))).result;
    if (!streamedHandlers.has(handler)) return plain;
    const streaming = async (event: unknown, stream: ResponseStream, context: Context): Promise<void> => {
      const { result, streamed } = await limited(() => invoke(handler, event, context));
      if (!streamed) throw new Error(`${handler} did not stream: ${JSON.stringify(result)}`);
      stream.begin(streamed.head).end(Buffer.from(streamed.body, 'base64'));
    };
    return Object.assign(streaming, { [STREAMING]: 'response' }) as unknown as LambdaHandler;
  };
  return { importHandler, runs, remove: () => rmSync(folder, { recursive: true, force: true }) };
};
