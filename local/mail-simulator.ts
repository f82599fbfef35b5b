import { randomUUID } from 'node:crypto';
import { mailFeedback } from '#events/subscriptions.ts';

/**
 * The mailbox simulator of SES: mail to its addresses does not affect the sender's reputation and produces feedback
 * events.
 */

/** An event that SES puts on the account's default bus. */
export interface FeedbackEvent {
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

/** By the local part of the address without its `+` label. */
const mailboxes: Readonly<Record<string, { readonly kind: string; readonly outcome: Outcome }>> = {
  bounce: { kind: mailFeedback.kinds.bounce, outcome: bounced('General') },
  suppressionlist: { kind: mailFeedback.kinds.bounce, outcome: bounced('OnAccountSuppressionList') },
  complaint: { kind: mailFeedback.kinds.complaint, outcome: complained },
};

/** The bounces and complaints that SES would report for a mail, one event per recipient. */
export const feedbackFor = (
  id: string,
  recipients: readonly string[],
  configurationSet: string,
): readonly FeedbackEvent[] =>
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
    return [{ source: mailFeedback.source, kind: mailbox.kind, detail: { ...mailbox.outcome(recipient, at), mail } }];
  });
