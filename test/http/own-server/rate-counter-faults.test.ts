import { afterAll, afterEach, beforeAll, expect, vi } from 'vitest';
import { log } from '#platform/log.ts';
import { count } from '#platform/metrics.ts';
import { type Client, clientOf } from '#test/support/client.ts';
import { Directory, type Person, person, submission } from '#test/support/fixtures.ts';
import { longTest } from '#test/support/long-test.ts';
import { startTestServer, type TestServer } from '#test/support/server.ts';
import { startTableProxy, type TableFault, type TableProxy } from '#test/support/table-proxy.ts';

/** Requests while the table does not answer the writes of the rate counter, or throttles them. */

vi.mock(import('#platform/metrics.ts'), { spy: true });

let proxy: TableProxy;
let server: TestServer;
/** A busy machine may exceed the counter's 300 ms at any time, so this client does not require quota headers. */
let client: Client;
let directory: Directory;
let owner: Person;

const TABLE_TIMEOUT_MS = 30_000;

beforeAll(async () => {
  proxy = await startTableProxy();
  // A busy machine may take seconds for the other requests to the table.
  server = await startTestServer({
    env: { ...proxy.env, RATE_COUNTER_TIMEOUT_MS: '300', TABLE_TIMEOUT_MS: String(TABLE_TIMEOUT_MS) },
  });
  client = clientOf(server.url, { check: () => undefined });
  directory = await Directory.create(client);
  owner = await person(client);
});

afterEach(() => {
  proxy.recover();
  vi.restoreAllMocks();
});

afterAll(async () => {
  client.close();
  await server.stop();
  await proxy.stop();
});

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
  'passes requests after one attempt, with a metric each and one log line, while the table %s',
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
    vi.mocked(count).mockClear();
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
    expect(vi.mocked(count).mock.calls).toEqual(requests.map(() => ['RateCounterUnavailable']));
    expect(errors).toHaveBeenCalledTimes(1);
    proxy.recover();
    await counterIsAvailable();
    expect(infos.mock.calls.filter(([message]) => String(message).includes('rate counter'))).toHaveLength(1);
  },
);
