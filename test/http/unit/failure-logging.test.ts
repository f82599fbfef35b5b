import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { defineRoute } from '#contract/route.ts';

/** Logs and metrics of an unexpected error: they identify the request and contain no personal data. */

const route = defineRoute('tests.fail', {
  method: 'POST',
  path: '/api/tests/{thing}',
  summary: 'x',
  auth: 'public',
  tier: 'none',
  query: z.object({ q: z.string() }),
  body: z.object({ words: z.string() }),
  responses: { 200: z.object({}) },
  permissions: [],
});

const headers = {
  'content-type': 'application/json',
  'user-agent': 'telltale-agent',
  authorization: 'Bearer telltale-token',
  cookie: 'access_token=telltale-cookie',
  'x-forwarded-for': '203.0.113.99',
};

const event = {
  httpMethod: 'POST',
  resource: route.path,
  path: '/api/tests/telltale-thing',
  pathParameters: { thing: 'telltale-thing' },
  headers,
  multiValueHeaders: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]])),
  queryStringParameters: { q: 'telltale-query' },
  multiValueQueryStringParameters: { q: ['telltale-query'] },
  stageVariables: null,
  body: JSON.stringify({ words: 'telltale-words telltale@example.com' }),
  isBase64Encoded: false,
  requestContext: { requestId: 'req-17', identity: { sourceIp: '203.0.113.98', userAgent: 'telltale-agent' } },
} as unknown as APIGatewayProxyEvent;

let written: string;

beforeEach(() => {
  written = '';
  vi.resetModules();
  vi.stubEnv('TABLE_NAME', 'none');
  vi.stubEnv('LOG_LEVEL', 'DEBUG');
  vi.stubEnv('POWERTOOLS_METRICS_NAMESPACE', 'Directory/test');
  for (const stream of [process.stdout, process.stderr]) {
    vi.spyOn(stream, 'write').mockImplementation((text) => {
      written += String(text);
      return true;
    });
  }
  for (const method of ['log', 'info', 'warn', 'error', 'debug'] as const) {
    vi.spyOn(console, method).mockImplementation((...values: unknown[]) => {
      written += `${values.map(String).join(' ')}\n`;
    });
  }
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

const fail = async () => {
  const { handle } = await import('#http/handle.ts');
  const { authorize } = await import('#http/middleware/authorize.ts');
  const failing = () =>
    Promise.reject(Object.assign(new RangeError('telltale-reason'), { input: 'telltale-input', code: 'ERR_ORDER' }));
  const handler = handle(route, failing, [authorize(async () => undefined)]);
  const context = { awsRequestId: 'aws-1', getRemainingTimeInMillis: () => 5000 } as Context;
  return await handler(structuredClone(event), context);
};

const lines = () =>
  written
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Record<string, unknown>);

it('an unexpected error is logged with route, request id and its kind', async () => {
  expect(await fail()).toMatchObject({ statusCode: 500 });
  expect(lines()).toContainEqual(
    expect.objectContaining({
      level: 'ERROR',
      route: 'tests.fail',
      request_id: 'req-17',
      status: 500,
      method: 'POST',
      error: expect.objectContaining({ name: 'RangeError', code: 'ERR_ORDER' }) as unknown,
    }),
  );
  expect(written).toContain('failure-logging.test.ts');
});

it('an unexpected error is logged with nothing about the caller or the input', async () => {
  await fail();
  expect(written).not.toContain('telltale');
  expect(written).not.toContain('203.0.113');
});

it('an error that is logged explicitly is logged without its message', async () => {
  const { log } = await import('#platform/log.ts');
  const error = new Error('telltale-outer', { cause: new Error('telltale-inner') });
  log.warn('something failed', { thing_id: 'prj_1', error });
  log.error('something else', error);
  expect(written).not.toContain('telltale');
  expect(lines()).toMatchObject([
    { level: 'WARN', thing_id: 'prj_1', service: 'directory', error: { name: 'Error' } },
    { level: 'ERROR', message: 'something else', error: { name: 'Error' } },
  ]);
});

it('an unexpected error writes one metric in the embedded metric format, by service', async () => {
  await fail();
  const [metric, ...others] = lines().filter((line) => '_aws' in line);
  expect(others).toEqual([]);
  expect(metric).toEqual({
    _aws: {
      Timestamp: expect.any(Number) as number,
      CloudWatchMetrics: [
        {
          Namespace: 'Directory/test',
          Dimensions: [['service']],
          Metrics: [{ Name: 'UnhandledError', Unit: 'Count' }],
        },
      ],
    },
    service: 'directory',
    UnhandledError: 1,
  });
});
