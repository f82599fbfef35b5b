import { afterAll, beforeAll, expect, it } from 'vitest';
import { recordRateWrites } from '#test/support/rate-writes.ts';
import { freshAddress } from '#test/support/requests.ts';
import { startTestServer, type TestServer } from '#test/support/server.ts';

/** The rate counter without prefetching, as it is deployed. */

const LIMIT = 5;

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer({ env: { RATE_LIMIT_GENERAL: `${LIMIT}/100000`, RATE_PREFETCH_MAX: '1' } });
});

afterAll(async () => {
  await server.stop();
});

it('writes once per request, and not at all for a caller known to be over the limit', async () => {
  const headers = { 'x-forwarded-for': freshAddress() };
  const request = () => server.call('GET', '/api/projects', { headers });
  const { writes } = recordRateWrites();
  const responses = await Promise.all(Array.from({ length: 12 }, request));
  expect(responses.filter(({ status }) => status === 200)).toHaveLength(LIMIT);
  expect(responses.filter(({ status }) => status === 429)).toHaveLength(12 - LIMIT);
  expect(writes.every(({ requests }) => requests === 1)).toBe(true);
  expect(writes.length).toBeGreaterThanOrEqual(LIMIT);
  expect(writes.length).toBeLessThanOrEqual(12);
  const before = writes.length;
  expect((await request()).status).toBe(429);
  expect(writes.length).toBe(before);
});
