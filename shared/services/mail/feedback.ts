import { suppressAddress } from '#data/mail-suppression.ts';
import { log } from '#platform/log.ts';
import type { MailFeedback } from '#platform/mail-feedback.ts';
import { count } from '#platform/metrics.ts';

/** Suppresses the addresses of a permanent bounce or a complaint. Idempotent. Logs no address. */
export const handleFeedback = async ({ reason, type, isPermanent, addresses }: MailFeedback): Promise<void> => {
  if (isPermanent) await Promise.all(addresses.map((address) => suppressAddress(address, reason)));
  count(reason === 'bounce' ? 'MailBounced' : 'MailComplained');
  log.info('mail feedback', { reason, type, suppressed: isPermanent });
};
