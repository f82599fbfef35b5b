import { log } from '#platform/log.ts';
import { count } from '#platform/metrics.ts';
import { mailStopKey } from './keys.ts';
import { findItem } from './read.ts';

/** Addresses that take no mail. An address is only known by its digest: whoever reads the table is told none. */

/** Why and since when an address gets no mail. */
export interface MailStop {
  readonly reason: 'bounce' | 'complaint';
  /** ISO 8601. */
  readonly since: string;
}

/** Why an address gets no mail; undefined for one that does. */
export const findMailStop = async (address: string): Promise<MailStop | undefined> => {
  const item = await findItem(mailStopKey(address));
  return item && { reason: item.reason as MailStop['reason'], since: String(item.since) };
};

/** What asking before a mail is sent works with. */
export const stopPorts = {
  takesMail: async (address: string): Promise<boolean> => (await findMailStop(address)) === undefined,
  reportWithheld: (subscriber: string): void => {
    count('MailWithheld');
    log.info('a mail was not sent: its address takes none', { subscription: subscriber });
  },
};
