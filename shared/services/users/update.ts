import type { AdminUser, ProfileUpdate, UserSettingsUpdate, UserUpdate } from '#contract/users.ts';
import { retryOnConflict } from '#data/conflict.ts';
import { countProjectsOf } from '#data/projects.ts';
import { findUser, replaceUser, replaceUserAs } from '#data/users.ts';
import { newMessage } from '#events/catalogue.ts';
import type { UserRecord } from '#model/user.ts';
import { now } from '#platform/clock.ts';
import { AppError, conflict, invalidField, notFound, unauthorized } from '#shared/errors.ts';
import { adminUserView } from './read.ts';

/** @throws 404 when the user does not exist or has been erased. */
export const getUser = async (userId: string): Promise<UserRecord> => {
  const user = await findUser(userId);
  if (!user || user.erased_at !== null) throw notFound();
  return user;
};

/**
 * Reads a user and passes the record to `change`, which writes it; again after a conflict.
 * @throws 404 when the user does not exist or has been erased, and what `change` throws.
 */
export const changeUser = <T>(userId: string, change: (current: UserRecord) => Promise<T>): Promise<T> =>
  retryOnConflict(async () => await change(await getUser(userId)));

/** The same for the caller's own record. @throws 401 when the caller was erased after authentication. */
export const changeSelf = async <T>(user: UserRecord, change: (current: UserRecord) => Promise<T>): Promise<T> => {
  try {
    return await changeUser(user.id, change);
  } catch (error) {
    throw error instanceof AppError && error.code === 'NOT_FOUND' ? unauthorized() : error;
  }
};

/** `role` and `is_admin` express the same; the schema has rejected contradictions. */
const roleOf = (current: UserRecord, { role, is_admin }: UserUpdate): UserRecord['role'] => {
  if (role !== undefined) return role;
  if (is_admin === true) return 'admin';
  return is_admin === false && current.role === 'admin' ? 'user' : current.role;
};

/** @throws 400 when the ban would have ended already, or when its end is given without a ban. */
const banEnd = (current: UserRecord, { is_banned = current.is_banned, ban_expires_at }: UserUpdate): string | null => {
  if (ban_expires_at === undefined) return is_banned ? current.ban_expires_at : null;
  if (ban_expires_at === null) return null;
  if (!is_banned) throw invalidField(['ban_expires_at'], 'must be absent unless the user is banned');
  if (ban_expires_at <= now()) throw invalidField(['ban_expires_at'], 'must be in the future');
  return ban_expires_at;
};

const moderated = (current: UserRecord, body: UserUpdate): UserRecord => {
  const role = roleOf(current, body);
  const reason = body.ban_reason === undefined ? current.ban_reason : body.ban_reason;
  return {
    ...current,
    ban_expires_at: banEnd(current, body),
    role,
    is_admin: role === 'admin',
    role_decided: current.role_decided || body.role !== undefined || body.is_admin !== undefined,
    is_banned: body.is_banned ?? current.is_banned,
    ban_reason: body.is_banned === false ? null : reason,
  };
};

/**
 * Changes role and ban of a user. A new ban publishes `userBanned`. Administrators cannot revoke or ban themselves, and
 * of two who revoke or ban each other concurrently one fails, so one always remains.
 * @throws 404 for an unknown or erased user, 400 for an invalid end of a ban, 409 for oneself, 403 when the caller is no longer an administrator.
 */
export const moderateUser = async (admin: UserRecord, userId: string, body: UserUpdate): Promise<AdminUser> => {
  const updated = await changeUser(userId, async (current) => {
    const next = moderated(current, body);
    if (current.id === admin.id && (!next.is_admin || next.is_banned)) {
      throw conflict('SELF_CHANGE', 'You cannot revoke or ban yourself: another administrator has to do this.');
    }
    const isNewBan = next.is_banned && !current.is_banned;
    const data = { user_id: next.id, reason: next.ban_reason };
    await replaceUserAs(admin.id, current, next, isNewBan ? [newMessage('userBanned', admin.id, data)] : []);
    return next;
  });
  return adminUserView(updated, await countProjectsOf(updated.id));
};

const replaceSelf = (user: UserRecord, update: (current: UserRecord) => UserRecord): Promise<UserRecord> =>
  changeSelf(user, async (current) => {
    const next = update(current);
    await replaceUser(current, next);
    return next;
  });

/** Changes the given fields of the caller's profile. @throws 401 when the caller has been erased. */
export const updateProfile = (user: UserRecord, body: ProfileUpdate): Promise<UserRecord> =>
  replaceSelf(user, (current) => ({
    ...current,
    name: body.name === undefined ? current.name : body.name,
    avatar_url: body.avatar_url === undefined ? current.avatar_url : body.avatar_url,
    bio: body.bio === undefined ? current.bio : body.bio,
    website: body.website === undefined ? current.website : body.website,
  }));

/** Changes the given mail preferences of the caller. @throws 401 when the caller has been erased. */
export const updateUserSettings = (user: UserRecord, { notifications }: UserSettingsUpdate): Promise<UserRecord> =>
  replaceSelf(user, (current) => ({
    ...current,
    notifications: {
      submission_received: notifications?.submission_received ?? current.notifications.submission_received,
      payment_received: notifications?.payment_received ?? current.notifications.payment_received,
      promotion_ending: notifications?.promotion_ending ?? current.notifications.promotion_ending,
      weekly_digest: notifications?.weekly_digest ?? current.notifications.weekly_digest,
      follow_digest: notifications?.follow_digest ?? current.notifications.follow_digest,
    },
  }));
