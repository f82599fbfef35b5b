import { type GroupBy, type Range, REPORT_DAYS_MAX } from '#contract/analytics.ts';

// Days are `yyyy-mm-dd` in UTC, so they sort as strings.

export const DAY_MS = 86_400_000;
export const DAY_SECONDS = 86_400;

export const dayOf = (at: string): string => at.slice(0, 10);

/** The hour of a time in ISO 8601, from 0 to 23. */
export const hourOf = (at: string): number => Number(at.slice(11, 13));

/** The day `days` later; earlier when negative. */
export const dayAfter = (day: string, days: number): string =>
  new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10);

/** When a day ends, in seconds since the epoch. */
export const endOfDaySeconds = (day: string): number => (Date.parse(day) + DAY_MS) / 1000;

/** All days from `first` to `last`, inclusive. */
export const daysFrom = (first: string, last: string): string[] => {
  const days: string[] = [];
  for (let day = first; day <= last; day = dayAfter(day, 1)) days.push(day);
  return days;
};

/** The month of a time in milliseconds since the epoch, `yyyy-mm`. */
export const monthOf = (timeMs: number): string => new Date(timeMs).toISOString().slice(0, 7);

/** The months from one time back to another, `yyyy-mm`, newest first. */
export const monthsBack = (fromMs: number, toMs: number): string[] => {
  const months: string[] = [];
  const last = monthOf(toMs);
  const at = new Date(fromMs);
  for (let month = monthOf(fromMs); month >= last; month = monthOf(at.getTime())) {
    months.push(month);
    at.setUTCDate(0);
  }
  return months;
};

/** The length of each range in days; `all` is limited to three years. */
const LENGTH = { '7d': 7, '30d': 30, '90d': 90, all: REPORT_DAYS_MAX } as const satisfies Record<Range, number>;

/** The earliest day of a range that ends today. */
export const firstDayOf = (range: Range, today: string): string => dayAfter(today, 1 - LENGTH[range]);

/** The date that identifies the group of a day: the day, its Monday, or the first of its month. */
export const groupOf = (day: string, groupBy: GroupBy): string => {
  if (groupBy === 'day') return day;
  if (groupBy === 'month') return `${day.slice(0, 7)}-01`;
  return dayAfter(day, -((new Date(day).getUTCDay() + 6) % 7));
};
