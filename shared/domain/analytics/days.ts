import type { GroupBy, Range } from '#contract/analytics.ts';

/** Days are written `yyyy-mm-dd`, always in UTC, so they sort as text. */

const DAY_MS = 86_400_000;

/** The day of a time in ISO 8601. */
export const dayOf = (at: string): string => at.slice(0, 10);

/** Some days later, or earlier. */
export const dayAfter = (day: string, days: number): string =>
  new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10);

/** When a day ends, in seconds since the epoch. */
export const endOfDaySeconds = (day: string): number => (Date.parse(day) + DAY_MS) / 1000;

/** All days from one to another, both included. */
export const daysFrom = (first: string, last: string): string[] => {
  const days: string[] = [];
  for (let day = first; day <= last; day = dayAfter(day, 1)) days.push(day);
  return days;
};

/** How many days each range has; `all` is bounded so that a report stays a report: three years. */
const LENGTH = { '7d': 7, '30d': 30, '90d': 90, all: 3 * 365 } as const satisfies Record<Range, number>;

/** The first day that a range can have. */
export const firstDayOf = (range: Range, today: string): string => dayAfter(today, 1 - LENGTH[range]);

/** The date that stands for a day's group: itself, its Monday, or the first of its month. */
export const groupOf = (day: string, groupBy: GroupBy): string => {
  if (groupBy === 'day') return day;
  if (groupBy === 'month') return `${day.slice(0, 7)}-01`;
  return dayAfter(day, -((new Date(day).getUTCDay() + 6) % 7));
};
