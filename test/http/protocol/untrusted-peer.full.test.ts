import type { APIGatewayProxyEvent } from 'aws-lambda';
import { expect, it } from 'vitest';
import { handler as listProjects } from '#functions/projects/list.ts';
import { lambdaContext } from '#local/lambda-context.ts';
import { freshAddress } from '#test/support/requests.ts';
import { ownServer } from '#test/support/with-directory.ts';

const LIMIT = 8;

const server = await ownServer({ env: { TRUSTED_PROXIES: '10.0.0.0/8', RATE_LIMIT_GENERAL: `${LIMIT}/100000` } });

it('the rate limit ignores X-Forwarded-For and similar headers of an untrusted peer', async () => {
  const headers = [
    {},
    { 'x-forwarded-for': freshAddress() },
    { 'x-forwarded-for': freshAddress() },
    { 'x-forwarded-for': `${freshAddress()}, 10.1.2.3` },
    { 'x-forwarded-for': 'nonsense' },
    { forwarded: `for=${freshAddress()}` },
    { 'x-real-ip': freshAddress(), 'client-ip': freshAddress(), 'cf-connecting-ip': freshAddress() },
    { 'cloudfront-viewer-address': `${freshAddress()}:443`, 'x-api-key': 'forged', 'x-forwarded-for': freshAddress() },
  ];
  const remaining = [];
  for (const sent of headers) {
    const response = await server.call('GET', '/api/projects', { headers: sent });
    remaining.push(Number(/;r=(\d+)/.exec(response.headers.get('ratelimit') ?? '')?.[1]));
  }
  expect(remaining).toEqual(Array.from({ length: LIMIT }, (_, used) => LIMIT - 1 - used));
  const rejected = await server.call('GET', '/api/projects', { headers: { 'x-forwarded-for': freshAddress() } });
  expect(rejected.status).toBe(429);
});

it('the rate limit follows X-Forwarded-For of a request with an API key of a usage plan', async () => {
  const remainingFor = async (apiKeyId: string | null, forwardedFor: string): Promise<number> => {
    const identity = { sourceIp: '198.51.100.9', apiKeyId };
    const event = {
      ...{
        httpMethod: 'GET',
        path: '/api/projects',
        multiValueHeaders: { 'X-Forwarded-For': [forwardedFor] },
        body: null,
      },
      ...{ pathParameters: null, multiValueQueryStringParameters: null, isBase64Encoded: false },
      requestContext: { requestId: 'one', identity },
    };
    const response = await listProjects(
      event as unknown as APIGatewayProxyEvent,
      lambdaContext('projects.list', 'one', 10),
    );
    expect(response.statusCode).toBe(200);
    return Number(/;r=(\d+)/.exec(String(response.headers?.ratelimit))?.[1]);
  };
  const [one, other] = [freshAddress(), freshAddress()];
  expect([await remainingFor('key', one), await remainingFor('key', one), await remainingFor('key', other)]).toEqual([
    7, 6, 7,
  ]);
  expect([await remainingFor(null, freshAddress()), await remainingFor(null, freshAddress())]).toEqual([7, 6]);
  expect(await remainingFor('key', `${freshAddress()}, ${one}`)).toBe(5);
  // The gateway appends its peer, and an edge network appends itself after that.
  expect(await remainingFor('key', `${one}, 198.51.100.9`)).toBe(4);
  expect(await remainingFor('key', `${one}, 198.51.100.9, 64.252.1.1`)).toBe(3);
  expect(await remainingFor('key', `${one}, 198.51.100.9, ${other}, 198.51.100.9, 64.252.1.1`)).toBe(6);
});
