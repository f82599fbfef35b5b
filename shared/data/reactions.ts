import type { ViewerState } from '#contract/projects.ts';
import type { Reactions } from '#contract/users.ts';
import type { ProjectCounts } from '#model/project.ts';
import { now } from '#platform/clock.ts';
import { environment } from '#platform/environment.ts';
import { bookmarkedAmong } from './bookmarks.ts';
import { countReaction, countsOf } from './counts.ts';
import { countsKey, inOwnerCollection, ratingKey, userKey, voteKey } from './keys.ts';
import { slugHolders } from './projects.ts';
import { findItem, findItems, findItemsAtOnce, type Item } from './read.ts';
import { isErased } from './users.ts';
import { type CaseMembership, networkHash, originDeletion, originInsertion, type Voter } from './vote-origins.ts';
import { absent, type Condition, every, exists, is, lacks, transact, type Write } from './write.ts';

/** What is stored about a user's vote for a project. */
interface StoredVote {
  /** Whether the vote is set. One that was cleared stays while it belongs to a case, so that it is held when it is set again. */
  readonly isSet: boolean;
  /** Whether it is kept out of the count. */
  readonly isHeld: boolean;
  readonly membership: CaseMembership | undefined;
}

export const voteIn = (item: Item | undefined): StoredVote | undefined =>
  item && {
    isSet: item.withdrawn !== true,
    isHeld: item.held === true,
    membership:
      typeof item.case_id === 'string' ? { case_id: item.case_id, signals: String(item.signals ?? '') } : undefined,
  };

/** Whether the item of a vote is one of a vote that is set. */
const isSetVote = (item: Item | undefined): boolean => voteIn(item)?.isSet === true;

const countsAs = ({ isHeld }: Pick<StoredVote, 'isHeld'>): number => (isHeld ? 0 : 1);

export const findVote = async (projectId: string, userId: string): Promise<StoredVote | undefined> =>
  voteIn(await findItem(voteKey(projectId, userId)));

/** The number of votes that count without that of this user, whether this one is held, and whether the user has been erased, at one moment. */
export const readVotesOfOthers = async (
  projectId: string,
  userId: string,
): Promise<{ readonly others: number; readonly isHeld: boolean; readonly userIsErased: boolean }> => {
  const keys = [voteKey(projectId, userId), countsKey(projectId), userKey(userId)];
  const [item, counts, user] = await findItemsAtOnce(keys);
  const vote = voteIn(item);
  return {
    others: Math.max(0, countsOf(counts).upvote_count - (vote?.isSet ? countsAs(vote) : 0)),
    isHeld: vote?.isHeld === true,
    userIsErased: isErased(user),
  };
};

/** The write of a new vote, to be part of the transaction that counts it. */
export const voteInsertion = (projectId: string, userId: string, createdAt: string): Write => ({
  put: {
    ...voteKey(projectId, userId),
    ...inOwnerCollection(userId, 'VOTE', projectId),
    type: 'vote',
    project_id: projectId,
    user_id: userId,
    created_at: createdAt,
  },
  when: absent,
});

/** The vote is as it was read. */
export const unchangedVote = ({ isSet, isHeld, membership }: StoredVote): Condition =>
  every(
    exists,
    isSet ? lacks('withdrawn') : is('withdrawn', true),
    isHeld ? is('held', true) : lacks('held'),
    membership ? is('case_id', membership.case_id) : lacks('case_id'),
  );

/**
 * Sets a vote. The caller then checks that the user has not been erased.
 * @param previous a vote that was cleared; undefined without one.
 * @param voter recorded for the review of votes; undefined while there is none.
 * @throws 404 when the project is no longer open; ConditionFailed when the vote has changed.
 */
export const setVote = async (
  projectId: string,
  userId: string,
  previous: StoredVote | undefined,
  voter: Voter | undefined,
): Promise<void> => {
  const votedAt = now();
  const network = voter?.network === undefined ? null : await networkHash(voter.network, votedAt);
  await transact([
    previous
      ? {
          update: voteKey(projectId, userId),
          change: { set: { created_at: votedAt }, remove: ['withdrawn'] },
          when: unchangedVote(previous),
        }
      : voteInsertion(projectId, userId, votedAt),
    countReaction(projectId, { upvote_count: previous ? countsAs(previous) : 1 }),
    ...(voter
      ? [
          originInsertion(projectId, userId, {
            ...{ votedAt, joinedAt: voter.joinedAt, network, membership: previous?.membership },
          }),
        ]
      : []),
  ]);
};

