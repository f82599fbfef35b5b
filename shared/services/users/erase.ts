import { batchIdsBy, removeBatchActor } from '#data/batches.ts';
import { bookmarkKeysOf } from '#data/bookmarks.ts';
import { deleteClaim, deleteOpenClaims } from '#data/claims.ts';
import { retryOnConflict } from '#data/conflict.ts';
import { deleteDraft, draftPages } from '#data/drafts.ts';
import { removeUserFromLogs, TimeUp } from '#data/erased-users.ts';
import {
  checkoutIds,
  claimIds,
  deleteCheckoutSubmission,
  deleteExisting,
  eraseRating,
  eraseVote,
  ownedProjectIds,
  ratedProjectIds,
  reportIds,
  votedProjectIds,
} from '#data/erasure.ts';
import { followKeysOf } from '#data/follows.ts';
import { deleteProject, findProject } from '#data/projects.ts';
import { anonymizeReport } from '#data/reports.ts';
import { removeActor, revisionKeysBy } from '#data/revisions.ts';
import { eraseUser, findOtherAdmin, usersErasedSince } from '#data/users.ts';
import { type MessageData, newMessage } from '#events/catalogue.ts';
import { DAY_MS } from '#model/days.ts';
import type { UserRecord } from '#model/user.ts';
import { now } from '#platform/clock.ts';
import { deleteAccount } from '#platform/cognito.ts';
import { log } from '#platform/log.ts';
import { mapConcurrently } from '#platform/map-concurrently.ts';
import { endKeysOf } from '#services/admin/api-keys.ts';
import { deletionEvents } from '#services/projects/moderate.ts';
import { conflict, forbidden } from '#shared/errors.ts';
import { changeSelf, changeUser } from './update.ts';

type ErasureTask = MessageData<'userErased'>;

/** How long a request deletes data before it leaves the rest to the task, in milliseconds; it may take 10 seconds. */
const REQUEST_BUDGET_MS = 4000;
/** How long a run of the task deletes data, in milliseconds; it may take 300 seconds. */
const TASK_BUDGET_MS = 280_000;

interface Progress {
  readonly removed: number;
  /** Whether the time was up before all items had been processed. */
  readonly timedOut: boolean;
}

const processAll = async <T>(
  pages: AsyncIterable<readonly T[]>,
  until: number,
  processOne: (one: T) => Promise<boolean>,
): Promise<Progress> => {
  let removed = 0;
  for await (const all of pages) {
    const { results, isComplete } = await mapConcurrently(all, processOne, { until });
    removed += results.filter(Boolean).length;
    if (!isComplete) return { removed, timedOut: true };
  }
  return { removed, timedOut: false };
};

/** Purges a project of an erased user, soft-deleted or not. @returns false unless it exists and belongs to the user. */
const purgeOwnProject = (projectId: string, userId: string): Promise<boolean> =>
  retryOnConflict(async () => {
    const stored = await findProject(projectId);
    if (stored?.project.owner_id !== userId) return false;
    await deleteProject(stored.project, deletionEvents(userId, stored.project));
    return true;
  });

const deleteReactions = async (userId: string, until: number): Promise<Progress> => {
  const votes = await processAll(votedProjectIds(userId), until, (id) => eraseVote(id, userId));
  const ratings = await processAll(ratedProjectIds(userId), until, (id) => eraseRating(id, userId));
  return { removed: votes.removed + ratings.removed, timedOut: votes.timedOut || ratings.timedOut };
};

/** How long the daily job repeats the erasure of reactions, in milliseconds. */
const REPEATED_MS = 3 * DAY_MS;

/**
 * Deletes the reactions of recently erased users that a process wrote concurrently with the erasure and could not withdraw,
 * because it ended, or that the index did not contain yet.
 * @returns how many there were.
 */
export const repeatErasures = async (until: number): Promise<{ removed: number; timedOut: boolean }> => {
  const since = new Date(Date.parse(now()) - REPEATED_MS).toISOString();
  let removed = 0;
  for await (const userIds of usersErasedSince(since)) {
    for (const userId of userIds) {
      const deleted = await deleteReactions(userId, until);
      removed += deleted.removed;
      if (deleted.timedOut) return { removed, timedOut: true };
    }
  }
  return { removed, timedOut: false };
};

/**
 * Deletes the orphaned data of an erased user: votes and ratings with their counts, bookmarks, follows, drafts, claims, unpaid submissions, author
 * and text of reports, the actor of revisions and batches, API keys, and the projects if requested. Every deletion is conditional, so concurrent and repeated runs are safe.
 */
