import type { Range } from '#contract/analytics.ts';
import { DAY_MS, utcDayOf } from '../../days.ts';

/** The days of a report: one of the presets, or two days. */
export type Days = { readonly range: Range } | { readonly from: string; readonly to: string };

export const presets = ['7d', '30d', '90d', 'all'] as const satisfies readonly Range[];

const isRange = (text: string | null): text is Range => presets.includes(text as Range);

/** The range in the URL; 30 days without one. */
export const daysOf = (url: URLSearchParams): Days => {
  const [from, to, range] = [url.get('from'), url.get('to'), url.get('range')];
  if (from && to) return from <= to ? { from, to } : { from: to, to: from };
  return { range: isRange(range) ? range : '30d' };
};

/** As long as the service keeps what visitors searched for. */
const DAYS = { '7d': 7, '30d': 30, '90d': 90, all: 90 } as const satisfies Record<Range, number>;

/** The first and last day (UTC) of what visitors searched for in a range. @param today YYYY-MM-DD. */
export const datesOf = (days: Days, today: string): { readonly from: string; readonly to: string } =>
  'range' in days ? { from: utcDayOf(Date.parse(today) - (DAYS[days.range] - 1) * DAY_MS), to: today } : days;

/** As many days right before a range. */
export const previousOf = ({ from, to }: { readonly from: string; readonly to: string }) => {
  const length = Date.parse(to) - Date.parse(from) + DAY_MS;
  const shifted = (day: string): string => utcDayOf(Date.parse(day) - length);
  return { from: shifted(from), to: shifted(to) };
};
