import * as z from 'zod';

/** Why mail should not be sent to an address any more. */
export type ReturnReason = 'bounce' | 'complaint';

/** What the mail service says has become of a mail. */
export interface MailReturn {
  readonly reason: ReturnReason;
  /** Whether the address takes no mail from now on. A full mailbox is mail that came back, too, but may take the next. */
  readonly final: boolean;
  /** SES's words for it, such as `Permanent General`; they name nobody. */
  readonly says: string;
  /** The addresses that were written to. */
  readonly addresses: readonly string[];
}

const Recipients = z.array(z.object({ emailAddress: z.string() }));

const Mail = z.object({ destination: z.array(z.string()).default([]) });

const Report = z.discriminatedUnion('eventType', [
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
const bare = (address: string): string => (/<([^<>]+)>\s*$/.exec(address)?.[1] ?? address).trim();

/**
 * The addresses that a report is about, as they were written to. Where a mailbox forwards, who bounces is somebody else than who was written to;
 * of a mail to one person it is clear who that was.
 */
const addressesOf = (destination: readonly string[], recipients: z.infer<typeof Recipients>): readonly string[] =>
  (destination.length === 1 ? destination : recipients.map(({ emailAddress }) => emailAddress)).map(bare);

/** Reads an event of SES about a bounce or a complaint. @throws when it is neither. */
export const readMailReturn = (detail: unknown): MailReturn => {
  const report = Report.parse(detail);
  const { destination } = report.mail;
  if (report.eventType === 'Bounce') {
    const { bounceType, bounceSubType = '', bouncedRecipients } = report.bounce;
    return {
      reason: 'bounce',
      final: bounceType === 'Permanent',
      says: `${bounceType} ${bounceSubType}`.trim(),
      addresses: addressesOf(destination, bouncedRecipients),
    };
  }
  const { complaintFeedbackType, complainedRecipients } = report.complaint;
  return {
    reason: 'complaint',
    // So somebody says who takes a mail out of his folder for spam again.
    final: complaintFeedbackType !== 'not-spam',
    says: complaintFeedbackType ?? 'no type',
    addresses: addressesOf(destination, complainedRecipients),
  };
};
