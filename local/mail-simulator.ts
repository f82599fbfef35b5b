import { randomUUID } from 'node:crypto';
import { mailReturns } from '#events/mail-returns.ts';

/**
 * The mailboxes that SES keeps for rehearsals. Mail to them costs nobody his good name, and SES tells what became of it as it
 * does of any other; so does this world.
 */

/** Something that the mail service puts on the account's default bus. */
export interface MailNews {
  readonly source: string;
  readonly kind: string;
  readonly detail: unknown;
}

const DOMAIN = 'simulator.amazonses.com';

type Outcome = (recipient: string, at: string) => Readonly<Record<string, unknown>>;

const bounced =
  (bounceSubType: string): Outcome =>
  (emailAddress, timestamp) => ({
    eventType: 'Bounce',
    bounce: {
      feedbackId: randomUUID(),
      bounceType: 'Permanent',
      bounceSubType,
      bouncedRecipients: [{ emailAddress, action: 'failed', status: '5.1.1' }],
      timestamp,
    },
  });

const complained: Outcome = (emailAddress, timestamp) => ({
  eventType: 'Complaint',
  complaint: {
    feedbackId: randomUUID(),
    complaintFeedbackType: 'abuse',
    complainedRecipients: [{ emailAddress }],
    timestamp,
  },
});

/** By the part before the `@`; what may stand there behind a `+` tells mailboxes of a kind apart. */
const mailboxes: Readonly<Record<string, { readonly kind: string; readonly outcome: Outcome }>> = {
  bounce: { kind: mailReturns.kinds.bounce, outcome: bounced('General') },
  suppressionlist: { kind: mailReturns.kinds.bounce, outcome: bounced('OnAccountSuppressionList') },
  complaint: { kind: mailReturns.kinds.complaint, outcome: complained },
};

/** What SES would tell about a mail to these recipients, one report for each that it has something to tell about. */
export const newsOfMail = (id: string, recipients: readonly string[], configurationSet: string): readonly MailNews[] =>
  recipients.flatMap((recipient) => {
    const [local = '', domain] = recipient.toLowerCase().split('@');
    const name = local.split('+')[0] ?? '';
    if (domain !== DOMAIN || !Object.hasOwn(mailboxes, name)) return [];
    const mailbox = mailboxes[name];
    if (!mailbox) return [];
    const at = new Date().toISOString();
    const mail = {
      timestamp: at,
      messageId: id,
      destination: [...recipients],
      tags: { 'ses:configuration-set': [configurationSet] },
    };
    return [{ source: mailReturns.source, kind: mailbox.kind, detail: { ...mailbox.outcome(recipient, at), mail } }];
  });
