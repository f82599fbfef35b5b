import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Notifications } from '#contract/users.ts';
import { retryOnConflict } from '#data/conflict.ts';
import { findUser, replaceUser } from '#data/users.ts';
import { allNotifications } from '#model/user.ts';
import { environment } from '#platform/environment.ts';
import { log } from '#platform/log.ts';
import { unsubscribeSecret } from '#platform/ssm.ts';
import { notFound } from '#shared/errors.ts';
import { confirmationPage, unsubscribePage } from '#shared/mail/unsubscribe-pages.ts';

/** Half of a SHA-256: RFC 2104 permits it, and the token stays within the length of a path variable. */
const MAC_BYTES = 16;

const macOf = (key: string, payload: string): Buffer =>
  createHmac('sha256', key).update(`unsubscribe ${payload}`).digest().subarray(0, MAC_BYTES);

/** What a token permits: turning off one preference of one user. */
interface Subscription {
  readonly userId: string;
  readonly notification: keyof Notifications;
}

/**
 * The headers of an optional mail by which its recipient unsubscribes with one click (RFC 8058), without a session.
 * @returns none where the stage has no secret.
 */
export const unsubscribeHeaders = async ({
  userId,
  notification,
}: Subscription): Promise<Readonly<Record<string, string>>> => {
  const key = await unsubscribeSecret();
  if (key === undefined) {
    log.warn('optional mail without List-Unsubscribe: the secret is not configured');
    return {};
  }
  const payload = Buffer.from(`${notification} ${userId}`).toString('base64url');
  const token = `${payload}.${macOf(key, payload).toString('base64url')}`;
  return {
    'List-Unsubscribe': `<${environment().siteUrl}/api/unsubscribe/${token}>`,
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
  };
};

const isNotification = (name: string): name is keyof Notifications => Object.hasOwn(allNotifications, name);

/** Compares in constant time. @throws 404 for a token that this stage has not signed. */
const subscriptionOf = async (token: string): Promise<Subscription> => {
  const [payload = '', mac = '', ...rest] = token.split('.');
  const key = await unsubscribeSecret();
  const given = Buffer.from(mac, 'base64url');
  if (key === undefined || rest.length > 0 || given.length !== MAC_BYTES) throw notFound();
  if (!timingSafeEqual(given, macOf(key, payload))) throw notFound();
  const [notification = '', ...userId] = Buffer.from(payload, 'base64url').toString().split(' ');
  if (!isNotification(notification)) throw notFound();
  return { notification, userId: userId.join(' ') };
};

/** The page with the button. Changes nothing. @throws 404 for a forged token. */
export const showUnsubscribe = async (token: string): Promise<string> =>
  unsubscribePage((await subscriptionOf(token)).notification, environment());

/** Turns the preference of a token off; idempotent, also for an erased user. @throws 404 for a forged token. */
export const unsubscribeBy = async (token: string): Promise<string> => {
  const { userId, notification } = await subscriptionOf(token);
  await retryOnConflict(async () => {
    const user = await findUser(userId);
    if (user?.erased_at !== null || !user.notifications[notification]) return;
    await replaceUser(user, { ...user, notifications: { ...user.notifications, [notification]: false } });
  });
  return confirmationPage(notification, environment());
};
