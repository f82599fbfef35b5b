import { GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { parse } from '#contract/fields.ts';
import type { Message, MessageData } from '#events/catalogue.ts';
import {
  asciiLowerCase,
  type CommentCount,
  type Identity,
  identityChanges,
  liftExpiredBan,
  newUser,
  UserRecord,
} from '#model/user.ts';
import { isRecent, now, TIME_LENGTH } from '#platform/clock.ts';
import { dynamo } from '#platform/dynamo.ts';
import { environment } from '#platform/environment.ts';
import { forbidden, unauthorized } from '#shared/errors.ts';
import { ConflictError } from './conflict.ts';
import { inOutbox } from './event-log.ts';
import {
  changedUsersPartition,
  inChangedUsers,
  inUsers,
  type Key,
  ownerPartition,
  ownerPrefix,
  userCountKey,
  userKey,
  usersPartition,
} from './keys.ts';
import { suppressionDeletion } from './mail-suppression.ts';
import {
  collectionPages,
  countCollection,
  countRange,
  findItem,
  findItems,
  findRecords,
  type Item,
  wholeCollection,
} from './read.ts';
import {
  type Condition,
  either,
  every,
  exists,
  hasPassed,
  is,
  lacks,
  sendSingle,
  transact,
  updateItem,
  type Write,
} from './write.ts';

const allUsers = { partition: usersPartition, index: 'collection' } as const;

/** The record in an item. A ban that has ended is lifted. */
export const userOf = (item: Item): UserRecord => liftExpiredBan(parse(UserRecord, item), now());

export const userItem = (user: UserRecord, changedAt: string): Item & Key => ({
  ...userKey(user.id),
  ...inUsers(user.joined_at, user.id),
  ...inChangedUsers(changedAt, user.id),
  type: 'user',
  ...user,
  // Conditions test whether the attribute exists.
  erased_at: undefined,
});

interface Erasure {
  /** ISO 8601. */
  readonly at: string;
  /** Whether the user's projects stay. */
  readonly projects: MessageData<'userErased'>['projects'];
}

/**
 * The item that replaces the record of an erased user. It blocks the id, keeps a ban and removes the user from replicas. The
 * comments remain, and so does their count. It says whether the projects were deleted, whose names are then not sent any more.
 */
const erasedItem = (user: UserRecord, { at, projects }: Erasure): Item & Key => ({
  ...userKey(user.id),
  ...inChangedUsers(at, user.id),
  type: 'user',
  id: user.id,
  erased_at: at,
  ...(projects === 'delete' && { projects_deleted: true }),
  ...(user.is_banned && { is_banned: true }),
  comment_count: user.comment_count,
  version: user.version + 1,
});

/** A concurrent write changed the user first. */
class UserChanged extends ConflictError {
  override readonly name = 'UserChanged';
}

const changedConcurrently = (userId: string) => () => new UserChanged(`The user ${userId} was changed concurrently.`);

/** The feed of changed users, for writes that stamp a user in each attempt. */
const feedOf = (userId: string) => (changedAt: string) => inChangedUsers(changedAt, userId);

const isActive: Condition = every(exists, lacks('erased_at'));

export const isErased = (item: Item | undefined): boolean => item?.erased_at !== undefined && item.erased_at !== null;

/**
 * A condition for transactions that write content of a user: fails with 401 once the user is erased, so that no content
 * is written after the erasure has looked for it.
 */
export const userNotErased = (userId: string): Write => ({
  check: userKey(userId),
  when: isActive,
  orElse: unauthorized,
});

/**
 * Adds to a user's comment counter, in the transaction that writes or deletes the comments.
 * @param isByUser whether the user writes them: it then fails with 401 once the user is erased.
 */
export const changeUserCounts = (userId: string, comments: number, isByUser = comments > 0): Write => ({
  update: userKey(userId),
  inFeed: feedOf(userId),
  change: { add: { comment_count: comments, version: 1 } },
  ...(isByUser ? { when: isActive, orElse: unauthorized } : { when: exists }),
});

const hasVersion = (version: number): Condition => (version === 0 ? lacks('version') : is('version', version));
const isUnchanged = ({ version }: UserRecord): Condition => every(isActive, hasVersion(version));

/** Attributes that a replacement does not set: they are fixed or have writers of their own. */
const NOT_REPLACED: ReadonlySet<string> = new Set<keyof UserRecord>([
  'id',
  'joined_at',
  'email',
  'email_verified',
  'email_issued_at',
  'comment_count',
  'erased_at',
  'version',
]);

/** The attributes of a user that a replacement may set. */
const replaceable = (user: UserRecord): readonly (readonly [string, unknown])[] =>
  Object.entries(user).filter(([name]) => !NOT_REPLACED.has(name));

const replacement = (
  previous: UserRecord,
  attributes: readonly (readonly [string, unknown])[],
  when: Condition,
): Write => ({
  update: userKey(previous.id),
  inFeed: feedOf(previous.id),
  change: { set: Object.fromEntries(attributes), add: { version: 1 } },
  when,
  orElse: changedConcurrently(previous.id),
});

/** Stores the next state of a user. @throws {UserChanged} unless the stored record equals `previous`. */
export const replaceUser = async (previous: UserRecord, next: UserRecord): Promise<void> => {
  // Unchanged attributes are not written: most functions may not write roles and bans.
  const changed = replaceable(next).filter(([name, value]) => value !== previous[name as keyof UserRecord]);
  await transact([replacement(previous, changed, isUnchanged(previous))]);
};

// Records that a function without the permission to write bans created have none.
const isNotBanned: Condition = either(lacks('is_banned'), is('is_banned', false), hasPassed('ban_expires_at'));
const isActiveAdmin: Condition = every(isActive, is('is_admin', true), isNotBanned);

/**
 * Stores the next state of a user as changed by an administrator, with its events. The transaction checks that the
 * caller is still an administrator: of two who revoke each other, one fails.
 * @throws {UserChanged} unless the stored record equals `previous`; 403 when the caller is no longer an administrator.
 */
export const replaceUserAs = async (
  adminId: string,
  previous: UserRecord,
  next: UserRecord,
  messages: readonly Message[],
): Promise<void> => {
  const isSelf = adminId === next.id;
  // All attributes: the item may contain a ban that has ended, which `previous` does not show.
  const attributes = replaceable(next);
  await transact([
    ...(isSelf ? [] : [{ check: userKey(adminId), when: isActiveAdmin, orElse: forbidden }]),
    replacement(previous, attributes, isSelf ? every(isUnchanged(previous), isActiveAdmin) : isUnchanged(previous)),
    ...messages.map(inOutbox),
  ]);
};

/**
 * Replaces a user's record by the item of an erased user and enqueues the task that deletes the rest.
 * @param remainingAdminId required to erase an administrator: the transaction checks that this one remains. Two
 * administrators who name each other cannot both be erased, so no count of administrators is needed.
 * @param orElse the error when that one is no longer an administrator; by default a conflict.
 * @throws {UserChanged} unless the stored record equals `previous`.
 */
export const eraseUser = async (
  previous: UserRecord,
  erasure: Erasure,
  messages: readonly Message[],
  remainingAdminId?: string,
  orElse: () => Error = changedConcurrently(String(remainingAdminId)),
): Promise<void> => {
  await transact([
    ...(remainingAdminId === undefined ? [] : [{ check: userKey(remainingAdminId), when: isActiveAdmin, orElse }]),
    {
      put: erasedItem(previous, erasure),
      inFeed: feedOf(previous.id),
      when: isUnchanged(previous),
      orElse: changedConcurrently(previous.id),
    },
    await uncountUser(previous.joined_at, previous.id),
    // Deleted too: its key is an unsalted hash of the address, which can be brute-forced. An unverified address may be
    // that of another person, whose suppression stays.
    ...(previous.email === null || !previous.email_verified ? [] : await suppressionDeletion(previous.email)),
    ...messages.map(inOutbox),
  ]);
};

// The identity middleware runs in every function with a login. It reads and writes users with commands of its own,
// apart from `read.ts` and `write.ts`, so that the roles of these functions can be limited to user keys.

/** The newest record of a user; an erased one has `erased_at`. */
export const findUser = async (userId: string): Promise<UserRecord | undefined> => {
  const { Item: item } = await dynamo().send(
    new GetCommand({ TableName: environment().table, Key: userKey(userId), ConsistentRead: true }),
  );
  return item && userOf(item);
};

/** What only functions that declare to write `users:roles` may write. A record without them is of a plain user. */
const ROLE_ATTRIBUTES: ReadonlySet<string> = new Set([
  'role',
  'is_admin',
  'role_decided',
  'is_banned',
  'ban_reason',
  'ban_expires_at',
]);

/** The attributes of a new user that a function may write, without the key. */
const newAttributes = (user: UserRecord, mayWriteRoles: boolean): readonly (readonly [string, unknown])[] => {
  // An unknown address makes a function with the permission decide the role at the first request to it.
  const stored =
    mayWriteRoles || !user.is_admin ? user : { ...user, email: null, email_verified: false, email_issued_at: null };
  return Object.entries(userItem(stored, now())).filter(
    ([name, value]) =>
      value !== undefined && name !== 'pk' && name !== 'sk' && (mayWriteRoles || !ROLE_ATTRIBUTES.has(name)),
  );
};

const createUser = async (user: UserRecord, mayWriteRoles: boolean): Promise<boolean> => {
  const created = await sendSingle((options) => {
    const attributes = newAttributes(user, mayWriteRoles);
    return dynamo().send(
      // An update, because the permission to replace whole records would include the role.
      new UpdateCommand({
        TableName: environment().table,
        Key: userKey(user.id),
        UpdateExpression: `SET ${attributes.map((_, index) => `#a${index} = :a${index}`).join(', ')}`,
        ConditionExpression: 'attribute_not_exists(pk)',
        ExpressionAttributeNames: Object.fromEntries(attributes.map(([name], index) => [`#a${index}`, name])),
        ExpressionAttributeValues: Object.fromEntries(attributes.map(([, value], index) => [`:a${index}`, value])),
      }),
      options,
    );
  });
  return created !== undefined;
};

/**
 * The record of a verified identity, created by its first request; concurrent first requests create one record.
 * @param mayWriteRoles whether the function writes `users:roles`. Without it, the role that `ADMIN_EMAILS`
 * gives applies to this request, and is stored by a later request to a function with it.
 * @returns an erased user too, with `erased_at`.
 */
export const findOrCreateUser = async (identity: Identity, mayWriteRoles: boolean): Promise<UserRecord> => {
  const known = await findUser(identity.sub);
  if (known) return known.erased_at === null ? await applyIdentity(known, identity, mayWriteRoles) : known;
  const user = newUser(identity, environment().adminEmails, now());
  return (await createUser(user, mayWriteRoles)) ? user : ((await findUser(identity.sub)) ?? user);
};

/** Stores what a later token changes. When a concurrent write wins, the next request applies it. */
const applyIdentity = async (known: UserRecord, identity: Identity, mayWriteRoles: boolean): Promise<UserRecord> => {
  const changes = identityChanges(known, identity, environment().adminEmails);
  if (!changes) return known;
  const isPromotion = changes.is_admin !== known.is_admin;
  if (isPromotion && !mayWriteRoles) return { ...known, ...changes };
  const output = await sendSingle((options) => {
    // Stamped in each attempt: a stamp older than its commit could be missed by replicas.
    const { feed_pk, feed_sk } = inChangedUsers(now(), known.id);
    return dynamo().send(
      new UpdateCommand({
        TableName: environment().table,
        Key: userKey(known.id),
        UpdateExpression: `SET email = :email, email_verified = :verified, email_issued_at = :issued, feed_pk = :pk, feed_sk = :sk${isPromotion ? ', #role = :role, is_admin = :admin' : ''} ADD version :one`,
        ConditionExpression:
          known.version === 0 ? 'attribute_not_exists(version) AND attribute_exists(pk)' : 'version = :version',
        ...(isPromotion && { ExpressionAttributeNames: { '#role': 'role' } }),
        ExpressionAttributeValues: {
          ':email': changes.email,
          ':verified': changes.email_verified,
          ':issued': changes.email_issued_at,
          ...(isPromotion && { ':role': changes.role, ':admin': changes.is_admin }),
          ':pk': feed_pk,
          ':sk': feed_sk,
          ':one': 1,
          ...(known.version > 0 && { ':version': known.version }),
        },
        ReturnValues: 'ALL_NEW',
      }),
      options,
    );
  });
  if (!output) return (await findUser(known.id)) ?? known;
  return output.Attributes ? userOf(output.Attributes) : known;
};

/** Users by id; unknown ids are omitted. */
export const findUsers = async (userIds: readonly string[]): Promise<ReadonlyMap<string, UserRecord>> => {
  const users = await findRecords(userIds.map(userKey), userOf);
  return new Map(users.map((user) => [user.id, user]));
};

/** Sets the role of a user. @returns false when the user does not exist or has been erased. */
export const setRole = async (userId: string, role: UserRecord['role']): Promise<boolean> => {
  const change = { set: { role, is_admin: role === 'admin', role_decided: true }, add: { version: 1 } };
  const updated = await updateItem(userKey(userId), change, isActive, feedOf(userId));
  return updated !== undefined;
};

/** Makes a user an administrator. @returns false when the user does not exist or has been erased. */
export const makeAdmin = (userId: string): Promise<boolean> => setRole(userId, 'admin');

/** Ids of the users erased after a time, ISO 8601, a page at a time. */
export async function* usersErasedSince(after: string): AsyncGenerator<readonly string[]> {
  const only = ['id', 'erased_at', 'feed_sk'];
  for await (const items of collectionPages({ partition: changedUsersPartition, index: 'feed', after, only })) {
    yield items.filter(isErased).map(({ id }) => String(id));
  }
}

/** An administrator other than this user, who is not banned. Reads all users up to the first. */
export const findOtherAdmin = async (userId: string): Promise<string | undefined> => {
  const range = { ...allUsers, only: ['id', 'is_admin'] };
  for await (const items of collectionPages(range)) {
    for (const { id, is_admin } of items) {
      if (is_admin !== true || id === userId) continue;
      // The index lags behind the table.
      const user = await findUser(String(id));
      if (user?.erased_at === null && user.is_admin && !user.is_banned) return user.id;
    }
  }
  return undefined;
};

/** Ids of the users with a verified address. Reads all users; for the command line. */
export const userIdsByEmail = async (email: string): Promise<string[]> => {
  const wanted = asciiLowerCase(email.trim());
  const found: string[] = [];
  for await (const items of collectionPages(allUsers)) {
    for (const item of items) if (item.email === wanted && item.email_verified === true) found.push(String(item.id));
  }
  return found;
};

/**
 * The comment counters of all users who are not erased, in the order of joining, from their newest records.
 * @param after the `position` to continue after.
 */
export async function* commentCounts(
  after: string | undefined,
): AsyncGenerator<readonly (CommentCount & { readonly position: string })[]> {
  const pages = collectionPages({ ...allUsers, only: ['id', 'collection_sk'], ...(after !== undefined && { after }) });
  for await (const listed of pages) {
    const items = await findItems(listed.map(({ id }) => userKey(String(id))));
    yield items.flatMap((item, index) => {
      if (!item || item.erased_at !== undefined) return [];
      const { id, comment_count, version } = userOf(item);
      const changedAt = String(item.feed_sk ?? '').slice(0, TIME_LENGTH);
      const position = String(listed[index]?.collection_sk);
      return [{ userId: id, counted: comment_count, version, changedAt, position }];
    });
  }
}

/** The number of a user's comments in the index, which follows the table within moments. */
export const countCommentsBy = (userId: string): Promise<number> =>
  countCollection(ownerPartition(userId), ownerPrefix.comments, 'collection');

/** Sets a comment counter. @returns false when the record has another version by now. */
export const correctCommentCount = async ({ userId, version }: CommentCount, count: number): Promise<boolean> => {
  const changed = await updateItem(
    userKey(userId),
    { set: { comment_count: count }, add: { version: 1 } },
    every(isActive, hasVersion(version)),
    feedOf(userId),
  );
  return changed !== undefined;
};

/** All administrators who are not banned. Reads every user: for rare background work only. */
export async function* allAdmins(): AsyncGenerator<UserRecord> {
  for await (const items of collectionPages(allUsers)) {
    yield* items.map(userOf).filter(({ is_admin, is_banned }) => is_admin && !is_banned);
  }
}

/** The ids of all users who have not been erased. */
export const allUserIds = async (): Promise<string[]> => {
  const items = await wholeCollection({ ...allUsers, only: ['id', 'collection_sk'] });
  return items.map(({ id }) => String(id));
};

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

const usersAfter = (through: string) => ({ ...allUsers, ...(through !== '' && { after: through }) }) as const;

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
const uncountUser = async (joinedAt: string, userId: string): Promise<Write> => {
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
  if (isRecent(erasedAt, QUIET_MS)) return;
  // A clock that was ahead has counted up to then: who joins earlier would not be counted.
  if (through > before) [count, through] = [0, ''];
  for await (const users of collectionPages({ ...usersAfter(through), before, only: ['collection_sk'] })) {
    count += users.length;
    through = String(users.at(-1)?.collection_sk);
    const change = { set: { type: 'userCount', count, through, version: version + 1 } };
    // An erasure since then may have changed what this run has counted.
    if (!(await updateItem(userCountKey, change, hasVersion(version)))) return;
    version += 1;
  }
};
