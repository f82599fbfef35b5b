import type { APIGatewayProxyEvent } from 'aws-lambda';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { handler as listProjects } from '#functions/projects/list.ts';
import { lambdaContext } from '#local/lambda-context.ts';
import { freshAddress } from '#test/support/requests.ts';
import { startTestWorld, type TestWorld } from '#test/support/world.ts';

/** A caller from an address that nobody trusts to speak for others. */

const LIMIT = 8;

let world: TestWorld;

beforeAll(async () => {
  world = await startTestWorld({ env: { TRUSTED_PROXIES: '10.0.0.0/8', RATE_LIMIT_GENERAL: `${LIMIT}/100000` } });
});

afterAll(async () => {
  await world.stop();
});

it('may write what he likes into X-Forwarded-For without getting a new bucket', async () => {
  const headers = [
    {},
    { 'x-forwarded-for': freshAddress() },
    { 'x-forwarded-for': freshAddress() },
    { 'x-forwarded-for': `${freshAddress()}, 10.1.2.3` },
    { 'x-forwarded-for': '10.1.2.3' },
    { 'x-forwarded-for': 'nonsense' },
    { forwarded: `for=${freshAddress()}` },
    { 'x-real-ip': freshAddress(), 'client-ip': freshAddress(), 'cf-connecting-ip': freshAddress() },
  ];
  const left = [];
  for (const one of headers) {
    const answer = await world.call('GET', '/api/projects', { headers: one });
    left.push(Number(/;r=(\d+)/.exec(answer.headers.get('ratelimit') ?? '')?.[1]));
  }
  expect(left).toEqual(Array.from({ length: LIMIT }, (_, used) => LIMIT - 1 - used));
  const refused = await world.call('GET', '/api/projects', { headers: { 'x-forwarded-for': freshAddress() } });
  expect(refused.status).toBe(429);
});

it('speaks for others when he presents an API key of a usage plan', async () => {
  const leftFor = async (apiKeyId: string | null, forwardedFor: string): Promise<number> => {
    const identity = { sourceIp: '198.51.100.9', apiKeyId };
    const event = {
      ...{ httpMethod: 'GET', path: '/api/projects', headers: { 'X-Forwarded-For': forwardedFor }, body: null },
      ...{ pathParameters: null, multiValueQueryStringParameters: null, isBase64Encoded: false },
      requestContext: { requestId: 'one', identity },
    };
    const answer = await listProjects(
      event as unknown as APIGatewayProxyEvent,
      lambdaContext('projects.list', 'one', 10),
    );
    expect(answer.statusCode).toBe(200);
    return Number(/;r=(\d+)/.exec(String(answer.headers?.ratelimit))?.[1]);
  };
  const [one, other] = [freshAddress(), freshAddress()];
  expect([await leftFor('key', one), await leftFor('key', one), await leftFor('key', other)]).toEqual([7, 6, 7]);
  expect([await leftFor(null, freshAddress()), await leftFor(null, freshAddress())]).toEqual([7, 6]);
  expect(await leftFor('key', `${freshAddress()}, ${one}`)).toBe(5);
  // The gateway writes the peer behind what it was sent, and an edge writes itself behind the peer.
  expect(await leftFor('key', `${one}, 198.51.100.9`)).toBe(4);
  expect(await leftFor('key', `${one}, 198.51.100.9, 64.252.1.1`)).toBe(3);
  expect(await leftFor('key', `${one}, 198.51.100.9, ${other}, 198.51.100.9, 64.252.1.1`)).toBe(6);
});
