import { deleteClaims } from './claims.ts';
import { deleteComments } from './comments.ts';
import { retryOnConflict } from './conflict.ts';
import { changeCounts } from './counts.ts';
import {
  checkoutSubmissionKey,
  type Key,
  openCheckoutsPartition,
  ownerPartition,
  ownerPrefix,
  projectKey,
  projectPartition,
  projectPrefix,
  projectTombstoneKey,
  ratingKey,
  slugKey,
  voteKey,
} from './keys.ts';
import { unchangedVote, voteIn } from './reactions.ts';
import { collectionPages, findItem, findItemsBy, keyOf } from './read.ts';
import { deleteReports } from './reports.ts';
import { departureFrom } from './vote-cases.ts';
import { originDeletion } from './vote-origins.ts';
import { deleteItem, deleteItems, exists, is, transact, type Write } from './write.ts';

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

export const votedProjectIds = (userId: string) => attributePages(userId, ownerPrefix.votes, 'project_id');

export const ratedProjectIds = (userId: string) => attributePages(userId, ownerPrefix.ratings, 'project_id');

export const claimIds = (userId: string) => attributePages(userId, ownerPrefix.claims, 'id');

export const reportIds = (userId: string) => attributePages(userId, ownerPrefix.reports, 'id');

/** Ids of a user's projects, soft-deleted ones too. */
export const ownedProjectIds = (userId: string) => attributePages(userId, ownerPrefix.projects, 'id');

/** Ids of a user's checkouts. The unpaid ones of all users share a partition; they are few. */
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
  writesOf: () => Promise<readonly Write[] | undefined>,
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

/** Deletes a vote, decrements the counter and takes the vote out of its case. @returns false when there was no vote. */
export const eraseVote = (projectId: string, userId: string): Promise<boolean> => {
  const key = voteKey(projectId, userId);
  return withdraw(projectId, key, async () => {
    const item = await findItem(key);
    const vote = voteIn(item);
    if (!item || !vote) return undefined;
    return [
      { delete: key, when: unchangedVote(vote) },
      changeCounts(projectId, { upvote_count: vote.isSet && !vote.isHeld ? -1 : 0 }),
      originDeletion(projectId, userId),
      ...departureFrom(projectId, userId, item),
    ];
  });
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

/** Deletes an item that only its owner knows of. @returns false when there was none. */
export const deleteExisting = (key: Key): Promise<boolean> => deleteItem(key, exists);

/** Deletes the submission of a premium checkout. @returns false when there was none. */
export const deleteCheckoutSubmission = (checkoutId: string): Promise<boolean> =>
  deleteItem(checkoutSubmissionKey(checkoutId), exists);

/** Deletes the votes, ratings, comments, reports, claims, analytics and revisions of a purged project. */
const deleteReactions = async (projectId: string): Promise<number> => {
  let removed = (await deleteComments(projectId)) + (await deleteReports(projectId)) + (await deleteClaims(projectId));
  for (const prefix of [
    projectPrefix.hiddenComments,
    projectPrefix.votes,
    projectPrefix.voteOrigins,
    projectPrefix.voteCases,
    projectPrefix.openVoteCase,
    projectPrefix.caseVotes,
    projectPrefix.ratings,
    projectPrefix.days,
    projectPrefix.revisions,
  ]) {
    const pages = collectionPages({ partition: projectPartition(projectId), prefix, only: ['pk', 'sk'] });
    for await (const items of pages) {
      await deleteItems(items.map(keyOf));
      removed += items.length;
    }
  }
  return removed;
};

/**
 * Deletes the orphaned data of a purged project: reactions, reports and the claims of its slugs. Idempotent. The tombstone
 * expires by itself. It does nothing if an import has restored the project, because the import removes the data first.
 */
export const deleteOrphanedData = async (projectId: string, slugs: readonly string[]): Promise<number> => {
  if (await findItem(projectKey(projectId))) return 0;
  const removed = await deleteReactions(projectId);
  // Another project may have claimed a slug since.
  const claims = await findItemsBy(slugs, slugKey);
  const orphaned = slugs.filter((slug) => claims.get(slug)?.project_id === projectId).map(slugKey);
  await deleteItems(orphaned);
  return removed + orphaned.length;
};

/** Deletes the orphaned data of recently purged projects before their ids are used again. */
export const deleteReactionsOfPurged = async (projectIds: readonly string[]): Promise<void> => {
  const tombstones = await findItemsBy(projectIds, projectTombstoneKey);
  for (const projectId of tombstones.keys()) await deleteReactions(projectId);
};
