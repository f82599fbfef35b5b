import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { DEFAULT_TIMEOUT_SECONDS, defineRoute, mayTakeLong } from '#contract/route.ts';
import { routes } from '#contract/table.ts';

/** The metrics of slow responses, from which alarms are raised. */

const routeWith = (timeoutSeconds: number) =>
  defineRoute('tests.wait', {
    method: 'GET',
    path: '/api/tests',
    summary: 'x',
    auth: 'public',
    tier: 'none',
    responses: { 200: z.object({}) },
    permissions: [],
    timeoutSeconds,
  });

const event = {
  httpMethod: 'GET',
  resource: '/api/tests',
  path: '/api/tests',
  pathParameters: null,
  headers: {},
  multiValueHeaders: {},
  queryStringParameters: null,
  multiValueQueryStringParameters: null,
  stageVariables: null,
  body: null,
  isBase64Encoded: false,
  requestContext: { requestId: 'req-1', identity: { sourceIp: '203.0.113.98' } },
} as unknown as APIGatewayProxyEvent;

let now: number;
let written: string;

beforeEach(() => {
  now = 0;
  written = '';
  vi.resetModules();
  vi.stubEnv('TABLE_NAME', 'none');
  vi.stubEnv('POWERTOOLS_METRICS_NAMESPACE', 'Directory/test');
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    written += String(text);
    return true;
  });
});

/** The names of the metrics that were written in the embedded metric format. */
const metrics = (): readonly string[] =>
  written
    .split('\n')
    .filter((line) => line.startsWith('{"_aws"'))
    .map(
      (line) =>
        JSON.parse(line) as { _aws: { CloudWatchMetrics: readonly { Metrics: readonly { Name: string }[] }[] } },
    )
    .flatMap(({ _aws: { CloudWatchMetrics: all } }) => all.flatMap(({ Metrics }) => Metrics.map(({ Name }) => Name)));

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

/** Of the time of a function, this much is left for the response to a timeout. */
const RESERVED_MS = 200;

it.each([
  [DEFAULT_TIMEOUT_SECONDS, 'SlowResponse'],
  [5, 'SlowResponse'],
  [20, 'SlowLongResponse'],
  [29, 'SlowLongResponse'],
])('a response that used half of %i seconds counts as %s, and no faster one', async (seconds, name) => {
  const { handle } = await import('#http/handle.ts');
  const half = (seconds * 1000 - RESERVED_MS) / 2;
  const respondAfter = async (milliseconds: number) => {
    const handler = handle(routeWith(seconds), () => {
      now += milliseconds;
      return Promise.resolve({ status: 200 as const, body: {} });
    });
    const context = { awsRequestId: 'aws-1', getRemainingTimeInMillis: () => seconds * 1000 } as Context;
    expect(await handler(structuredClone(event), context)).toMatchObject({ statusCode: 200 });
  };
  await respondAfter(half - 1);
  expect(metrics()).toEqual([]);
  await respondAfter(half);
  expect(metrics()).toEqual([name]);
});

it('exports, model calls and calls of other servers count apart from other routes when they are slow', () => {
  const long = routes.filter(mayTakeLong);
  const streamed = routes.filter(({ responses }) =>
    Object.values(responses).some((response) => 'stream' in response && response.stream),
  );
  expect(long).toEqual(expect.arrayContaining(streamed));
  expect(long.map(({ id }) => id)).toEqual(
    expect.arrayContaining([
      'ai.generate',
      'projects.exportCsv',
      'projects.importCsv',
      'users.exportData',
      'webhooks.test',
    ]),
  );
  expect(long.map(({ id }) => id)).not.toContain('projects.list');
  expect(long.length).toBeLessThan(routes.length / 2);
});
