import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { feedPartitions } from '#data/keys.ts';
import { count } from '#platform/metrics.ts';
import type { CallResponse } from '#test/support/client.ts';
import { Directory, idsOf, type Person, person } from '#test/support/fixtures.ts';
import { startTestServer, type TestServer } from '#test/support/server.ts';
import { startTableProxy, type TableFault, type TableProxy } from '#test/support/table-proxy.ts';

/** Lists while the feed of the catalog does not respond, or throttles. */

vi.mock(import('#platform/metrics.ts'), { spy: true });

let proxy: TableProxy;
let server: TestServer;
let directory: Directory;
let owner: Person;
/** The response to the first list of the process. */
let first: CallResponse;

beforeAll(async () => {
  proxy = await startTableProxy();
  server = await startTestServer({ env: proxy.env, timeoutFactor: 1 });
  failFeed('hang');
  first = await server.call('GET', '/api/projects');
  proxy.recover();
  directory = await Directory.create(server);
  owner = await person(server);
});

afterEach(() => {
  proxy.recover();
});

afterAll(async () => {
  await server.stop();
  await proxy.stop();
});

const failFeed = (fault: TableFault): void =>
  proxy.fail(({ operation, body }) =>
    operation === 'Query' && feedPartitions.some((partition) => body.includes(JSON.stringify(partition)))
      ? fault
      : undefined,
  );

it('returns 503 with Retry-After while nothing is in memory yet', () => {
  expect(first).toMatchObject({ status: 503, body: { code: 'UNAVAILABLE' } });
});

it.each([
  ['hangs', 'hang'],
  ['throttles', { type: 'ProvisionedThroughputExceededException' }],
] as const)('serves lists from memory while the feed %s', async (_, fault) => {
  const { id } = await directory.live(owner);
  const path = `/api/projects?q=${encodeURIComponent((await directory.read(id)).name)}`;
  expect(idsOf(await server.call('GET', path))).toEqual([id]);
  vi.mocked(count).mockClear();
  failFeed(fault);
  const isStale = () => vi.mocked(count).mock.calls.some(([name]) => name === 'CatalogStale');
  await server.until(async () => {
    const response = await server.call('GET', path);
    expect([response.status, idsOf(response)]).toEqual([200, [id]]);
    return isStale();
  });
  proxy.recover();
  const later = await directory.live(owner);
  await server.until(async () => idsOf(await server.call('GET', '/api/projects')).includes(later.id));
});
