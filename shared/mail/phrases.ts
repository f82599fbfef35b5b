import type { Letterhead } from './layout.ts';

/** Words that several letters have in common. */

/** The first line. */
export const greetingTo = (name: string | null): string => (name ? `Hello ${name},` : 'Hello,');

/** The page of a project. */
export const projectUrl = (head: Letterhead, slugOrId: string): string =>
  `${head.siteUrl}/projects/${encodeURIComponent(slugOrId)}`;

/** A reason with the way to stop such mails, for letters that one can do without. */
export const reasonFor = (reason: string): string =>
  `${reason} You can switch such mails off in the settings of your account.`;

/** A day in words, such as `20 November 2026`; days are those of UTC. */
export const dayOf = (time: string): string =>
  new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' }).format(new Date(time));

/**
 * An amount with its currency, such as `USD 69.00`.
 * @param amount in the currency's smallest unit.
 */
export const priceOf = (amount: number, currency: string): string => {
  const format = new Intl.NumberFormat('en', { style: 'currency', currency, currencyDisplay: 'code' });
  const digits = format.resolvedOptions().maximumFractionDigits ?? 2;
  return format.format(amount / 10 ** digits).replaceAll(/\s+/g, ' ');
};
