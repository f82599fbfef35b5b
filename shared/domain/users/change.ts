import type { User } from '#contract/users.ts';
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

// Each try loses only to a write that went through, so many losses in a row mean as many changes to one user.
const TRIES = 20;

const isOvertaken = (error: unknown): boolean => error instanceof Error && error.name === 'UserChanged';

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
export const changeUser = async <T>(
  ports: FindUser,
  userId: string,
  change: (current: UserRecord) => Promise<T>,
): Promise<T> => {
  for (let attempt = 1; ; attempt += 1) {
    const current = await ports.findUser(userId);
    if (!current || current.erased_at !== null) throw notFound();
    try {
      return await change(current);
    } catch (error) {
      if (!isOvertaken(error) || attempt >= TRIES) throw error;
    }
  }
};
