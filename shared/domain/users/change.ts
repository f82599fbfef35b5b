import type { User } from '#contract/users.ts';
import { retried } from '#domain/retried.ts';
import { notFound } from '#shared/errors.ts';
import type { UserRecord } from './user.ts';

/** The user as he and administrators see him. */
export const userView = (user: UserRecord): User => ({
  id: user.id,
  email: user.email,
  name: user.name,
  avatar_url: user.avatar_url,
  bio: user.bio,
  website: user.website,
  role: user.role,
  is_admin: user.is_admin,
  is_banned: user.is_banned,
  ban_reason: user.ban_reason,
  joined_at: user.joined_at,
  notifications: user.notifications,
});

/** What changing a stored user takes. */
export interface FindUser {
  /** Also finds what stays of an erased user. */
  readonly findUser: (userId: string) => Promise<UserRecord | undefined>;
}

/**
 * Reads a user and lets `change` decide and write. When somebody else was faster (an error named `UserChanged`), it decides
 * anew on what he left, so the rules hold for the record that is really replaced.
 * @throws 404 when there is no such user or he was erased, and whatever `change` throws.
 */
export const changeUser = <T>(
  ports: FindUser,
  userId: string,
  change: (current: UserRecord) => Promise<T>,
): Promise<T> =>
  retried('UserChanged', async () => {
    const current = await ports.findUser(userId);
    if (!current || current.erased_at !== null) throw notFound();
    return await change(current);
  });
