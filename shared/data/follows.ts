import { createHash } from 'node:crypto';
import { FOLLOWS_MAX } from '#contract/follows.ts';
import { type BegunDigest, type DigestState, ended, type FollowRecord } from '#model/follow.ts';
import { conflict } from '#shared/errors.ts';
import {
  followerKey,
  followersPartition,
  followKey,
  followPrefix,
  followsPartition,
  inFollowers,
  type Key,
} from './keys.ts';
import { collectionPages, findItem, type Item, keyOf, orNull, recordOf, wholeCollection } from './read.ts';
import { userNotErased } from './users.ts';
import { absent, every, exists, is, isBelow, tryTransact, updateItem } from './write.ts';

/** @param canonical equal for equal queries. */
export const followKeyOf = (userId: string, canonical: string): Key =>
  followKey(userId, createHash('sha256').update(canonical).digest('base64url'));

const digestsOf = (item: Item | undefined): DigestState => ({
  digests: Number(item?.digests ?? 0),
  daily_through: orNull(item?.daily_through),
  weekly_through: orNull(item?.weekly_through),
  mailed_on: orNull(item?.mailed_on),
  begun: orNull(item?.begun),
});

const newestFirst = (one: FollowRecord, other: FollowRecord): number => (one.id < other.id ? 1 : -1);

/** All follows of a user, the newest first. */
export const followsOf = async (userId: string): Promise<FollowRecord[]> => {
  const items = await wholeCollection({ partition: followsPartition(userId), prefix: followPrefix });
  return items.map(recordOf<FollowRecord>).toSorted(newestFirst);
};

/** The follows of a user, the newest first, and which digests the user got. */
export const followerOf = async (
  userId: string,
): Promise<{ readonly follows: readonly FollowRecord[]; readonly state: DigestState }> => {
  const items = await wholeCollection({ partition: followsPartition(userId) });
  const follows = items.filter(({ type }) => type === 'follow').map(recordOf<FollowRecord>);
  return { follows: follows.toSorted(newestFirst), state: digestsOf(items.find(({ type }) => type === 'follower')) };
};

export const findFollowOf = async (userId: string, canonical: string): Promise<FollowRecord | undefined> => {
  const item = await findItem(followKeyOf(userId, canonical));
  return item && recordOf<FollowRecord>(item);
};

/**
 * Stores a new follow.
 * @returns false when the user follows the query already.
 * @throws 409 when the user has `FOLLOWS_MAX`, 401 when the user was erased concurrently.
 */
export const insertFollow = (follow: FollowRecord, canonical: string): Promise<boolean> => {
  const userId = follow.user_id;
  return tryTransact([
    { put: { ...followKeyOf(userId, canonical), type: 'follow', ...follow }, when: absent },
    {
      update: followerKey(userId),
      change: {
        set: { type: 'follower', user_id: userId, ...inFollowers(userId) },
        add: { follows: 1, digests: 0 },
      },
      when: isBelow('follows', FOLLOWS_MAX),
      orElse: () => conflict('LIMIT_REACHED', `You have ${FOLLOWS_MAX} follows already.`),
    },
    userNotErased(userId),
  ]);
};

/** @returns whether the follow existed. */
export const deleteFollow = async (userId: string, followId: string): Promise<boolean> => {
  const items = await wholeCollection({ partition: followsPartition(userId), prefix: followPrefix });
  const item = items.find(({ id }) => id === followId);
  if (!item) return false;
  return await tryTransact([
    // An equal query may have been followed again since.
    { delete: keyOf(item), when: every(exists, is('id', followId)) },
    { update: followerKey(userId), change: { add: { follows: -1 } }, when: exists },
  ]);
};

/** The keys of a user's follows and of what is stored about the digests, a page at a time. */
export async function* followKeysOf(userId: string): AsyncGenerator<readonly Key[]> {
  const pages = collectionPages({ partition: followsPartition(userId), only: ['pk', 'sk'] });
  for await (const items of pages) yield items.map(keyOf);
}

/** The ids of the users with follows, in their order, a page at a time. @param after the id to continue after. */
export async function* followerPages(after: string | undefined): AsyncGenerator<readonly string[]> {
  const pages = collectionPages({
    partition: followersPartition,
    index: 'collection',
    only: ['user_id', 'follows', 'collection_sk'],
    ...(after !== undefined && { after: inFollowers(after).collection_sk }),
  });
  for await (const items of pages)
    yield items.filter(({ follows }) => Number(follows) > 0).map((item) => String(item.user_id));
}

/** @returns the next state; undefined when another run changed it first. */
const changeDigests = async (
  userId: string,
  { digests }: DigestState,
  change: Partial<DigestState>,
): Promise<DigestState | undefined> => {
  const stored = await updateItem(
    followerKey(userId),
    { set: { ...change, digests: digests + 1 } },
    every(exists, is('digests', digests)),
  );
  return stored && digestsOf(stored);
};

/** Stores what the next digest contains, before it is sent. @returns undefined when another run changed the state first. */
export const beginDigest = (userId: string, state: DigestState, begun: BegunDigest): Promise<DigestState | undefined> =>
  changeDigests(userId, state, { begun });

/** Stores that the digest of the day was sent. @returns undefined when another run changed the state first. */
export const endDigest = (userId: string, state: DigestState, begun: BegunDigest): Promise<DigestState | undefined> =>
  changeDigests(userId, state, ended(state, begun));
