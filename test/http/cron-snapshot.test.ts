import { expect, it } from 'vitest';
import { makeReplica } from '#data/catalog.ts';
import { loadSnapshot } from '#data/snapshots.ts';
import type { Directory } from '#test/support/fixtures.ts';
import { ranJob } from '#test/support/jobs.ts';
import { csv, imported } from '#test/support/uploads.ts';
import { withDirectory } from '#test/support/with-directory.ts';
import type { TestWorld } from '#test/support/world.ts';

/** The job that keeps the catalog for processes that begin. */

let world: TestWorld;
let directory: Directory;

withDirectory((opened) => {
  ({ world, directory } = opened);
});

const LISTINGS = 520;

it('keeps the catalog once it is worth it, and not again before much has changed', async () => {
  expect(await ranJob(world, 'snapshot-catalog')).toMatchObject({ processed: 0, bytes: 0 });
  expect(await loadSnapshot()).toBeUndefined();
  const rows = Array.from({ length: LISTINGS }, (_, n) => [`Place ${n}`, `https://place-${n}.example`]);
  await imported(world, directory.admin.token, csv(['name', 'url'], ...rows), {
    columns: { name: 'name', url: 'url' },
    defaults: { description: 'A place like any other.', pricing_type: 'free', categories: [directory.category] },
  });
  const { processed, bytes } = await ranJob(world, 'snapshot-catalog');
  expect(processed).toBeGreaterThanOrEqual(LISTINGS);
  expect(bytes).toBeGreaterThan(0);
  expect((await loadSnapshot())?.catalog.size).toBe(processed);

  const { id } = await directory.live(directory.admin, { name: 'After the snapshot' });
  expect(await ranJob(world, 'snapshot-catalog')).toMatchObject({ processed: 0 });
  const begun = await makeReplica(() => Number.NEGATIVE_INFINITY)('now');
  expect(begun.size).toBe(processed + 1);
  expect(begun.find(id)?.project.name).toBe('After the snapshot');
});
