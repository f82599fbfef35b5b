import type { ProfileUpdate, UserSettingsUpdate } from '#contract/users.ts';
import { AppError, unauthorized } from '#shared/errors.ts';
import { changeUser, type FindUser } from './change.ts';
import type { UserRecord } from './user.ts';

/** What a user's changes to his own record take. */
export interface ProfilePorts extends FindUser {
  /** @throws an error named `UserChanged` when he is not as `previous` any more. */
  readonly replaceUser: (previous: UserRecord, next: UserRecord) => Promise<void>;
}

const changeOwn = async (
  ports: ProfilePorts,
  user: UserRecord,
  decide: (current: UserRecord) => UserRecord,
): Promise<UserRecord> => {
  try {
    return await changeUser(ports, user.id, async (current) => {
      const next = decide(current);
      await ports.replaceUser(current, next);
      return next;
    });
  } catch (error) {
    // Erased since the request began: his token is worth nothing any more.
    throw error instanceof AppError && error.code === 'NOT_FOUND' ? unauthorized() : error;
  }
};

/** Changes what a user says about himself; what he does not name stays. @throws 401 when he was erased meanwhile. */
export const changeProfile = (ports: ProfilePorts, user: UserRecord, body: ProfileUpdate): Promise<UserRecord> =>
  changeOwn(ports, user, (current) => ({
    ...current,
    name: body.name === undefined ? current.name : body.name,
    avatar_url: body.avatar_url === undefined ? current.avatar_url : body.avatar_url,
    bio: body.bio === undefined ? current.bio : body.bio || null,
    website: body.website === undefined ? current.website : body.website,
  }));

/** Changes which mails a user wants; those that he does not name stay. @throws 401 when he was erased meanwhile. */
export const changeSettings = (ports: ProfilePorts, user: UserRecord, body: UserSettingsUpdate): Promise<UserRecord> =>
  changeOwn(ports, user, (current) => {
    const wanted = body.notifications ?? {};
    const { notifications } = current;
    return {
      ...current,
      notifications: {
        submission_received: wanted.submission_received ?? notifications.submission_received,
        payment_received: wanted.payment_received ?? notifications.payment_received,
        promotion_ending: wanted.promotion_ending ?? notifications.promotion_ending,
        weekly_digest: wanted.weekly_digest ?? notifications.weekly_digest,
      },
    };
  });
