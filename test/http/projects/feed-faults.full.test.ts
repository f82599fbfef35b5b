import { expect, it } from 'vitest';
import { feedPartitions } from '#data/keys.ts';
import { idsOf, person } from '#test/support/fixtures.ts';
import { captureMetrics } from '#test/support/metrics.ts';
import type { TableFault } from '#test/support/table-proxy.ts';
import { ownDirectory, ownTableProxy } from '#test/support/with-directory.ts';

const proxy = await ownTableProxy();
const { server, directory } = await ownDirectory({ env: proxy.env, timeoutFactor: 1 });

const failFeed = (fault: TableFault): void =>
  proxy.fail(({ operation, body }) =>
    operation === 'Query' && feedPartitions.some((partition) => body.includes(JSON.stringify(partition)))
      ? fault
      : undefined,
  );

failFeed('hang');
/** The response to the first list of the process after the start. */
const first = await server.call('GET', '/api/projects');
proxy.recover();
const owner = await person(server);

it('a list returns 503 while the feed fails and nothing is in memory yet', () => {
  expect(first).toMatchObject({ status: 503, body: { code: 'UNAVAILABLE' } });
});

it.each([
  ['hangs', 'hang'],
  ['throttles', { type: 'ProvisionedThroughputExceededException' }],
] as const)('lists are served from memory while the feed %s', async (_, fault) => {
  const { id } = await directory.live(owner);
  const path = `/api/projects?q=${encodeURIComponent((await directory.read(id)).name)}`;
  expect(idsOf(await server.call('GET', path))).toEqual([id]);
  const countOf = captureMetrics();
  failFeed(fault);
  await server.until(async () => {
    const response = await server.call('GET', path);
    expect([response.status, idsOf(response)]).toEqual([200, [id]]);
    return countOf('CatalogStale') > 0;
  });
  proxy.recover();
  const later = await directory.live(owner);
  await server.until(async () => idsOf(await server.call('GET', '/api/projects')).includes(later.id));
});
