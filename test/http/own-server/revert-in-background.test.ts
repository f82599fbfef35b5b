import { expect, vi } from 'vitest';
import type { Batch, RevertReport } from '#contract/batches.ts';
import type { BulkReport } from '#contract/project-batches.ts';
import { type Directory, dataOf, type Person, person } from '#test/support/fixtures.ts';
import { longTest } from '#test/support/long-test.ts';
import type { TestServer } from '#test/support/server.ts';
import { withOwnServer } from '#test/support/with-directory.ts';

/** The revert of a batch when the time of the request is over before it has ended. */

vi.mock(import('#services/batches/revert.ts'), async (importOriginal) => {
  const original = await importOriginal();
  return { ...original, revertBatch: (admin, batchId) => original.revertBatch(admin, batchId, 0) };
});

let server: TestServer;
let directory: Directory;
let owner: Person;

withOwnServer(async (opened) => {
  ({ server, directory } = opened);
  owner = await person(server);
});

longTest('returns 202 and continues in the background', async () => {
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
