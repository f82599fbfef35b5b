import { now, secondsFromNow } from '#platform/clock.ts';
import { log } from '#platform/log.ts';
import { count } from '#platform/metrics.ts';
import { absent, either, is } from './conditions.ts';
import { mailStopKey } from './keys.ts';
import type { MailStop } from './mail-stops.ts';
import { putItem, removeItem } from './write.ts';

const DAY_SECONDS = 86_400;

/**
 * How long mail is stopped, in seconds. Mailboxes are opened again and given to others, so a dead one is tried once more after a year; who
 * complained is left alone for longer.
 */
const STOPPED_SECONDS: Readonly<Record<MailStop['reason'], number>> = {
  bounce: 365 * DAY_SECONDS,
  complaint: 3 * 365 * DAY_SECONDS,
};

/** Stops mail to an address. A complaint outweighs a bounce, whichever is told first. */
export const stopMail = async (address: string, reason: MailStop['reason']): Promise<void> => {
  await putItem(
    {
      ...mailStopKey(address),
      type: 'mailStop',
      reason,
      since: now(),
      ttl: secondsFromNow(STOPPED_SECONDS[reason]),
    },
    reason === 'complaint' ? undefined : either(absent, is('reason', 'bounce')),
  );
};

/** Lets an address have mail again. @returns whether it had none. */
export const allowMail = async (address: string): Promise<boolean> =>
  await removeItem(mailStopKey(address), is('type', 'mailStop'));

/** What noting returned mail works with. */
export const returnPorts = {
  stopMail,
  report: ({ reason, says }: { reason: MailStop['reason']; says: string }, stopped: boolean): void => {
    count(reason === 'bounce' ? 'MailBounced' : 'MailComplained');
    log.info('mail came back', { reason, says, stopped });
  },
};
