import { expect } from 'vitest';
import type { AnalyticsReport } from '#contract/analytics.ts';
import { rollUp } from '#services/analytics/roll-up.ts';
import type { CallResponse } from './client.ts';
import { type Directory, dataOf, type Person } from './fixtures.ts';
import type { TestServer } from './server.ts';

/** User agents by browser or device. */
export const agents = {
  chrome:
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36',
  iphone:
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1',
  firefox: 'Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0',
  ipad: 'Mozilla/5.0 (iPad; CPU OS 16_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/16.6 Mobile/15E148 Safari/604.1',
  googlebot: 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
} as const;

/** Sends a tracking request. */
export const track = (
  server: TestServer,
  body: unknown,
  from: { address?: string; agent?: string; headers?: Record<string, string> } = {},
): Promise<CallResponse> =>
  server.call('POST', '/api/analytics/track', {
    body,
    headers: {
      'x-forwarded-for': from.address ?? '203.0.113.9',
      'user-agent': from.agent ?? agents.chrome,
      ...from.headers,
    },
  });

/** Sends a valid tracking request. @returns the number of accepted events. */
export const trackAccepted = async (...args: Parameters<typeof track>): Promise<number> => {
  const response = await track(...args);
  expect(response).toMatchObject({ status: 202 });
  return dataOf<{ accepted: number }>(response).accepted;
};

/** The time that a roll-up has for everything a test has tracked, in milliseconds. */
export const ROLL_UP_BUDGET_MS = 60_000;

/** Rolls up all tracked events. @returns their number. */
export const rollUpAll = async (): Promise<number> => (await rollUp(ROLL_UP_BUDGET_MS)).processed;

/** The report of the site. */
export const siteReport = async (directory: Directory, query = ''): Promise<AnalyticsReport> => {
  const response = await directory.adminOk('GET', `/api/admin/analytics${query}`);
  return dataOf<AnalyticsReport>(response);
};

/** The report of a project. */
export const projectReport = async (
  directory: Directory,
  reference: string,
  caller: Person,
  query = '',
): Promise<AnalyticsReport> => {
  const response = await directory.get(`/api/analytics/projects/${reference}${query}`, caller);
  expect(response).toMatchObject({ status: 200 });
  return dataOf<AnalyticsReport>(response);
};
