import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Context } from 'aws-lambda';
import { doorIdOf, routes } from '#contract/table.ts';
import { uploadFolder } from '#lib/bundle.ts';
import { doors } from '#lib/doors.ts';
import { isStreamed } from '#lib/gateway/body.ts';
import type { ImportDoor, LambdaHandler } from '#local/doors.ts';
import type { ResponseStream, StreamHead } from '#local/lambda-streaming.ts';

/** Handlers as they are uploaded, each run in a Node process of its own that has nothing else. */

/** The runs of one door. */
export interface Run {
  readonly door: string;
  readonly milliseconds: number;
  /** What went wrong outside the handler's own answers: a module that is missing, an error that was thrown. */
  readonly error: string | undefined;
}

export interface BareDoors {
  readonly importDoor: ImportDoor;
  readonly runs: readonly Run[];
  /** Takes the copies away. */
  remove(): void;
}

interface Outcome {
  readonly result?: unknown;
  readonly streamed?: { readonly head: StreamHead; readonly body: string };
  readonly error?: string;
}

/** How many processes there are at a time. */
const AT_ONCE = 2;

const STREAMING = Symbol.for('aws.lambda.runtime.handler.streaming');

const runtime = join(import.meta.dirname, 'runtime.ts');

const streamedDoors = new Set(routes.filter(isStreamed).map(doorIdOf));

/** What Lambda itself puts into a function's environment. */
const lambdaVariables = (door: string, { memoryLimitInMB }: Context): Record<string, string> => ({
  AWS_REGION: 'eu-central-1',
  AWS_DEFAULT_REGION: 'eu-central-1',
  // Who calls is known by these: the role of the door.
  AWS_ACCESS_KEY_ID: door,
  AWS_SECRET_ACCESS_KEY: 'nothing',
  AWS_SESSION_TOKEN: 'nothing',
  AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
  AWS_LAMBDA_FUNCTION_NAME: door,
  AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
  AWS_LAMBDA_FUNCTION_MEMORY_SIZE: memoryLimitInMB,
  AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
  AWS_LAMBDA_LOG_FORMAT: 'JSON',
  _HANDLER: 'index.handler',
  _X_AMZN_TRACE_ID: 'Root=1-00000000-000000000000000000000000;Parent=0000000000000000;Sampled=0',
  TZ: ':UTC',
  LANG: 'en_US.UTF-8',
});

/** Lets so many work at a time and the rest wait in a line. */
const turnstile = (places: number) => {
  const waiting: (() => void)[] = [];
  let free = places;
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (free > 0) free -= 1;
    else await new Promise<void>((enter) => waiting.push(enter));
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
  const [stdin, , stderr, answer] = child.stdio as unknown as [Writable, Readable, Readable, Readable];
  stdin.end(JSON.stringify(invocation));
  const [written, complaints] = await Promise.all([text(answer), text(stderr), once(child, 'close')]);
  if (written === '') return { error: `The process ended without an answer: ${complaints}` };
  return JSON.parse(written) as Outcome;
};

/**
 * Copies every bundle to a folder of its own outside the repository, and starts it there for each event anew.
 * @param variablesOf the environment that a door is deployed with, and what leads it to the stand-ins of this machine.
 */
export const bareDoors = (variablesOf: (door: string) => Readonly<Record<string, string>>): BareDoors => {
  const folder = mkdtempSync(join(tmpdir(), 'bare-doors-'));
  for (const { id, path } of doors) cpSync(uploadFolder(path), join(folder, id), { recursive: true });
  const runs: Run[] = [];
  const inTurn = turnstile(AT_ONCE);

  const invoke = async (door: string, event: unknown, context: Context): Promise<Outcome> => {
    const startedAt = performance.now();
    const child = spawn(process.execPath, [runtime, join(folder, door, 'index.mjs')], {
      cwd: join(folder, door),
      env: { ...lambdaVariables(door, context), ...variablesOf(door) },
      stdio: ['pipe', 'ignore', 'pipe', 'pipe'],
    });
    const seconds = context.getRemainingTimeInMillis() / 1000;
    const outcome = await outcomeOf(child, { event, context: { ...context, seconds } });
    runs.push({ door, milliseconds: performance.now() - startedAt, error: outcome.error });
    if (outcome.error !== undefined) throw new Error(`${door}: ${outcome.error}`);
    return outcome;
  };

  const importDoor: ImportDoor = async (door) => {
    const plain: LambdaHandler = async (event, context) => (await inTurn(() => invoke(door, event, context))).result;
    if (!streamedDoors.has(door)) return plain;
    const streaming = async (event: unknown, stream: ResponseStream, context: Context): Promise<void> => {
      const { result, streamed } = await inTurn(() => invoke(door, event, context));
      if (!streamed) throw new Error(`${door} answered in one piece: ${JSON.stringify(result)}`);
      stream.begin(streamed.head).end(Buffer.from(streamed.body, 'base64'));
    };
    return Object.assign(streaming, { [STREAMING]: 'response' }) as unknown as LambdaHandler;
  };
  return { importDoor, runs, remove: () => rmSync(folder, { recursive: true, force: true }) };
};