const deleteUserData = async ({ user_id: userId, projects }: ErasureTask, budgetMs: number): Promise<Progress> => {
  const until = performance.now() + budgetMs;
  // First: API keys of the user must not work while the rest is deleted.
  const keys = await endKeysOf(userId);
  const parts = [
    await deleteReactions(userId, until),
    await processAll(draftPages(userId), until, (id) => deleteDraft(userId, id)),
    await processAll(checkoutIds(userId), until, deleteCheckoutSubmission),
    await processAll(claimIds(userId), until, deleteClaim),
    { removed: Number(await deleteOpenClaims(userId)), timedOut: false },
    await processAll(reportIds(userId), until, anonymizeReport),
    await processAll(revisionKeysBy(userId), until, removeActor),
    await processAll(bookmarkKeysOf(userId), until, deleteExisting),
    await processAll(followKeysOf(userId), until, deleteExisting),
    await processAll(batchIdsBy(userId), until, (id) => removeBatchActor(id, userId)),
  ];
  if (projects === 'delete') {
    parts.push(await processAll(ownedProjectIds(userId), until, (id) => purgeOwnProject(id, userId)));
  }
  return {
    removed: parts.reduce((sum, { removed }) => sum + removed, keys),
    timedOut: parts.some(({ timedOut }) => timedOut),
  };
};

/** Deletes as much of the data of an erased user as a request has time for; the task deletes the rest. */
const beginDeletion = async (task: ErasureTask): Promise<void> => {
  try {
    await deleteUserData(task, REQUEST_BUDGET_MS);
  } catch (error) {
    // The record is erased, so the request has succeeded.
    log.warn('deleting the data of an erased user failed; the task will retry', { error });
  }
};

/**
 * Erases the caller's record and deletes as much of the other data as time allows; the task enqueued with the erasure
 * deletes the rest.
 * @returns when, ISO 8601.
 * @throws 409 for the last administrator; 401 when the caller has been erased already.
 */
export const eraseSelf = async (user: UserRecord, projects: ErasureTask['projects']): Promise<string> => {
  const task = { user_id: user.id, projects };
  const erasedAt = await changeSelf(user, async (current) => {
    // A banned administrator cannot act as one, so another one need not remain.
    const mustLeaveAdmin = current.is_admin && !current.is_banned;
    const remainingAdminId = mustLeaveAdmin ? await findOtherAdmin(current.id) : undefined;
    if (mustLeaveAdmin && remainingAdminId === undefined) {
      throw conflict('SELF_CHANGE', 'You are the last administrator.');
    }
    const at = now();
    await eraseUser(current, { at, projects }, [newMessage('userErased', user.id, task)], remainingAdminId);
    return at;
  });
  await beginDeletion(task);
  return erasedAt;
};

/**
 * Erases another user like `eraseSelf`. The transaction checks that the caller is still an administrator, so of two who
 * erase each other one remains.
 * @returns when, ISO 8601.
 * @throws 404 for an unknown or erased user, 409 for oneself, 403 when the caller is no longer an administrator.
 */
export const eraseOther = async (
  admin: UserRecord,
  userId: string,
  projects: ErasureTask['projects'],
): Promise<string> => {
  const task = { user_id: userId, projects };
  const erasedAt = await changeUser(userId, async (current) => {
    if (current.id === admin.id) throw conflict('SELF_CHANGE', 'Erase your own account as a user.');
    const at = now();
    await eraseUser(current, { at, projects }, [newMessage('userErased', admin.id, task)], admin.id, forbidden);
    return at;
  });
  await beginDeletion(task);
  return erasedAt;
};

/**
 * Deletes everything that is left of an erased user: the account, then the data, then the traces in events and in the
 * audit log. Deletions are repeated until a pass finds nothing, because indexes lag behind the table. Every step is
 * safe to repeat and continues where the last run ended, so a run that fails is simply delivered again.
 * @throws when the time is up first.
 */
export const finishErasure = async (task: ErasureTask): Promise<void> => {
  const until = performance.now() + TASK_BUDGET_MS;
  await deleteAccount(task.user_id);
  for (;;) {
    const { removed, timedOut } = await deleteUserData(task, until - performance.now());
    if (timedOut) throw new TimeUp();
    if (removed === 0) break;
  }
  // Last, because deletions of projects write events.
  await removeUserFromLogs(task.user_id, task.projects === 'keep', until);
};
