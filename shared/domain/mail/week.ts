import { dayAfter, dayOf } from '#domain/analytics/days.ts';

/** How many days a day of the week, as JavaScript counts them, is behind Monday. */
const sinceMonday = (day: string): number => (new Date(day).getUTCDay() + 6) % 7;

/**
 * The last week that is over at a time: its name by ISO 8601, such as `2026-W47`, and its Monday, `yyyy-mm-dd` in UTC.
 */
export const lastWeek = (at: string): { readonly week: string; readonly monday: string } => {
  const today = dayOf(at);
  const monday = dayAfter(today, -sinceMonday(today) - 7);
  // A week belongs to the year of its Thursday, and the first of a year is the one with the fourth of January.
  const year = dayAfter(monday, 3).slice(0, 4);
  const fourth = `${year}-01-04`;
  const firstMonday = dayAfter(fourth, -sinceMonday(fourth));
  const number = Math.round((Date.parse(monday) - Date.parse(firstMonday)) / (7 * 86_400_000)) + 1;
  return { week: `${year}-W${String(number).padStart(2, '0')}`, monday };
};
