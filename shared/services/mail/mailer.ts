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

/** The verified address of a user who is not erased. */
const addressOf = (user: UserRecord): string | undefined =>
  user.email !== null && user.email_verified && user.erased_at === null ? user.email : undefined;

interface Recipient {
  readonly user: UserRecord;
  /** The notification that the user must not have turned off; `always` for emails without a setting. */
  readonly notification: keyof Notifications | 'always';
}

/** Whether a user has a verified address and has not turned the notification off. */
export const isMailed = ({ user, notification }: Recipient): boolean =>
  addressOf(user) !== undefined && (notification === 'always' || user.notifications[notification]);

/**
 * Sends an email at most once per subscriber and occasion. Users without a verified address, users who turned the notification
 * off, suppressed addresses and those that SES never takes get none.
 * @returns whether the email was sent by this call.
 * @throws when the email was not accepted; calling again retries it.
 */
export const mailOnce = async (
  { user, notification }: Recipient,
  subscriber: string,
  occasion: string,
  template: (recipientName: string | null, branding: Branding) => EmailContent,
): Promise<boolean> => {
  const address = addressOf(user);
  if (address === undefined || !isMailed({ user, notification })) return false;
  const branding: Branding = environment();
  let isSent = false;
  await processOnce(subscriber, occasion, async () => {
    const to = sendableAddress(address);
    if (to === undefined || (await findSuppression(to))) {
      count('MailWithheld');
      const reason = to === undefined ? 'cannot be sent to' : 'is suppressed';
      log.info(`email withheld: the address ${reason}`, { subscription: subscriber });
      return;
    }
    const headers = notification === 'always' ? {} : await unsubscribeHeaders({ userId: user.id, notification });
    await sendMail({ to, headers, ...renderEmail(template(user.name, branding), branding) });
    isSent = true;
  });
  return isSent;
};
