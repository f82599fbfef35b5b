import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { countRequests } from '#data/rate-counter.ts';
import { freshAddress } from '#test/support/requests.ts';
import { startTestWorld, type TestWorld } from '#test/support/world.ts';

/** Where several processes count, each request is counted by itself, as it is deployed. */

vi.mock(import('#data/rate-counter.ts'), { spy: true });

const LIMIT = 5;

let world: TestWorld;

beforeAll(async () => {
  world = await startTestWorld({ env: { RATE_LIMIT_GENERAL: `${LIMIT}/100000`, RATE_LEASE_MAX: '1' } });
});

afterAll(async () => {
  await world.stop();
});

it('every request is one write, and a caller over his limit costs none', async () => {
  const headers = { 'x-forwarded-for': freshAddress() };
  const ask = () => world.call('GET', '/api/projects', { headers });
  vi.mocked(countRequests).mockClear();
  const answers = await Promise.all(Array.from({ length: 12 }, ask));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(LIMIT);
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(12 - LIMIT);
  const { calls } = vi.mocked(countRequests).mock;
  expect(calls.every(([, requests]) => requests === 1)).toBe(true);
  expect(calls.length).toBeLessThanOrEqual(12);
  const before = calls.length;
  expect((await ask()).status).toBe(429);
  expect(calls.length).toBe(before);
});
