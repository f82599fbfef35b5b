import { expect, it } from 'vitest';
import { makeReplica } from '#data/catalog.ts';
import { snapshotKey } from '#data/keys.ts';
import { snapshotLoader } from '#data/snapshots.ts';
import { updateItem } from '#data/write.ts';
import { now } from '#platform/clock.ts';
import { runJob } from '#test/support/jobs.ts';
import { csv, importFile } from '#test/support/uploads.ts';
import { withClockAhead, YEARS_AHEAD_MS } from '#test/support/virtual-time.ts';
import { ownDirectory } from '#test/support/with-directory.ts';

const { server, directory } = await ownDirectory();

const LISTINGS = 520;

it('a snapshot of the catalog is stored when it is large enough, and again only after many changes', async () => {
  expect(await runJob(server, 'snapshot-catalog')).toMatchObject({ processed: 0, bytes: 0 });
  expect(await snapshotLoader()()).toBeUndefined();
  const rows = Array.from({ length: LISTINGS }, (_, n) => [`Place ${n}`, `https://place-${n}.example`]);
  await importFile(server, directory.admin.token, csv(['name', 'url'], ...rows), {
    columns: { name: 'name', url: 'url' },
    defaults: { description: 'A plain place.', pricing_type: 'free', categories: [directory.category] },
  });
  const { processed, bytes } = await runJob(server, 'snapshot-catalog');
  expect(processed).toBeGreaterThanOrEqual(LISTINGS);
  expect(bytes).toBeGreaterThan(0);
  expect((await snapshotLoader()())?.catalog.size).toBe(processed);

  const { id } = await directory.live(directory.admin, { name: 'After the snapshot' });
  expect(await runJob(server, 'snapshot-catalog')).toMatchObject({ processed: 0 });

  // One of a clock that was years or hours ahead is replaced.
  for (const aheadMs of [YEARS_AHEAD_MS, 2 * 3600 * 1000]) {
    const stable_at = await withClockAhead(aheadMs, async () => now());
    await updateItem(snapshotKey, { set: { stable_at, taken_at: stable_at } });
    expect(await runJob(server, 'snapshot-catalog')).toMatchObject({ processed: processed + 1 });
    expect(await runJob(server, 'snapshot-catalog')).toMatchObject({ processed: 0 });
  }

  const replica = await makeReplica(() => Number.NEGATIVE_INFINITY)('now');
  expect(replica.size).toBe(processed + 1);
  expect(replica.find(id)?.project.name).toBe('After the snapshot');
});
