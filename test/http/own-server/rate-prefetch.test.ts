import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { dynamo } from '#platform/dynamo.ts';
import { UpdateCommand } from '#platform/dynamo-commands.ts';
import type { CallResponse } from '#test/support/client.ts';
import { longTest } from '#test/support/long-test.ts';
import { recordRateWrites } from '#test/support/rate-writes.ts';
import { freshAddress } from '#test/support/requests.ts';
import { startTestServer, type TestServer } from '#test/support/server.ts';

/** Prefetched quota: as exact as single counts, with fewer writes. The window is longer than any test. */

const LIMIT = 100;

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer({ env: { RATE_LIMIT_GENERAL: `${LIMIT}/100000`, RATE_PREFETCH_MAX: '16' } });
});

afterEach(() => {
  vi.restoreAllMocks();
});

afterAll(async () => {
  await server.stop();
});

const request = (address: string, more: { uncounted?: boolean } = {}): Promise<CallResponse> =>
  server.call('GET', '/api/projects', { headers: { 'x-forwarded-for': address }, ...more });

const remaining = (response: CallResponse): number =>
  Number(/;r=(\d+)/.exec(response.headers.get('ratelimit') ?? '')?.[1]);

const statusesOf = async (address: string, requests: number): Promise<number[]> => {
  const responses = await Promise.all(Array.from({ length: requests }, () => request(address)));
  return responses.map(({ status }) => status);
};

const count = (values: readonly number[], value: number): number => values.filter((each) => each === value).length;

it('returns the exact remaining quota, and prefetches in steps that grow up to the setting', async () => {
  const address = freshAddress();
  const { writes } = recordRateWrites();
  const left: number[] = [];
  for (let number = 0; number < 40; number += 1) left.push(remaining(await request(address)));
  expect(left).toEqual(Array.from({ length: 40 }, (_, number) => LIMIT - 1 - number));
  expect(writes.map(({ requests }) => requests)).toEqual([1, 1, 2, 4, 8, 16, 16]);
});

longTest('admits exactly the limit under concurrency', async () => {
  const statuses = await statusesOf(freshAddress(), 2 * LIMIT + 20);
  expect(count(statuses, 200)).toBe(LIMIT);
  expect(count(statuses, 429)).toBe(LIMIT + 20);
});

it('admits exactly the limit when another process counts too', async () => {
  const address = freshAddress();
  const { writes } = recordRateWrites();
  expect(count(await statusesOf(address, 8), 200)).toBe(8);
  const [write] = writes;
  if (!write) throw new Error('No request was counted.');
  const { ExpressionAttributeValues: values } = write.input;
  const counted = await dynamo().send(
    new UpdateCommand({
      ...write.input,
      ExpressionAttributeValues: { ...values, ':more': LIMIT - 20, ':most': 20 },
    }),
  );
  expect(counted.Attributes?.count).toBeGreaterThan(LIMIT - 20);
  // The caller may use what this process has prefetched and what remains of the limit.
  expect(count(await statusesOf(address, LIMIT), 200)).toBe(20 - 8);
});

it('admits a request when the counter is unreachable, and counts the next one', async () => {
  const address = freshAddress();
  recordRateWrites().failNext(new Error('unreachable'));
  const first = await request(address, { uncounted: true });
  expect([first.status, first.headers.get('ratelimit')]).toEqual([200, null]);
  expect(remaining(await request(address))).toBe(LIMIT - 1);
});
