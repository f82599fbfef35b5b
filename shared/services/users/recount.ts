import { deleteCheckpoint, findCheckpoint, saveCheckpoint } from '#data/checkpoints.ts';
import { commentCounts, correctCommentCount, countCommentsBy } from '#data/users.ts';
import type { CommentCount } from '#model/user.ts';
import { now } from '#platform/clock.ts';

/** Users who changed this recently are skipped, because the index of their comments may lag, in milliseconds. */
const QUIET_MS = 60_000;
const CONCURRENCY = 8;
/** The name of the checkpoint. */
export const USERS_JOB = 'reconcile-counters-users';

/** @returns whether the counter was wrong and has been corrected. */
const recountUser = async (user: CommentCount, before: string): Promise<boolean> => {
  if (user.changedAt > before) return false;
  const count = await countCommentsBy(user.userId);
  return count !== user.counted && (await correctCommentCount(user, count));
};

/**
 * Recounts the comments of every user and corrects the counters, from the last checkpoint on. Writing a comment
 * increments the version of its author's record, so a concurrent comment makes the correction fail instead of being
 * lost.
 * @param until when to stop, in milliseconds of the monotonic clock.
 */
export const recountUsers = async (
  until: number,
): Promise<{ users: number; users_repaired: number; unfinished: boolean }> => {
  const before = new Date(Date.parse(now()) - QUIET_MS).toISOString();
  const after = await findCheckpoint(USERS_JOB);
  let [users, users_repaired] = [0, 0];
  for await (const page of commentCounts(after)) {
    for (let start = 0; start < page.length; start += CONCURRENCY) {
      const group = page.slice(start, start + CONCURRENCY);
      const repaired = await Promise.all(group.map((user) => recountUser(user, before)));
      users += group.length;
      users_repaired += repaired.filter(Boolean).length;
      if (performance.now() > until) {
        await saveCheckpoint(USERS_JOB, String(group.at(-1)?.position));
        return { users, users_repaired, unfinished: true };
      }
    }
  }
  if (after !== undefined) await deleteCheckpoint(USERS_JOB);
  return { users, users_repaired, unfinished: false };
};
