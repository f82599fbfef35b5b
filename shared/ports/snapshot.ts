import { catalog } from '#data/catalog.ts';
import { feedPartition } from '#data/keys.ts';
import { firstOfCollection } from '#data/read.ts';
import { findNewest, storeSnapshot } from '#data/snapshots.ts';
import type { SnapshotPorts } from '#domain/projects/snapshot.ts';
import { now } from '#platform/clock.ts';

/** What keeping a snapshot of the catalog works with. */
export const snapshotPorts: SnapshotPorts = {
  now,
  findSnapshot: async () => {
    const newest = await findNewest();
    return newest && { newestAt: newest.newest_at, takenAt: newest.taken_at, listings: newest.listings };
  },
  countChanges: async (since, max) => {
    const range = { partition: feedPartition, index: 'feed', only: ['feed_sk'] } as const;
    return (await firstOfCollection({ ...range, ...(since !== undefined && { after: since }) }, max)).length;
  },
  storeSnapshot: async () => {
    await catalog('now');
    return await storeSnapshot(catalog.state());
  },
};
