import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { defineRoute } from '#contract/route.ts';
import { handle } from '#http/handle.ts';
import { jobSecret } from '#http/job.ts';
import { idempotency } from '#http/middleware/idempotency.ts';
import { middleware } from '#http/middleware.ts';
import { writeOptions } from '#platform/time-limit.ts';

/** Requests that take longer than the function or the gateway allows. */

const declaration = {
  method: 'POST',
  path: '/api/probe',
  summary: 'Probe',
  auth: 'public',
  tier: 'none',
  responses: { 200: z.object({}) },
  permissions: [],
} as const;

/** The phases of a middleware, to be replaced. */
interface Phases {
  before: (request: never) => unknown;
  after: (request: never) => unknown;
  onError: (request: never) => unknown;
}

const never = () => new Promise<never>(() => undefined);
const respond = async () => ({ status: 200 as const, body: {} });
const event = { headers: {}, requestContext: {} } as APIGatewayProxyEvent;

/** The context of an invocation that may run for some seconds. */
const contextFor = (seconds: number): Context => {
  const endsAt = performance.now() + seconds * 1000;
  return { getRemainingTimeInMillis: () => endsAt - performance.now() } as Context;
};

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'performance'] });
  vi.stubEnv('TABLE_NAME', 'none');
  vi.stubEnv('OIDC_ISSUER', 'none');
  vi.stubEnv('OIDC_AUDIENCES', 'none');
  vi.stubEnv('OIDC_JWKS_URI', 'https://issuer.example/keys');
});

afterEach(() => vi.useRealTimers());

/** The status of a response, or undefined while there is none after this time. */
const statusAfter = async (response: Promise<{ statusCode: number }>, ms: number): Promise<number | undefined> => {
  let status: number | undefined;
  const respondOnce = async (): Promise<void> => {
    status = (await response).statusCode;
  };
  void respondOnce();
  await vi.advanceTimersByTimeAsync(ms);
  return status;
};

it.each(['rate', 'identity', 'permission'] as const)(
  'a request whose %s does not end returns 504 in time',
  async (name) => {
    vi.spyOn(middleware[name] as unknown as Phases, 'before').mockImplementation(never);
    const handler = handle(defineRoute('probes.run', declaration), respond);
    expect(await statusAfter(handler(event, contextFor(10)), 9900)).toBe(504);
  },
);

it('a request whose response cannot be stored under its key returns 504 in time', async () => {
  vi.spyOn(idempotency as Phases, 'before').mockReturnValue(undefined);
  vi.spyOn(idempotency as Phases, 'after').mockImplementation(never);
  const handler = handle(defineRoute('probes.run', { ...declaration, idempotent: true }), respond, [idempotency]);
  expect(await statusAfter(handler(event, contextFor(10)), 9900)).toBe(504);
});

it('a rejected request whose key is not released returns 504 in time', async () => {
  vi.spyOn(idempotency as Phases, 'before').mockReturnValue(undefined);
  vi.spyOn(idempotency as Phases, 'onError').mockImplementation(never);
  const run = () => Promise.reject(new Error('rejected'));
  const handler = handle(defineRoute('probes.run', { ...declaration, idempotent: true }), run, [idempotency]);
  expect(await statusAfter(handler(event, contextFor(10)), 9900)).toBe(504);
});

it('a function that may run for minutes responds before the gateway stops waiting, and writes nothing later', async () => {
  vi.spyOn(jobSecret as Phases, 'before').mockReturnValue(undefined);
  let isWritten: boolean | undefined;
  const run = async () => {
    await new Promise((resolve) => {
      setTimeout(resolve, 60_000);
    });
    try {
      writeOptions();
      isWritten = true;
    } catch {
      isWritten = false;
    }
    return await respond();
  };
  const handler = handle(defineRoute('probes.run', { ...declaration, auth: 'cron' }), run, [jobSecret]);
  expect(await statusAfter(handler(event, contextFor(600)), 28_900)).toBe(504);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(isWritten).toBe(false);
});
