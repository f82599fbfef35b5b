import type { DayFigures } from '#domain/analytics/figures.ts';
import type { FunnelDay } from '#domain/analytics/funnel.ts';
import type { SiteDay } from '#domain/analytics/roll-up.ts';
import type { Item } from './read.ts';

/** How the figures of days become items and items become them again. */

/** The types of the items. */
export const DAY = 'day';
export const FUNNEL = 'funnel';

const numberIn = (item: Item, name: string): number => Number(item[name] ?? 0);

type Tallies = Pick<DayFigures, 'projects' | 'countries' | 'browsers' | 'devices' | 'referrers'>;

/** The attributes of figures. Reports read a thousand days: the names stand in one text, which is read ten times as fast. */
export const attributesOf = <F extends DayFigures>(figures: F): Item => {
  const { projects, countries, browsers, devices, referrers, ...numbers } = figures;
  const tallies: Tallies = { projects, countries, browsers, devices, referrers };
  return { type: DAY, ...numbers, names: JSON.stringify(tallies) };
};

/** The figures in an item. */
export const figuresOf = (item: Item): DayFigures => ({
  day: String(item.day),
  pageviews: numberIn(item, 'pageviews'),
  visitors: numberIn(item, 'visitors'),
  project_views: numberIn(item, 'project_views'),
  outbound_clicks: numberIn(item, 'outbound_clicks'),
  submission_started: numberIn(item, 'submission_started'),
  ...(JSON.parse(String(item.names)) as Tallies),
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
