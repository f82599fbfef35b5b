import type { DayFigures } from '#domain/analytics/figures.ts';
import type { FunnelDay } from '#domain/analytics/funnel.ts';
import type { SiteDay } from '#domain/analytics/roll-up.ts';
import type { Tally } from '#domain/analytics/tally.ts';
import type { Item } from './read.ts';

/** How the figures of days become items and items become them again. */

/** The types of the items. */
export const DAY = 'day';
export const FUNNEL = 'funnel';

const numberIn = (item: Item, name: string): number => Number(item[name] ?? 0);
const tallyIn = (item: Item, name: string): Tally => (item[name] ?? []) as Tally;

/** The figures in an item. */
export const figuresOf = (item: Item): DayFigures => ({
  day: String(item.day),
  pageviews: numberIn(item, 'pageviews'),
  visitors: numberIn(item, 'visitors'),
  project_views: numberIn(item, 'project_views'),
  outbound_clicks: numberIn(item, 'outbound_clicks'),
  submission_started: numberIn(item, 'submission_started'),
  projects: tallyIn(item, 'projects'),
  countries: tallyIn(item, 'countries'),
  browsers: tallyIn(item, 'browsers'),
  devices: tallyIn(item, 'devices'),
  referrers: tallyIn(item, 'referrers'),
});

/** The figures of the site in an item. */
export const siteDayOf = (item: Item): SiteDay => ({
  ...figuresOf(item),
  version: numberIn(item, 'version'),
  closed: item.closed === true,
});

/** The steps in an item. */
export const funnelOf = (item: Item): FunnelDay => ({
  day: String(item.day),
  submitted: numberIn(item, 'submitted'),
  paid: numberIn(item, 'paid'),
  approved: numberIn(item, 'approved'),
});
