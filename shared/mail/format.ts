import type { Branding } from './render.ts';

/** The first line of an email. */
export const greetingTo = (name: string | null): string => (name ? `Hello ${name},` : 'Hello,');

/** The page of a project. */
export const projectUrl = (branding: Branding, slugOrId: string): string =>
  `${branding.siteUrl}/projects/${encodeURIComponent(slugOrId)}`;

/** The footer of emails that the recipient can switch off. */
export const withOptOut = (reason: string): string =>
  `${reason} You can turn off these emails in the settings of your account.`;

/** A date in UTC, such as `20 November 2026`. */
export const formatDate = (time: string): string =>
  new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' }).format(new Date(time));

/**
 * An amount with its currency, such as `USD 69.00`.
 * @param amount in the smallest unit of the currency.
 */
export const formatAmount = (amount: number, currency: string): string => {
  const format = new Intl.NumberFormat('en', { style: 'currency', currency, currencyDisplay: 'code' });
  const digits = format.resolvedOptions().maximumFractionDigits ?? 2;
  return format.format(amount / 10 ** digits).replaceAll(/\s+/g, ' ');
};
