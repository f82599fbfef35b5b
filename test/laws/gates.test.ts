import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { defineRoute } from '#contract/route.ts';
import { gates } from '#http/gates.ts';
import { handle } from '#http/handle.ts';

const ORDER = ['observe', 'headers', 'failure', 'feature', 'rate', 'identity', 'permission', 'input', 'once', 'reply'];

const route = defineRoute('laws.probe', {
  method: 'GET',
  path: '/api/laws',
  summary: 'Probe',
  auth: 'public',
  tier: 'none',
  replies: { 200: z.object({}) },
  needs: [],
});

type Phase = 'before' | 'after' | 'onError';
type Gates = Record<string, Partial<Record<Phase, (request: { response?: unknown }) => unknown>>>;

/** Puts a recorder in the place of every phase of every gate. `trouble` makes one gate throw. */
const probed = (trouble?: string): string[] => {
  const calls: string[] = [];
  for (const [name, gate] of Object.entries(gates as unknown as Gates)) {
    for (const phase of ['before', 'after', 'onError'] as const) {
      if (!gate[phase]) continue;
      vi.spyOn(gate as Required<typeof gate>, phase).mockImplementation((request) => {
        calls.push(`${name} ${phase}`);
        if (name === trouble && phase === 'before') throw new Error('trouble');
        // Middy throws on unless some gate has made a response of the error.
        if (phase === 'onError') request.response = {};
      });
    }
  }
  return calls;
};

const knock = async (calls: string[]): Promise<string[]> => {
  const door = handle(route, {}, async () => {
    calls.push('work');
    return { status: 200 as const, body: {} };
  });
  const context = { getRemainingTimeInMillis: () => 10_000 } as Context;
  await door({ headers: {}, requestContext: {} } as APIGatewayProxyEvent, context);
  return calls;
};

beforeEach(() => {
  vi.stubEnv('TABLE_NAME', 'none');
  vi.stubEnv('OIDC_ISSUER', 'none');
  vi.stubEnv('OIDC_JWKS_URI', 'none');
});

afterEach(() => {
  vi.restoreAllMocks();
});

describe('gates', () => {
  it('stand in the one order', () => {
    expect(Object.keys(gates)).toEqual(ORDER);
  });

  it('check in this order before the work, and complete the answer from the inside out', async () => {
    expect(await knock(probed())).toEqual([
      'observe before',
      'feature before',
      'rate before',
      'identity before',
      'permission before',
      'input before',
      'once before',
      'work',
      'reply after',
      'once after',
      'headers after',
      'observe after',
    ]);
  });

  it.each([
    ['feature', ['observe', 'feature']],
    ['rate', ['observe', 'feature', 'rate']],
    ['identity', ['observe', 'feature', 'rate', 'identity']],
    ['permission', ['observe', 'feature', 'rate', 'identity', 'permission']],
    ['input', ['observe', 'feature', 'rate', 'identity', 'permission', 'input']],
    ['once', ['observe', 'feature', 'rate', 'identity', 'permission', 'input', 'once']],
  ])(
    'ask nothing further when %s refuses, and still give the refusal its form, headers and log line',
    async (trouble, asked) => {
      expect(await knock(probed(trouble))).toEqual([
        ...asked.map((name) => `${name} before`),
        'once onError',
        'failure onError',
        'headers onError',
        'observe onError',
      ]);
    },
  );
});
