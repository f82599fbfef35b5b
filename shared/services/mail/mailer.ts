import type { Notifications } from '#contract/users.ts';
import { processOnce } from '#data/deduplication.ts';
import { findSuppression } from '#data/mail-suppression.ts';
import { sendableAddress } from '#model/mail-address.ts';
import type { UserRecord } from '#model/user.ts';
import { environment } from '#platform/environment.ts';
import { log } from '#platform/log.ts';
import { count } from '#platform/metrics.ts';
import { sendMail } from '#platform/ses.ts';
import { type Branding, type EmailContent, renderEmail } from '#shared/mail/render.ts';
import { unsubscribeHeaders } from './unsubscribe.ts';

/** The address of a user; undefined for an erased user, and for an address that is unverified or cannot be sent to. */
const addressOf = (user: UserRecord): string | undefined =>
  user.email !== null && user.email_verified && user.erased_at === null ? sendableAddress(user.email) : undefined;

interface Recipient {
  readonly user: UserRecord;
  /** The notification that the user must not have turned off; `always` for emails without a setting. */
  readonly notification: keyof Notifications | 'always';
}

/** Whether a user has a verified address that mail can be sent to, and has not turned the notification off. */
export const isMailed = ({ user, notification }: Recipient): boolean =>
  addressOf(user) !== undefined && (notification === 'always' || user.notifications[notification]);

/**
 * Sends an email at most once per subscriber and occasion. Users without a verified address that mail can be sent to, users who turned the notification
 * off and suppressed addresses get none.
 * @returns whether the email was sent by this call.
 * @throws when the email was not accepted; calling again retries it.
 */
export const mailOnce = async (
  { user, notification }: Recipient,
  subscriber: string,
  occasion: string,
  template: (recipientName: string | null, branding: Branding) => EmailContent,
): Promise<boolean> => {
  const to = addressOf(user);
  if (to === undefined || !isMailed({ user, notification })) return false;
  const branding: Branding = environment();
  let isSent = false;
  await processOnce(subscriber, occasion, async () => {
    if (await findSuppression(to)) {
      count('MailWithheld');
      log.info('email withheld: the address is suppressed', { subscription: subscriber });
      return;
    }
    const headers = notification === 'always' ? {} : await unsubscribeHeaders({ userId: user.id, notification });
    await sendMail({ to, headers, ...renderEmail(template(user.name, branding), branding) });
    isSent = true;
  });
  return isSent;
};
