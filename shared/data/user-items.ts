import type { Notifications } from '#contract/users.ts';
import { allNotifications, type UserRecord } from '#domain/users/user.ts';
import { amongChangedUsers, amongUsers, type Key, userKey } from './keys.ts';

/** How users become items and items become users again. */

const orNull = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/** The user in an item; what an item of an earlier version lacks is as it was then. */
export const userOf = (item: Readonly<Record<string, unknown>>): UserRecord => ({
  id: String(item.id),
  email: orNull(item.email),
  email_verified: item.email_verified === true,
  name: orNull(item.name),
  avatar_url: orNull(item.avatar_url),
  bio: orNull(item.bio),
  website: orNull(item.website),
  role: item.role === 'admin' || item.role === 'moderator' ? item.role : 'user',
  is_admin: item.role === 'admin',
  role_decided: item.role_decided === true,
  is_banned: item.is_banned === true,
  ban_reason: orNull(item.ban_reason),
  joined_at: String(item.joined_at),
  notifications: { ...allNotifications, ...(item.notifications as Partial<Notifications> | undefined) },
  comment_count: Math.max(0, Number(item.comment_count ?? 0)),
  erased_at: orNull(item.erased_at),
  version: Number(item.version ?? 0),
});

/** The item of a new user. */
export const userItem = (user: UserRecord, changedAt: string): Readonly<Record<string, unknown>> & Key => ({
  ...userKey(user.id),
  ...amongUsers(user.joined_at, user.id),
  ...amongChangedUsers(changedAt, user.id),
  type: 'user',
  ...user,
  // Its presence is the condition that keeps everybody from acting in the name of somebody who was erased.
  erased_at: undefined,
});

/**
 * The item that stays of an erased user. It says that nobody may act under this id, and nothing else. Those who list
 * users learn from it that he is gone. His comments stay, and with them their number.
 */
export const erasedItem = (
  user: Pick<UserRecord, 'id' | 'version' | 'comment_count'>,
  erasedAt: string,
): Readonly<Record<string, unknown>> & Key => ({
  ...userKey(user.id),
  ...amongChangedUsers(erasedAt, user.id),
  type: 'user',
  id: user.id,
  erased_at: erasedAt,
  comment_count: user.comment_count,
  version: user.version + 1,
});
