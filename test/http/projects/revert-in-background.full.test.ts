import { afterAll, expect } from 'vitest';
import type { Batch, BulkReport, RevertReport } from '#contract/batches.ts';
import { routes } from '#contract/table.ts';
import { clientOf } from '#test/support/client.ts';
import { Directory, dataOf, person } from '#test/support/fixtures.ts';
import { longTest } from '#test/support/long-test.ts';
import { ownServer } from '#test/support/with-directory.ts';

const server = await ownServer({
  routes: routes.map((route) => (route.id === 'batches.revert' ? { ...route, timeoutSeconds: 1 } : route)),
  timeoutFactor: 1,
  // The revert claims the URL again.
  env: { DUPLICATE_URLS: 'reject' },
});
// With custom `routes`, the server's own client does not validate responses against the API document; this one does.
const client = clientOf(server.url);
afterAll(() => client.close());
const directory = await Directory.create(client);
const owner = await person(client);

longTest('the revert of a batch that does not end in time returns 202 and continues in the background', async () => {
  const { id } = await directory.live(owner);
  const { batch_id } = dataOf<BulkReport>(
    await directory.adminOk('POST', '/api/admin/projects/bulk', { action: 'delete', ids: [id] }),
  );
  const path = `/api/admin/batches/${batch_id}`;
  const response = await directory.adminOk('POST', `${path}/revert`, undefined, 202);
  expect(dataOf<RevertReport>(response)).toMatchObject({ state: 'running', reverted: 0, kept: [] });
  await server.until(async () => dataOf<Batch>(await directory.get(path, directory.admin)).state === 'reverted');
  expect(await directory.read(id)).toMatchObject({ deleted_at: null });
});
