import type { UserUpdate } from '#contract/users.ts';
import { message, type Workshop } from '#domain/messages.ts';
import type { Message } from '#events/catalogue.ts';
import { conflict } from '#shared/errors.ts';
import { changeUser, type FindUser } from './change.ts';
import type { UserRecord } from './user.ts';

/** What deciding about users takes. */
export interface ManagePorts extends Workshop, FindUser {
  /** @throws an error named `UserChanged` when he is not as `previous` any more; 403 when the administrator is none now. */
  readonly replaceUserAs: (
    adminId: string,
    previous: UserRecord,
    next: UserRecord,
    messages: readonly Message[],
  ) => Promise<void>;
}

/** `role` and `is_admin` are one thing said twice; the body has been checked not to contradict itself. */
const roleOf = (current: UserRecord, { role, is_admin }: UserUpdate): UserRecord['role'] => {
  if (role !== undefined) return role;
  if (is_admin === true) return 'admin';
  return is_admin === false && current.role === 'admin' ? 'user' : current.role;
};

const decided = (current: UserRecord, body: UserUpdate): UserRecord => {
  const role = roleOf(current, body);
  const isBanned = body.is_banned ?? current.is_banned;
  const reason = body.ban_reason === undefined ? current.ban_reason : body.ban_reason || null;
  return {
    ...current,
    role,
    is_admin: role === 'admin',
    role_decided: current.role_decided || body.role !== undefined || body.is_admin !== undefined,
    is_banned: isBanned,
    // A ban that is lifted takes its reason along.
    ban_reason: body.is_banned === false ? null : reason,
  };
};

/**
 * Grants, revokes, bans, lifts bans. A new ban fires `userBanned`. An administrator can neither revoke nor ban himself, and
 * of two who do it to each other one comes too late, so there is always one left.
 * @throws 404 for somebody who is not known or was erased, 409 for oneself, 403 for an administrator who is none any more.
 */
export const decideOnUser = (
  ports: ManagePorts,
  admin: UserRecord,
  userId: string,
  body: UserUpdate,
): Promise<UserRecord> =>
  changeUser(ports, userId, async (current) => {
    const next = decided(current, body);
    if (current.id === admin.id && (!next.is_admin || next.is_banned)) {
      throw conflict('SELF_CHANGE', 'Another administrator has to do this.');
    }
    const isNewBan = next.is_banned && !current.is_banned;
    const data = { user_id: next.id, reason: next.ban_reason };
    await ports.replaceUserAs(admin.id, current, next, isNewBan ? [message(ports, 'userBanned', admin.id, data)] : []);
    return next;
  });
