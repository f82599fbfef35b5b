import * as z from 'zod';
import { suppressAddress } from '#data/mail-suppression.ts';
import { log } from '#platform/log.ts';
import { count } from '#platform/metrics.ts';

interface MailFeedback {
  readonly reason: 'bounce' | 'complaint';
  /** Whether the addresses must get no more mail; false for temporary failures such as a full mailbox. */
  readonly isPermanent: boolean;
  /** SES's bounce or complaint type, such as `Permanent General`; contains no personal data. */
  readonly type: string;
  readonly addresses: readonly string[];
}

const Recipients = z.array(z.object({ emailAddress: z.string() }));

const Mail = z.object({ destination: z.array(z.string()).default([]) });

const SesEvent = z.discriminatedUnion('eventType', [
  z.object({
    eventType: z.literal('Bounce'),
    mail: Mail,
    bounce: z.object({
      bounceType: z.string(),
      bounceSubType: z.string().optional(),
      bouncedRecipients: Recipients,
    }),
  }),
  z.object({
    eventType: z.literal('Complaint'),
    mail: Mail,
    complaint: z.object({
      complaintFeedbackType: z.string().nullish(),
      complainedRecipients: Recipients,
    }),
  }),
]);

/** The address in `Ada <ada@example.com>`. */
const bareAddress = (address: string): string => (/<([^<>]+)>\s*$/.exec(address)?.[1] ?? address).trim();

/**
 * The addresses that were written to. A forwarded email bounces at another address than its destination, so a single
 * destination takes precedence over the reported recipients.
 */
const addressesOf = (destination: readonly string[], recipients: z.infer<typeof Recipients>): readonly string[] =>
  (destination.length === 1 ? destination : recipients.map(({ emailAddress }) => emailAddress)).map(bareAddress);

/** Parses the detail of an SES event. @throws ZodError when it is neither a bounce nor a complaint. */
const parseFeedback = (detail: unknown): MailFeedback => {
  const event = SesEvent.parse(detail);
  const { destination } = event.mail;
  if (event.eventType === 'Bounce') {
    const { bounceType, bounceSubType = '', bouncedRecipients } = event.bounce;
    return {
      reason: 'bounce',
      isPermanent: bounceType === 'Permanent',
      type: `${bounceType} ${bounceSubType}`.trim(),
      addresses: addressesOf(destination, bouncedRecipients),
    };
  }
  const { complaintFeedbackType, complainedRecipients } = event.complaint;
  return {
    reason: 'complaint',
    // `not-spam` is sent when a recipient moves an email out of the spam folder.
    isPermanent: complaintFeedbackType !== 'not-spam',
    type: complaintFeedbackType ?? 'no type',
    addresses: addressesOf(destination, complainedRecipients),
  };
};

/**
 * Suppresses the addresses of a permanent bounce or a complaint. Idempotent. Logs no address.
 * @param detail of an SES event.
 * @throws ZodError when it is neither a bounce nor a complaint.
 */
export const handleFeedback = async (detail: unknown): Promise<void> => {
  const { reason, type, isPermanent, addresses } = parseFeedback(detail);
  if (isPermanent) await Promise.all(addresses.map((address) => suppressAddress(address, reason)));
  count(reason === 'bounce' ? 'MailBounced' : 'MailComplained');
  log.info('mail feedback', { reason, type, suppressed: isPermanent });
};
