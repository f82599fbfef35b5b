import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { defineRoute } from '#contract/route.ts';
import { handle } from '#http/handle.ts';
import { jobSecret } from '#http/job.ts';
import { authorize } from '#http/middleware/authorize.ts';
import { idempotency } from '#http/middleware/idempotency.ts';
import { multipart } from '#http/middleware/multipart.ts';
import { streaming } from '#http/middleware/streaming.ts';
import { middleware } from '#http/middleware.ts';
import { provideStreaming } from '#local/lambda-streaming.ts';

const ORDER = ['observe', 'headers', 'failure', 'feature', 'rate', 'identity', 'permission', 'input', 'response'];

const BEFORE = [
  'observe',
  'feature',
  'rate',
  'identity',
  'jobSecret',
  'permission',
  'authorize',
  'multipart',
  'input',
  'idempotency',
];

const probe = {
  method: 'POST',
  path: '/api/probe',
  summary: 'Probe',
  auth: 'cron',
  tier: 'none',
  bodyKind: 'multipart',
  idempotent: true,
  responses: { 200: z.object({}) },
  permissions: [],
} as const;
const route = defineRoute('probes.run', probe);

// In another order than the one they run in.
const routeMiddleware = [idempotency, authorize(async () => undefined), multipart({ file: 1 }), jobSecret];

type Phase = 'before' | 'after' | 'onError';
type Phases = Record<string, Partial<Record<Phase, (request: { response?: unknown }) => unknown>>>;

const named = { ...middleware, ...Object.fromEntries(routeMiddleware.map((one) => [one.name, one])) };

/** Replaces every phase of every middleware by a recorder. @param failing the middleware whose `before` throws. */
const recordCalls = (failing?: string): string[] => {
  const calls: string[] = [];
  for (const [name, one] of Object.entries(named as unknown as Phases)) {
    for (const phase of ['before', 'after', 'onError'] as const) {
      if (!one[phase]) continue;
      vi.spyOn(one as Required<typeof one>, phase).mockImplementation((request) => {
        calls.push(`${name} ${phase}`);
        if (name === failing && phase === 'before') throw new Error('failing');
        // Middy rethrows unless a middleware has made a response of the error.
        if (phase === 'onError') request.response = {};
      });
    }
  }
  return calls;
};

const invoke = async (calls: string[]): Promise<string[]> => {
  const run = async () => {
    calls.push('run');
    return { status: 200 as const, body: {} };
  };
  const handler = handle(route, run, routeMiddleware);
  const context = { getRemainingTimeInMillis: () => 10_000 } as Context;
  await handler({ headers: {}, requestContext: {} } as APIGatewayProxyEvent, context);
  return calls;
};

beforeEach(() => {
  provideStreaming();
  vi.stubEnv('TABLE_NAME', 'none');
  vi.stubEnv('OIDC_ISSUER', 'none');
  vi.stubEnv('OIDC_AUDIENCES', 'none');
  vi.stubEnv('OIDC_JWKS_URI', 'https://issuer.example/keys');
});

afterEach(() => {
  vi.restoreAllMocks();
});

it('middleware has one order', () => {
  expect(Object.keys(middleware)).toEqual(ORDER);
});

it('middleware runs in this order before the handler, and completes the response in reverse', async () => {
  expect(await invoke(recordCalls())).toEqual([
    ...BEFORE.map((name) => `${name} before`),
    'run',
    'response after',
    'idempotency after',
    'headers after',
    'observe after',
  ]);
});

it.each(BEFORE.slice(1))(
  'middleware stops when %s rejects, and still completes the response and the log line',
  async (failing) => {
    const called = BEFORE.slice(0, BEFORE.indexOf(failing) + 1);
    expect(await invoke(recordCalls(failing))).toEqual([
      ...called.map((name) => `${name} before`),
      'idempotency onError',
      'authorize onError',
      'failure onError',
      'headers onError',
      'observe onError',
    ]);
  },
);

describe('route middleware', () => {
  const run = () => Promise.reject(new Error('not called'));
  const plain = { ...probe, auth: 'public', bodyKind: 'json', idempotent: undefined } as const;
  const csv = { stream: true, contentType: 'text/csv', description: 'rows' } as const;

  it('authorize must be passed where a path variable comes with input', () => {
    const item = { ...plain, path: '/api/probes/{probe}' } as const;
    const withInput = [
      { ...item, body: z.object({}) },
      { ...item, query: z.object({}) },
    ];
    for (const declaration of withInput) {
      const requiring = defineRoute('probes.requiring', declaration as unknown as typeof probe);
      expect(() => handle(requiring, run)).toThrow('probes.requiring requires the middleware authorize.');
      expect(() => handle(requiring, run, [authorize(async () => undefined)])).not.toThrow();
    }
    expect(() => handle(defineRoute('probes.other', item as unknown as typeof probe), run)).not.toThrow();
  });

  it.each([
    ['jobSecret', jobSecret, { ...plain, auth: 'cron' }],
    ['multipart', multipart({ file: 1 }), { ...plain, bodyKind: 'multipart' }],
    ['idempotency', idempotency, { ...plain, idempotent: true }],
    ['streaming', streaming, { ...plain, responses: { 200: csv } }],
  ] as const)('%s must be passed where the contract requires it, and only there', (name, one, declaration) => {
    const requiring = defineRoute('probes.requiring', declaration as unknown as typeof probe);
    const other = defineRoute('probes.other', plain as unknown as typeof probe);
    expect(() => handle(requiring, run, [one])).not.toThrow();
    expect(() => handle(requiring, run)).toThrow(`probes.requiring requires the middleware ${name}.`);
    expect(() => handle(other, run, [one])).toThrow(`The contract of probes.other does not declare ${name}.`);
    expect(() => handle(other, run)).not.toThrow();
  });
});
