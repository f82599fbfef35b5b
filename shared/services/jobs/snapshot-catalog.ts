import { catalog } from '#data/catalog.ts';
import { countFeedChanges } from '#data/feed.ts';
import { restampChanges } from '#data/feed-stamps.ts';
import { findSnapshotManifest, storeSnapshot } from '#data/snapshots.ts';
import { advanceUserCount } from '#data/users.ts';
import { isRecent, now } from '#platform/clock.ts';

/** Reading fewer changes than this from the feed is as fast as loading a snapshot. */
const CHANGES_MIN = 500;
/**
 * A snapshot is replaced when this part of its listings has changed, because a new process reads these changes again.
 */
const CHANGED_PART = 0.02;
/** A snapshot is replaced after this time, in milliseconds; far below the age at which processes stop using it. */
const AGE_MAX_MS = 6 * 3600 * 1000;

const isDue = async (): Promise<boolean> => {
  const newest = await findSnapshotManifest();
  if (!newest) return (await countFeedChanges(undefined, CHANGES_MIN)) >= CHANGES_MIN;
  // The clock was set back: once this time has come, readers would follow the feed from there, and miss changes until then.
  if (newest.stable_at > now() || !isRecent(newest.taken_at, AGE_MAX_MS)) return true;
  const enough = Math.max(CHANGES_MIN, Math.ceil(newest.listings * CHANGED_PART));
  return (await countFeedChanges(newest.newest_at, enough)) >= enough;
};

/** Stores a snapshot of the catalog when enough has changed since the last one. Of concurrent runs one stores it. */
const saveSnapshotIfDue = async () => {
  if (!(await isDue())) return { processed: 0, bytes: 0, unfinished: false };
  await catalog('now');
  const stored = await storeSnapshot(catalog.state());
  return { processed: stored?.listings ?? 0, bytes: stored?.bytes ?? 0, unfinished: false };
};

/** The most changes that a run stamps again. */
const RESTAMPED_MAX = 10_000;

/** Stores what saves later reads: stamps of the feeds, the count of users up to now, and a snapshot of the catalog if it is due. */
export const writeSnapshots = async () => {
  await restampChanges(RESTAMPED_MAX);
  await advanceUserCount();
  return await saveSnapshotIfDue();
};
