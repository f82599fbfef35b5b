import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { paging } from '#contract/fields.ts';
import { defineRoute } from '#contract/route.ts';
import { handle, ok } from '#http/handle.ts';
import { log } from '#platform/log.ts';

/** Answers that are larger than what a function can send. */

log.setLogLevel('SILENT');
process.env.TABLE_NAME = 'table';

const things = {
  method: 'GET',
  path: '/api/things',
  summary: 'List things',
  auth: 'public',
  tier: 'none',
  replies: { 200: z.object({ data: z.array(z.string()) }) },
  needs: [],
} as const;
const paged = defineRoute('things.list', { ...things, query: z.object(paging(40)) });
const whole = defineRoute('things.all', things);

const ask = (route: typeof paged | typeof whole, data: readonly string[]) => {
  const identity = { sourceIp: '192.0.2.1' };
  const event = { httpMethod: 'GET', headers: {}, requestContext: { requestId: 'r', identity } };
  const context = { getRemainingTimeInMillis: () => 9000 };
  const door = handle(route, {}, async () => ok({ data: [...data] }));
  return door(event as unknown as APIGatewayProxyEvent, context as Context);
};

const items = (count: number, item: string) => Array.from({ length: count }, () => item);

it('are sent up to the limit, whatever characters they are of', async () => {
  for (const item of ['x'.repeat(55_000), '漢'.repeat(18_000), '"'.repeat(14_000)]) {
    expect((await ask(paged, items(100, item))).statusCode).toBe(200);
  }
});

it.each([
  ['letters', 'x'.repeat(80_000), 74],
  ['characters of three bytes', '漢'.repeat(40_000), 49],
  // Each is written as two characters, and as four where the answer is written into what the function returns.
  ['quotation marks', '"'.repeat(40_000), 37],
])('say how many items fit where they are asked for by number: %s', async (_, item, fitting) => {
  const answer = await ask(paged, items(100, item));
  expect(answer.statusCode).toBe(400);
  expect(JSON.parse(answer.body)).toMatchObject({
    code: 'INVALID_INPUT',
    details: { limit: { _errors: [expect.stringContaining(`at most ${fitting} `) as unknown] } },
  });
  expect((await ask(paged, items(fitting, item))).statusCode).toBe(200);
});

it('are a failure of ours where nobody can ask for less', async () => {
  expect((await ask(whole, items(100, 'x'.repeat(80_000)))).statusCode).toBe(500);
  expect((await ask(paged, ['x'.repeat(8_000_000)])).statusCode).toBe(500);
});
