import type { AdminUser, User } from '#contract/users.ts';
import type { UserRecord } from '#model/user.ts';

/** A user as shown to the user and to administrators. */
export const userView = (user: UserRecord): User => ({
  id: user.id,
  email: user.email,
  email_verified: user.email_verified,
  name: user.name,
  avatar_url: user.avatar_url,
  bio: user.bio,
  website: user.website,
  role: user.role,
  is_admin: user.is_admin,
  is_banned: user.is_banned,
  ban_reason: user.ban_reason,
  ban_expires_at: user.ban_expires_at,
  joined_at: user.joined_at,
  notifications: user.notifications,
});

/** A user as shown to administrators. @param projectCount projects of every status, without deleted ones. */
export const adminUserView = (user: UserRecord, projectCount: number): AdminUser => ({
  ...userView(user),
  project_count: projectCount,
  comment_count: user.comment_count,
});
