import { purgeOwnProject, removeRemains } from '#domain/users/erase.ts';
import type { MessageData } from '#events/catalogue.ts';
import { now } from '#platform/clock.ts';
import { newId } from '#platform/ids.ts';
import { log } from '#platform/log.ts';
import { exists, is } from './conditions.ts';
import { changeCounts } from './counts.ts';
import {
  checkoutDraftKey,
  type Key,
  openCheckoutsPartition,
  ownerPartition,
  ownerPrefix,
  projectKey,
  ratingKey,
  voteKey,
} from './keys.ts';
import { findProject, removeProject } from './projects.ts';
import { collectionPages, findItem } from './read.ts';
import { eraseUser } from './user-records.ts';
import { findUser } from './users.ts';
import { ConditionFailed, removeItem, transact, type Write } from './write.ts';

/** What erasing a user takes: the walk through what is his, and its removal piece by piece. */

/** Ids that one kind of a user's things has or is about, a page at a time. */
async function* idsBehind(userId: string, prefix: string, attribute: string): AsyncGenerator<readonly string[]> {
  const pages = collectionPages({
    partition: ownerPartition(userId),
    index: 'collection',
    prefix,
    only: [attribute, 'collection_sk'],
  });
  for await (const items of pages) yield items.map((item) => String(item[attribute]));
}

/** Ids of his checkouts: those that nobody has paid yet stand with everybody's, and there are never many of them. */
async function* checkoutsOf(userId: string): AsyncGenerator<readonly string[]> {
  const open = { partition: openCheckoutsPartition, index: 'collection', only: ['id', 'user_id'] } as const;
  for await (const items of collectionPages(open)) {
    yield items.filter((item) => item.user_id === userId).map((item) => String(item.id));
  }
  yield* idsBehind(userId, ownerPrefix.checkouts, 'id');
}

/** The project is gone for good: its counters are gone too and must not come back. */
class ProjectGone extends Error {
  override readonly name = 'ProjectGone';
}

// A removal loses only to another change of the very same thing, made by a request that began before the erasure.
const TRIES = 10;

/**
 * Takes a reaction away with its count. Reactions to projects that are not live any more count as well: the project may
 * come back.
 * @param step the removal on condition of the state as it is now, with its change of the counters; undefined when there is
 * nothing to remove.
 */
const withdraw = async (
  projectId: string,
  key: Key,
  step: () => Promise<readonly [removal: Write, counting: Write] | undefined>,
): Promise<boolean> => {
  for (let attempt = 1; ; attempt += 1) {
    const writes = await step();
    if (!writes) return false;
    try {
      await transact([
        { check: projectKey(projectId), when: exists, orElse: () => new ProjectGone(projectId) },
        ...writes,
      ]);
      return true;
    } catch (error) {
      if (error instanceof ProjectGone) return await removeItem(key, exists);
      if (!(error instanceof ConditionFailed) || attempt >= TRIES) throw error;
    }
  }
};

const withdrawVote = (projectId: string, userId: string): Promise<boolean> => {
  const key = voteKey(projectId, userId);
  return withdraw(projectId, key, async () =>
    (await findItem(key)) ? [{ remove: key, when: exists }, changeCounts(projectId, { upvote_count: -1 })] : undefined,
  );
};

const withdrawRating = (projectId: string, userId: string): Promise<boolean> => {
  const key = ratingKey(projectId, userId);
  return withdraw(projectId, key, async () => {
    const rating = (await findItem(key))?.rating;
    if (rating === undefined) return undefined;
    return [
      { remove: key, when: is('rating', Number(rating)) },
      changeCounts(projectId, { ratings_sum: -Number(rating), ratings_count: -1 }),
    ];
  });
};

const workshop = { now, newId };

/** What removing his remains works with. */
export const remainsPorts = {
  votesOf: (userId: string) => idsBehind(userId, ownerPrefix.votes, 'project_id'),
  ratingsOf: (userId: string) => idsBehind(userId, ownerPrefix.ratings, 'project_id'),
  checkoutsOf,
  projectsOf: (userId: string) => idsBehind(userId, ownerPrefix.projects, 'id'),
  withdrawVote,
  withdrawRating,
  removeDraft: (checkoutId: string) => removeItem(checkoutDraftKey(checkoutId), exists),
  purgeOwn: (projectId: string, userId: string) =>
    purgeOwnProject({ ...workshop, findProject, removeProject }, projectId, userId),
};

/** How much of a request's 10 seconds goes into removing, in milliseconds. */
const REQUEST_BUDGET_MS = 4000;
/** How much of the task's 300 seconds, in milliseconds. */
export const ERASURE_BUDGET_MS = 280_000;

const beginRemoval = async (task: MessageData<'userErased'>): Promise<void> => {
  try {
    await removeRemains(remainsPorts, task, REQUEST_BUDGET_MS);
  } catch (error) {
    // The user is erased, and that is what he is told; the rest is the task's work in any case.
    log.warn('the removal of what an erased user left is left to the task', { error: error as Error });
  }
};

/** What forgetting somebody works with. */
export const erasePorts = { ...workshop, findUser, eraseUser, beginRemoval };