/** Clears a vote. @throws 404 when the project is no longer open; ConditionFailed when the vote has changed. */
export const clearVote = async (projectId: string, userId: string, previous: StoredVote): Promise<void> => {
  const key = voteKey(projectId, userId);
  await transact([
    previous.membership
      ? { update: key, change: { set: { withdrawn: true } }, when: unchangedVote(previous) }
      : { delete: key, when: unchangedVote(previous) },
    countReaction(projectId, { upvote_count: -countsAs(previous) }),
    originDeletion(projectId, userId),
  ]);
};

const ratingOf = (item: Item | undefined): number | undefined => item?.rating as number | undefined;

/** A user's rating of a project, 1 to 5. */
export const findRating = async (projectId: string, userId: string): Promise<number | undefined> =>
  ratingOf(await findItem(ratingKey(projectId, userId)));

/** The sum and the number of the ratings of all users but this one, and whether this one has been erased, at one moment. */
export const readRatingsOfOthers = async (
  projectId: string,
  userId: string,
): Promise<Pick<ProjectCounts, 'ratings_sum' | 'ratings_count'> & { readonly userIsErased: boolean }> => {
  const keys = [ratingKey(projectId, userId), countsKey(projectId), userKey(userId)];
  const [item, counts, user] = await findItemsAtOnce(keys);
  const { ratings_sum, ratings_count } = countsOf(counts);
  const own = ratingOf(item);
  return {
    ratings_sum: Math.max(0, ratings_sum - (own ?? 0)),
    ratings_count: Math.max(0, ratings_count - (own === undefined ? 0 : 1)),
    userIsErased: isErased(user),
  };
};

/** The write of a rating, to be part of the transaction that counts it. @param previous undefined for a new one. */
export const ratingReplacement = (
  projectId: string,
  userId: string,
  previous: number | undefined,
  rating: number,
  ratedAt: string,
): Write => ({
  put: {
    ...ratingKey(projectId, userId),
    ...inOwnerCollection(userId, 'RATING', projectId),
    type: 'rating',
    project_id: projectId,
    user_id: userId,
    rating,
    updated_at: ratedAt,
  },
  when: previous === undefined ? absent : is('rating', previous),
});

/**
 * Replaces a rating, or inserts it if `previous` is undefined. The caller then checks that the user has not been erased.
 * @throws 404 when the project is no longer open; ConditionFailed when the stored rating is not `previous`.
 */
export const replaceRating = async (
  projectId: string,
  userId: string,
  previous: number | undefined,
  rating: number,
): Promise<void> => {
  await transact([
    ratingReplacement(projectId, userId, previous, rating, now()),
    countReaction(projectId, { ratings_sum: rating - (previous ?? 0), ratings_count: previous === undefined ? 1 : 0 }),
  ]);
};

/** @throws 404 when the project is no longer open; ConditionFailed when the stored rating is not `previous`. */
export const deleteRating = async (projectId: string, userId: string, previous: number): Promise<void> => {
  await transact([
    { delete: ratingKey(projectId, userId), when: is('rating', previous) },
    countReaction(projectId, { ratings_sum: -previous, ratings_count: -1 }),
  ]);
};

/** Prefix of project ids; slugs have no underscore. */
const ID_PREFIX = 'prj_';

const none: ViewerState = { upvoted: false, rating: null };

/**
 * A user's votes and ratings by project reference: id, slug or earlier slug; with the ids of the bookmarked ones among them
 * while the feature is on.
 */
export const viewerState = async (userId: string, references: readonly string[]): Promise<Reactions> => {
  const holders = await slugHolders(references.filter((one) => !one.startsWith(ID_PREFIX)));
  const ids = references.map((one) => holders.get(one) ?? (one.startsWith(ID_PREFIX) ? one : undefined));
  const known = ids.filter((id) => id !== undefined);
  const [items, bookmarked] = await Promise.all([
    findItems(known.flatMap((id) => [voteKey(id, userId), ratingKey(id, userId)])),
    environment().features.bookmarks ? bookmarkedAmong(userId, [...new Set(known)]) : undefined,
  ]);
  const states = new Map(
    known.map((id, position): [string, ViewerState] => {
      const rating = items[2 * position + 1]?.rating;
      return [id, { upvoted: isSetVote(items[2 * position]), rating: rating === undefined ? null : Number(rating) }];
    }),
  );
  return Object.fromEntries([
    ...references.map((one, position) => [one, states.get(ids[position] ?? '') ?? none] as const),
    // Last: no project has this slug, which is reserved.
    ...(bookmarked ? [['bookmarked', bookmarked] as const] : []),
  ]) as Reactions;
};

export const viewerStateOf = async (projectId: string, userId: string): Promise<ViewerState> => {
  const [vote, rating] = await findItems([voteKey(projectId, userId), ratingKey(projectId, userId)]);
  return { upvoted: isSetVote(vote), rating: rating ? Number(rating.rating) : null };
};
