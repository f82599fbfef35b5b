import { expect, it } from 'vitest';
import { dynamoWithoutRetries } from '#platform/dynamo.ts';
import { freshAddress } from '#test/support/requests.ts';
import { interceptTable, type TableCall } from '#test/support/table-calls.ts';
import { ownServer } from '#test/support/with-directory.ts';

const LIMIT = 5;

const server = await ownServer({ env: { RATE_LIMIT_GENERAL: `${LIMIT}/100000`, RATE_COUNTER: 'table' } });

/** The rate counter's writes during this test. */
const recordWrites = (): readonly TableCall[] => {
  const writes: TableCall[] = [];
  interceptTable((call, send) => {
    if (call.written.some((key) => key.startsWith('RATE#'))) writes.push(call);
    return send();
  }, dynamoWithoutRetries());
  return writes;
};

it('the rate counter writes once per request, and not at all for a caller known to be over the limit', async () => {
  const headers = { 'x-forwarded-for': freshAddress() };
  const request = () => server.call('GET', '/api/projects', { headers });
  const writes = recordWrites();
  for (let sent = 1; sent <= LIMIT; sent += 1) {
    const { status, headers: received } = await request();
    expect([status, received.get('ratelimit')]).toEqual([200, expect.stringContaining(`;r=${LIMIT - sent};`)]);
    expect(writes).toHaveLength(sent);
  }
  expect((await request()).status).toBe(429);
  expect(writes).toHaveLength(LIMIT + 1);
  const later = await Promise.all([request(), request(), request()]);
  expect(later.map(({ status }) => status)).toEqual([429, 429, 429]);
  expect(writes).toHaveLength(LIMIT + 1);
});

it('the rate counter admits exactly the limit under concurrency, with one write per request at most', async () => {
  const headers = { 'x-forwarded-for': freshAddress() };
  const writes = recordWrites();
  const requests = Array.from({ length: 12 }, () => server.call('GET', '/api/projects', { headers }));
  const statuses = (await Promise.all(requests)).map(({ status }) => status).toSorted();
  expect(statuses).toEqual([...Array(LIMIT).fill(200), ...Array(12 - LIMIT).fill(429)]);
  expect(writes.length).toBeGreaterThanOrEqual(LIMIT);
  expect(writes.length).toBeLessThanOrEqual(12);
});
