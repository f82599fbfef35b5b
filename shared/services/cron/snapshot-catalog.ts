import { advanceUserCount } from '#data/user-count.ts';
import { saveSnapshotIfDue } from '#services/projects/snapshot.ts';

/** Stores what saves later reads: the count of users up to now, and a snapshot of the catalog if it is due. */
export const storeStartingPoints = async () => {
  await advanceUserCount();
  return await saveSnapshotIfDue();
};
