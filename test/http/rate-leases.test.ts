import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { countRequests } from '#data/rate-counter.ts';
import type { CallAnswer } from '#test/support/client.ts';
import { freshAddress } from '#test/support/requests.ts';
import { startTestWorld, type TestWorld } from '#test/support/world.ts';

/** Requests that are counted ahead: as exact as one by one, with far fewer writes. The window is longer than any test. */

vi.mock(import('#data/rate-counter.ts'), { spy: true });

const LIMIT = 100;

let world: TestWorld;

beforeAll(async () => {
  world = await startTestWorld({ env: { RATE_LIMIT_GENERAL: `${LIMIT}/100000`, RATE_LEASE_MAX: '16' } });
});

afterAll(async () => {
  await world.stop();
});

const ask = (address: string, more: { uncounted?: boolean } = {}): Promise<CallAnswer> =>
  world.call('GET', '/api/projects', { headers: { 'x-forwarded-for': address }, ...more });

const remaining = (answer: CallAnswer): number => Number(/;r=(\d+)/.exec(answer.headers.get('ratelimit') ?? '')?.[1]);

const statusesOf = async (address: string, requests: number): Promise<number[]> => {
  const answers = await Promise.all(Array.from({ length: requests }, () => ask(address)));
  return answers.map(({ status }) => status);
};

const count = (values: readonly number[], value: number): number => values.filter((one) => one === value).length;

it('says exactly what is left, and counts in steps that grow up to the setting', async () => {
  const address = freshAddress();
  vi.mocked(countRequests).mockClear();
  const left: number[] = [];
  for (let number = 0; number < 40; number += 1) left.push(remaining(await ask(address)));
  expect(left).toEqual(Array.from({ length: 40 }, (_, number) => LIMIT - 1 - number));
  expect(vi.mocked(countRequests).mock.calls.map(([, requests]) => requests)).toEqual([1, 1, 2, 4, 8, 16, 16]);
});

it('lets exactly the limit through, however many come at once', async () => {
  const statuses = await statusesOf(freshAddress(), 2 * LIMIT + 20);
  expect(count(statuses, 200)).toBe(LIMIT);
  expect(count(statuses, 429)).toBe(LIMIT + 20);
});

it('lets nobody over the limit when somebody else counts too', async () => {
  const address = freshAddress();
  vi.mocked(countRequests).mockClear();
  expect(count(await statusesOf(address, 8), 200)).toBe(8);
  const window = vi.mocked(countRequests).mock.calls[0]?.[0];
  const counted = window && (await countRequests(window, LIMIT - 20, LIMIT));
  expect(counted).toBeGreaterThan(LIMIT - 20);
  // What was counted ahead is his, what is left of the limit too, and no more.
  expect(count(await statusesOf(address, LIMIT), 200)).toBe(20 - 8);
});

it('counts on after the counter could not be reached', async () => {
  const address = freshAddress();
  vi.mocked(countRequests).mockRejectedValueOnce(new Error('unreachable'));
  const first = await ask(address, { uncounted: true });
  expect([first.status, first.headers.get('ratelimit')]).toEqual([200, null]);
  expect(remaining(await ask(address))).toBe(LIMIT - 1);
});
