import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { expect } from 'vitest';
import type { AnalyticsReport } from '#contract/analytics.ts';
import { rollUp } from '#domain/analytics/roll-up.ts';
import { dynamo } from '#platform/dynamo.ts';
import { settings } from '#platform/settings.ts';
import { rollUpPorts } from '#ports/analytics.ts';
import type { CallAnswer } from './client.ts';
import { type Directory, dataOf, type Person } from './fixtures.ts';
import type { TestWorld } from './world.ts';

/** Programs that people visit with, and what the report calls them. */
export const agents = {
  chrome:
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36',
  iphone:
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1',
  firefox: 'Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0',
  ipad: 'Mozilla/5.0 (iPad; CPU OS 16_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/16.6 Mobile/15E148 Safari/604.1',
  googlebot: 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
} as const;

/** Sends something to be counted. */
export const track = (
  world: TestWorld,
  body: unknown,
  from: { address?: string; agent?: string; headers?: Record<string, string> } = {},
): Promise<CallAnswer> =>
  world.call('POST', '/api/analytics/track', {
    body,
    headers: {
      'x-forwarded-for': from.address ?? '203.0.113.9',
      'user-agent': from.agent ?? agents.chrome,
      ...from.headers,
    },
  });

/** Sends what the service has to take. @returns how many it took. */
export const tracked = async (...args: Parameters<typeof track>): Promise<number> => {
  const answer = await track(...args);
  expect(answer).toMatchObject({ status: 202 });
  return dataOf<{ accepted: number }>(answer).accepted;
};

/** Rolls up everything that waits. @returns how many events it was. */
export const rolledUp = async (): Promise<number> => (await rollUp(rollUpPorts)).processed;

/** The report of the site. */
export const siteReport = async (directory: Directory, query = ''): Promise<AnalyticsReport> => {
  const answer = await directory.done('GET', `/api/admin/analytics${query}`);
  return dataOf<AnalyticsReport>(answer);
};

/** The report of a project. */
export const projectReport = async (
  directory: Directory,
  reference: string,
  who: Person,
  query = '',
): Promise<AnalyticsReport> => {
  const answer = await directory.get(`/api/analytics/projects/${reference}${query}`, who);
  expect(answer).toMatchObject({ status: 200 });
  return dataOf<AnalyticsReport>(answer);
};

/** Everything that the table holds. */
export const wholeTable = async (): Promise<Record<string, unknown>[]> => {
  const items: Record<string, unknown>[] = [];
  let start: Record<string, unknown> | undefined;
  do {
    const page = await dynamo().send(new ScanCommand({ TableName: settings().table, ExclusiveStartKey: start }));
    items.push(...(page.Items ?? []));
    start = page.LastEvaluatedKey;
  } while (start);
  return items;
};
