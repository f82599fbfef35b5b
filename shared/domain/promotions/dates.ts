/** The arithmetic of a promotion's dates: ISO 8601 in UTC with milliseconds, in and out. */

const DAY_MS = 86_400_000;
/** How far away the end of a promotion may be, in days: three years. */
const HORIZON_DAYS = 3 * 366;

/** Some days later, of 24 hours each. */
export const daysAfter = (at: string, days: number): string => new Date(Date.parse(at) + days * DAY_MS).toISOString();

/** The same time of the same day some months later; of a day that the month lacks its last day. */
export const monthsAfter = (at: string, months: number): string => {
  const later = new Date(at);
  const day = later.getUTCDate();
  later.setUTCDate(1);
  later.setUTCMonth(later.getUTCMonth() + months);
  const lastDay = new Date(Date.UTC(later.getUTCFullYear(), later.getUTCMonth() + 1, 0)).getUTCDate();
  later.setUTCDate(Math.min(day, lastDay));
  return later.toISOString();
};

/** Whether a time is further away than promotions reach. */
export const isBeyondHorizon = (time: string, at: string): boolean =>
  Date.parse(time) > Date.parse(at) + HORIZON_DAYS * DAY_MS;
