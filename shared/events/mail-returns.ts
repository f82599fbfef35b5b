import type { Need } from '#contract/route.ts';

/**
 * What the mail service tells about mail that came back or was complained of, and who is told. It is no message of ours and
 * comes over the account's default bus, the only one that SES knows, with everything that other stages send.
 */
export const mailReturns = {
  /** The door. */
  id: 'mail.noteReturn',
  summary: 'Stops mail to addresses that it comes back from for good, or whose owners complain.',
  source: 'aws.ses',
  /** SES's names for both, as `detail-type`. */
  kinds: { bounce: 'Email Bounced', complaint: 'Email Complaint Received' },
  needs: ['table:write'],
} as const satisfies { readonly needs: readonly Need[] } & Record<string, unknown>;
