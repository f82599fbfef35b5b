import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { defineRoute } from '#contract/route.ts';

/** What is written when a door fails in a way that nobody meant: the request, the metric, and nothing of who asked for what. */

const route = defineRoute('tests.fail', {
  method: 'POST',
  path: '/api/tests/{thing}',
  summary: 'x',
  auth: 'public',
  tier: 'none',
  query: z.object({ q: z.string() }),
  body: z.object({ words: z.string() }),
  replies: { 200: z.object({}) },
  needs: [],
});

const event = {
  httpMethod: 'POST',
  resource: route.path,
  path: '/api/tests/telltale-thing',
  pathParameters: { thing: 'telltale-thing' },
  headers: {
    'content-type': 'application/json',
    'user-agent': 'telltale-agent',
    authorization: 'Bearer telltale-token',
    cookie: 'access_token=telltale-cookie',
    'x-forwarded-for': '203.0.113.99',
  },
  multiValueHeaders: {},
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
    vi.spyOn(console, method).mockImplementation((...words: unknown[]) => {
      written += `${words.map(String).join(' ')}\n`;
    });
  }
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

const fail = async () => {
  const { handle } = await import('#http/handle.ts');
  const door = handle(route, {}, () =>
    Promise.reject(Object.assign(new RangeError('telltale-reason'), { input: 'telltale-input', code: 'ERR_ORDER' })),
  );
  const context = { awsRequestId: 'aws-1', getRemainingTimeInMillis: () => 5000 } as Context;
  return await door(structuredClone(event), context);
};

const lines = () =>
  written
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Record<string, unknown>);

it('is the request by its id and its route, and what kind of failure it was', async () => {
  expect(await fail()).toMatchObject({ statusCode: 500 });
  expect(lines()).toContainEqual(
    expect.objectContaining({ level: 'ERROR', route: 'tests.fail', request_id: 'req-17', status: 500, method: 'POST' }),
  );
  expect(written).toContain('RangeError');
  expect(written).toContain('ERR_ORDER');
  expect(written).toContain('log-of-a-failure.test.ts');
});

it('is nothing of who asked, from where, with what and for what', async () => {
  await fail();
  expect(written).not.toContain('telltale');
  expect(written).not.toContain('203.0.113');
});

it('is no words of an error either where a part of the service reports one', async () => {
  const { log } = await import('#platform/log.ts');
  const error = new Error('telltale-outer', { cause: new Error('telltale-inner') });
  log.warn('something could not be done', { thing_id: 'prj_1', error });
  log.error('something else', error);
  expect(written).not.toContain('telltale');
  expect(lines()).toMatchObject([
    { level: 'WARN', thing_id: 'prj_1', service: 'directory', error: { error_name: 'Error' } },
    { level: 'ERROR', message: 'something else', error: { error_name: 'Error' } },
  ]);
});

it('is a metric in the embedded format, in the namespace of the stage, by service', async () => {
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
