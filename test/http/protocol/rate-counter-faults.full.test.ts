import { afterAll, expect, vi } from 'vitest';
import { log } from '#platform/log.ts';
import { clientOf } from '#test/support/client.ts';
import { Directory, person, submission } from '#test/support/fixtures.ts';
import { longTest } from '#test/support/long-test.ts';
import { captureMetrics } from '#test/support/metrics.ts';
import type { TableFault } from '#test/support/table-proxy.ts';
import { ownServer, ownTableProxy } from '#test/support/with-directory.ts';

const TABLE_TIMEOUT_MS = 30_000;

const proxy = await ownTableProxy();
// A busy machine may take seconds for the other requests to the table.
const server = await ownServer({
  env: { ...proxy.env, RATE_COUNTER_TIMEOUT_MS: '300', TABLE_TIMEOUT_MS: String(TABLE_TIMEOUT_MS) },
});
// A busy machine may exceed the counter's 300 ms at any time, so this client does not require quota headers.
const client = clientOf(server.url, { check: () => undefined });
const directory = await Directory.create(client);
const owner = await person(client);

afterAll(() => client.close());

let counterWrites = 0;

const failCounter = (fault: TableFault): void => {
  counterWrites = 0;
  proxy.fail(({ operation, body }) => {
    if (operation !== 'UpdateItem' || !body.includes('RATE#')) return undefined;
    counterWrites += 1;
    return fault;
  });
};

const counterIsAvailable = () =>
  client.until(async () => (await client.call('GET', '/api/projects')).headers.get('ratelimit') !== null);

longTest.each([
  ['never answers', 'hang'],
  ['throttles', { type: 'ProvisionedThroughputExceededException' }],
  ['fails', { type: 'InternalServerError' }],
] as const)(
  'requests pass after one attempt to count, with a metric each and one log line, while the table %s',
  async (_, fault) => {
    const { id } = await directory.live(owner);
    const body = submission({ categories: [directory.category] });
    const requests = [
      ['GET', '/api/projects', {}],
      ['GET', `/api/projects/${id}`, { token: owner.token }],
      ['POST', '/api/projects', { token: owner.token, body }],
    ] as const;
    await counterIsAvailable();
    const errors = vi.spyOn(log, 'error');
    const infos = vi.spyOn(log, 'info');
    const countOf = captureMetrics();
    failCounter(fault);
    const startedAt = performance.now();
    const responses = [];
    for (const [method, path, options] of requests) {
      const { status, headers } = await client.call(method, path, options);
      responses.push([status, headers.get('ratelimit')]);
    }
    // One attempt of the SDK without the limit takes as long as the table's timeout.
    expect(performance.now() - startedAt).toBeLessThan(TABLE_TIMEOUT_MS);
    expect(responses).toEqual([200, 200, 201].map((status) => [status, null]));
    expect(counterWrites).toBe(requests.length);
    expect(countOf('RateCounterUnavailable')).toBe(requests.length);
    expect(errors).toHaveBeenCalledTimes(1);
    proxy.recover();
    await counterIsAvailable();
    expect(infos.mock.calls.filter(([message]) => String(message).includes('rate counter'))).toHaveLength(1);
  },
);
