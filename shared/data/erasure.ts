import { retryOnConflict } from './conflict.ts';
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
import { collectionPages, findItem } from './read.ts';
import { deleteItem, exists, is, transact, type Write } from './write.ts';

/** The time of a run of the erasure is up; the task is delivered again. */
export class TimeUp extends Error {
  override readonly name = 'TimeUp';
}

/** One attribute of all items with a prefix in a user's collection, a page at a time. */
async function* attributePages(userId: string, prefix: string, attribute: string): AsyncGenerator<readonly string[]> {
  const pages = collectionPages({
    partition: ownerPartition(userId),
    index: 'collection',
    prefix,
    only: [attribute, 'collection_sk'],
  });
  for await (const items of pages) yield items.map((item) => String(item[attribute]));
}

/** Ids of the projects that a user voted for. */
export const votedProjectIds = (userId: string) => attributePages(userId, ownerPrefix.votes, 'project_id');

/** Ids of the projects that a user rated. */
export const ratedProjectIds = (userId: string) => attributePages(userId, ownerPrefix.ratings, 'project_id');

/** Ids of a user's reports of projects. */
export const reportIds = (userId: string) => attributePages(userId, ownerPrefix.reports, 'id');

/** Ids of a user's projects, soft-deleted ones too. */
export const ownedProjectIds = (userId: string) => attributePages(userId, ownerPrefix.projects, 'id');

/** Ids of a user's checkouts. The open ones of all users share a partition; they are few. */
export async function* checkoutIds(userId: string): AsyncGenerator<readonly string[]> {
  const open = { partition: openCheckoutsPartition, index: 'collection', only: ['id', 'user_id'] } as const;
  for await (const items of collectionPages(open)) {
    yield items.filter((item) => item.user_id === userId).map((item) => String(item.id));
  }
  yield* attributePages(userId, ownerPrefix.checkouts, 'id');
}

/** The project has been purged; its counters must not be recreated. */
class ProjectPurged extends Error {
  override readonly name = 'ProjectPurged';
}

/**
 * Deletes a reaction and updates the counter of its project. Projects that are not live are updated too, because they
 * may become live again.
 * @param writesOf reads the reaction and returns its conditional deletion and the counter update; undefined when it
 * does not exist.
 * @returns false when there was no reaction.
 */
const withdraw = (
  projectId: string,
  key: Key,
  writesOf: () => Promise<readonly [deletion: Write, counters: Write] | undefined>,
): Promise<boolean> =>
  retryOnConflict(async () => {
    const writes = await writesOf();
    if (!writes) return false;
    try {
      await transact([
        { check: projectKey(projectId), when: exists, orElse: () => new ProjectPurged(projectId) },
        ...writes,
      ]);
      return true;
    } catch (error) {
      if (error instanceof ProjectPurged) return await deleteItem(key, exists);
      throw error;
    }
  });

/** Deletes a vote and decrements the counter. @returns false when there was no vote. */
export const eraseVote = (projectId: string, userId: string): Promise<boolean> => {
  const key = voteKey(projectId, userId);
  return withdraw(projectId, key, async () =>
    (await findItem(key)) ? [{ delete: key, when: exists }, changeCounts(projectId, { upvote_count: -1 })] : undefined,
  );
};

/** Deletes a rating and subtracts it from the counters. @returns false when there was no rating. */
export const eraseRating = (projectId: string, userId: string): Promise<boolean> => {
  const key = ratingKey(projectId, userId);
  return withdraw(projectId, key, async () => {
    const rating = (await findItem(key))?.rating;
    if (rating === undefined) return undefined;
    return [
      { delete: key, when: is('rating', Number(rating)) },
      changeCounts(projectId, { ratings_sum: -Number(rating), ratings_count: -1 }),
    ];
  });
};

/** Deletes the submission draft of a premium checkout. @returns false when there was none. */
export const deleteCheckoutDraft = (checkoutId: string): Promise<boolean> =>
  deleteItem(checkoutDraftKey(checkoutId), exists);
