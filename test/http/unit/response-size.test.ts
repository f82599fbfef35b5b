import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { defineRoute } from '#contract/route.ts';
import { handle, ok } from '#http/handle.ts';
import { firstFitting, RESPONSE_BYTES_MAX } from '#model/response-size.ts';
import { log } from '#platform/log.ts';

log.setLogLevel('SILENT');
process.env.TABLE_NAME = 'table';

const declaration = {
  method: 'GET',
  path: '/api/things',
  summary: 'List things',
  auth: 'public',
  tier: 'none',
  responses: { 200: z.object({ data: z.array(z.string()) }) },
  permissions: [],
} as const;
const things = defineRoute('things.list', declaration);

const textual = defineRoute('things.text', {
  ...declaration,
  responses: { 200: { stream: false, contentType: 'text/plain; charset=utf-8', description: 'The text.' } },
});

const request = (data: readonly string[]) => {
  const identity = { sourceIp: '192.0.2.1' };
  const event = { httpMethod: 'GET', headers: {}, requestContext: { requestId: 'r', identity } };
  const context = { getRemainingTimeInMillis: () => 9000 };
  const handler = handle(things, async () => ok({ data: [...data] }));
  return handler(event as unknown as APIGatewayProxyEvent, context as Context);
};

const requestText = (text: string) => {
  const event = { httpMethod: 'GET', headers: {}, requestContext: { requestId: 'r', identity: {} } };
  const handler = handle(textual, async () => ({ status: 200 as const, text }));
  return handler(event as unknown as APIGatewayProxyEvent, { getRemainingTimeInMillis: () => 9000 } as Context);
};

const items = (count: number, item: string) => Array.from({ length: count }, () => item);

it('a response up to the limit of its size is sent in any script', async () => {
  for (const item of ['x'.repeat(54_000), '漢'.repeat(18_000), '"'.repeat(13_500)]) {
    expect((await request(items(100, item))).statusCode).toBe(200);
  }
});

it('a response above the limit of its size returns 500, because lists are cut before', async () => {
  expect((await request(items(100, 'x'.repeat(80_000)))).statusCode).toBe(500);
});

it('a text is as long at most', async () => {
  expect((await requestText('x'.repeat(RESPONSE_BYTES_MAX))).statusCode).toBe(200);
  expect((await requestText('x'.repeat(RESPONSE_BYTES_MAX + 1))).statusCode).toBe(500);
});

it.each([
  ['letters', 'x'.repeat(98), 10],
  ['ideographs', '漢'.repeat(98), 3],
  ['quotation marks', '"'.repeat(98), 2],
])('as many first parts of a list are taken as fit: %s', (_, text, fitting) => {
  const parts = items(10, text);
  const taken = firstFitting(parts, 1040);
  expect(taken).toEqual(parts.slice(0, fitting));
});
