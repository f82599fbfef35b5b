import type { Notifications } from '#contract/users.ts';
import { processOnce } from '#data/deduplication.ts';
import { findSuppression } from '#data/mail-suppression.ts';
import type { UserRecord } from '#model/user.ts';
import { log } from '#platform/log.ts';
import { sendMail } from '#platform/mail.ts';
import { count } from '#platform/metrics.ts';
import { settings } from '#platform/settings.ts';
import { type Branding, type EmailContent, renderEmail } from '#shared/mail/render.ts';

// Exactly one address: no list, no display name, no line break that would add a header.
const SINGLE_ADDRESS = /^[^\s\p{Cc}<>(),;:"[\]\\@]+@[^\s\p{Cc}<>(),;:"[\]\\@]+$/u;

/** The address of a user; undefined for an erased user, and for an address that is unverified or not safe to use. */
const addressOf = (user: UserRecord): string | undefined =>
  user.email !== null && user.email_verified && user.erased_at === null && SINGLE_ADDRESS.test(user.email)
    ? user.email
    : undefined;

/** The recipient of an email. */
interface Recipient {
  readonly user: UserRecord;
  /** The notification that the user must not have turned off; `always` for emails without a setting. */
  readonly notification: keyof Notifications | 'always';
}

/**
 * Sends an email at most once per subscriber and occasion. Users without a verified address, users who turned the notification
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
  // Records of an earlier version have no notification settings; every notification is on then.
  const isWanted =
    notification === 'always' || (user.notifications as Partial<Notifications> | undefined)?.[notification] !== false;
  if (to === undefined || !isWanted) return false;
  const branding: Branding = settings();
  let isSent = false;
  await processOnce(subscriber, occasion, async () => {
    if (await findSuppression(to)) {
      count('MailWithheld');
      log.info('email withheld: the address is suppressed', { subscription: subscriber });
      return;
    }
    await sendMail({ to, ...renderEmail(template(user.name, branding), branding) });
    isSent = true;
  });
  return isSent;
};
