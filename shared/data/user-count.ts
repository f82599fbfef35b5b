import { now } from '#platform/clock.ts';
import { ConflictError } from './conflict.ts';
import { inUsers, userCountKey, usersPartition } from './keys.ts';
import { collectionPages, countRange, findItem } from './read.ts';
import { is, lacks, updateItem, type Write } from './write.ts';

// Users are counted without a write at their creation, which every function with a login does: a job counts those up to a
// place in the collection of users once, an erasure takes its user off, and a reader adds those after that place.

interface UserCount {
  /** Users who are not erased, up to `through`. */
  readonly count: number;
  /** A sort key of the collection of users; empty before the first. */
  readonly through: string;
  readonly version: number;
  /** The latest erasure, ISO 8601; empty for none. */
  readonly erasedAt: string;
}

const findUserCount = async (): Promise<UserCount> => {
  const item = await findItem(userCountKey);
  return {
    count: Number(item?.count ?? 0),
    through: String(item?.through ?? ''),
    version: Number(item?.version ?? 0),
    erasedAt: String(item?.erased_at ?? ''),
  };
};

const usersAfter = (through: string) =>
  ({ partition: usersPartition, index: 'collection', ...(through !== '' && { after: through }) }) as const;

/** The number of users who are not erased. Counts those who joined since the last run of `advanceUserCount`. */
export const countUsers = async (): Promise<number> => {
  const { count, through } = await findUserCount();
  return count + (await countRange(usersAfter(through)));
};

/** The place was moved, or a user erased, concurrently. */
class UserCountChanged extends ConflictError {
  override readonly name = 'UserCountChanged';
}

/** The write that takes a user off the count, for the transaction of the erasure. */
export const uncountUser = async (joinedAt: string, userId: string): Promise<Write> => {
  const { through } = await findUserCount();
  const isCounted = inUsers(joinedAt, userId).collection_sk <= through;
  return {
    update: userCountKey,
    change: {
      set: { type: 'userCount', erased_at: now() },
      add: { version: 1, ...(isCounted && { count: -1 }) },
    },
    when: through === '' ? lacks('through') : is('through', through),
    orElse: () => new UserCountChanged('The count of users was changed concurrently.'),
  };
};

/** The index follows the table within moments; a user who joined or was erased this recently is left to the next run. */
const QUIET_MS = 60_000;

/** Moves the counted place up to a minute ago, a page of users at a time, unless a user was erased within this minute. */
export const advanceUserCount = async (): Promise<void> => {
  const before = new Date(Date.parse(now()) - QUIET_MS).toISOString();
  let { count, through, version, erasedAt } = await findUserCount();
  if (erasedAt > before) return;
  for await (const users of collectionPages({ ...usersAfter(through), before, only: ['collection_sk'] })) {
    count += users.length;
    through = String(users.at(-1)?.collection_sk);
    const change = { set: { type: 'userCount', count, through, version: version + 1 } };
    const isUnchanged = version === 0 ? lacks('version') : is('version', version);
    // An erasure since then may have changed what this run has counted.
    if (!(await updateItem(userCountKey, change, isUnchanged))) return;
    version += 1;
  }
};
