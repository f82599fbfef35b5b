import type { UserRecord } from '#domain/users/user.ts';
import type { Message } from '#events/catalogue.ts';
import { forbidden, unauthorized } from '#shared/errors.ts';
import { type Condition, every, exists, is, lacks } from './conditions.ts';
import { amongChangedUsers, mailStopKey, userKey } from './keys.ts';
import { inOutbox } from './outbox.ts';
import { erasedItem } from './user-items.ts';
import { transact, type Write } from './write.ts';

/** Somebody else changed the user since he was read. */
export class UserChanged extends Error {
  override readonly name = 'UserChanged';
}

/** There is such a user and he has not been erased. */
const isThere: Condition = every(exists, lacks('erased_at'));

/**
 * The condition of what a user leaves behind: he has not been erased in the meantime. It belongs into the transaction of the
 * write, so that nothing of him is written any more once the erasure looks for what there is. Otherwise 401.
 */
export const userIsThere = (userId: string): Write => ({ check: userKey(userId), when: isThere, orElse: unauthorized });

/**
 * Counts a user's comments; it belongs into the transaction of the comments, so the counter is always exact. Comments are
 * added for users who are there (otherwise 401) and taken away from erased ones too.
 */
export const changeUserCounts = (userId: string, comments: number): Write => ({
  update: userKey(userId),
  inFeed: (changedAt) => amongChangedUsers(changedAt, userId),
  change: { add: { comment_count: comments, version: 1 } },
  ...(comments > 0 ? { when: isThere, orElse: unauthorized } : { when: exists }),
});

const asRead = ({ version }: UserRecord): Condition =>
  every(isThere, version === 0 ? lacks('version') : is('version', version));

const replacementOf = (previous: UserRecord, next: UserRecord, when: Condition): Write => ({
  update: userKey(next.id),
  inFeed: (changedAt) => amongChangedUsers(changedAt, next.id),
  change: {
    // The counter is not among them: it belongs to the comments.
    set: {
      name: next.name,
      avatar_url: next.avatar_url,
      bio: next.bio,
      website: next.website,
      role: next.role,
      is_admin: next.is_admin,
      role_decided: next.role_decided,
      is_banned: next.is_banned,
      ban_reason: next.ban_reason,
      notifications: next.notifications,
    },
    add: { version: 1 },
  },
  when,
  orElse: () => new UserChanged(previous.id),
});

/** Stores the next state of a user. @throws {UserChanged} when he is not as `previous` any more. */
export const replaceUser = async (previous: UserRecord, next: UserRecord): Promise<void> => {
  await transact([replacementOf(previous, next, asRead(previous))]);
};

/** Whoever decides is an administrator at the very moment of the decision: of two who revoke each other one comes too late. */
const mayDecide: Condition = every(isThere, is('is_admin', true), is('is_banned', false));

/**
 * Stores the next state of a user as an administrator decided it, with what is told about it.
 * @throws {UserChanged} when he is not as `previous` any more; 403 when the administrator is none any more.
 */
export const replaceUserAs = async (
  adminId: string,
  previous: UserRecord,
  next: UserRecord,
  messages: readonly Message[],
): Promise<void> => {
  const isSelf = adminId === next.id;
  await transact([
    ...(isSelf ? [] : [{ check: userKey(adminId), when: mayDecide, orElse: forbidden }]),
    replacementOf(previous, next, isSelf ? every(asRead(previous), mayDecide) : asRead(previous)),
    ...messages.map(inOutbox),
  ]);
};

/**
 * Puts what stays of an erased user in place of his record, with the task that erases the rest.
 * @throws {UserChanged} when he is not as `previous` any more.
 */
export const eraseUser = async (
  previous: UserRecord,
  erasedAt: string,
  messages: readonly Message[],
): Promise<void> => {
  await transact([
    {
      put: erasedItem(previous, erasedAt),
      inFeed: (changedAt) => amongChangedUsers(changedAt, previous.id),
      when: asRead(previous),
      orElse: () => new UserChanged(previous.id),
    },
    // A hash tells an address to whoever guesses it.
    ...(previous.email === null ? [] : [{ remove: mailStopKey(previous.email) }]),
    ...messages.map(inOutbox),
  ]);
};
