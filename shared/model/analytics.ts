import * as z from 'zod';
import type { TrackedType } from '#contract/analytics.ts';
import type { PromotionCounter, PromotionCounts } from './promotion.ts';

/** Counts by name. A list of pairs, because names such as `__proto__` are not safe as keys of an object. */
export type Tally = readonly (readonly [name: string, count: number])[];

/** The country, browser or device of a sender that sent none that is known. */
export const UNKNOWN = 'Unknown';

/** The name that collects the counts of all names beyond a limit. */
export const OTHER = 'Other';

const byCount = (one: readonly [string, number], other: readonly [string, number]): number =>
  other[1] - one[1] || (one[0] < other[0] ? -1 : 1);

/** The sum of several tallies, most frequent first, then by name. */
export const addTallies = (...tallies: readonly Tally[]): Tally => {
  const counts = new Map<string, number>();
  for (const [name, count] of tallies.flat()) counts.set(name, (counts.get(name) ?? 0) + count);
  return [...counts].sort(byCount);
};

const totalOf = (tally: Tally): number => tally.reduce((sum, [, count]) => sum + count, 0);

/** A tally of at most `max` names: the least frequent ones are merged into `Other`, which comes last. */
export const bounded = (tally: Tally, max: number): Tally => {
  const named = tally.filter(([name]) => name !== OTHER);
  const kept = named.length > max ? named.slice(0, max - 1) : named;
  const rest = totalOf(tally) - totalOf(kept);
  return rest > 0 ? [...kept, [OTHER, rest]] : kept;
};

const count = z.number().catch(0);
// Only the array is checked: a report reads a thousand days with up to a thousand names each.
const tally = z.custom<Tally>(Array.isArray);

export const DayTallies = z.object({
  /** Views by project id; empty in the figures of one project. */
  projects: tally,
  countries: tally,
  browsers: tally,
  devices: tally,
  referrers: tally,
});
export type DayTallies = Readonly<z.output<typeof DayTallies>>;

/** The counters of a day, of the site or of one project. */
export const DayCounters = z.object({
  day: z.string(),
  pageviews: count,
  visitors: count,
  project_views: count,
  outbound_clicks: count,
  submission_started: count,
});

/** Everything counted on a day, of the site or of one project. */
export type DayFigures = Readonly<z.output<typeof DayCounters>> & DayTallies;

/** The state of a day of the site beside its figures. */
export const SiteDayState = z.object({
  /** Incremented by every roll-up; the condition of the next one. */
  version: count,
  /** Visitors have been deleted; new ones are no longer counted. */
  closed: z.boolean().catch(false),
});

export type SiteDay = DayFigures & Readonly<z.output<typeof SiteDayState>>;

/** How often each step of a submission was taken on a day; the service counts them itself, from events. */
export const FunnelDay = z.object({ day: z.string(), submitted: count, paid: count, approved: count });
export type FunnelDay = Readonly<z.output<typeof FunnelDay>>;
export type FunnelStep = Exclude<keyof FunnelDay, 'day'>;

export const emptyDay = (day: string): DayFigures => ({
  day,
  pageviews: 0,
  visitors: 0,
  project_views: 0,
  outbound_clicks: 0,
  submission_started: 0,
  projects: [],
  countries: [],
  browsers: [],
  devices: [],
  referrers: [],
});

/** The roll-ups of a range; days without any are absent. */
export interface RolledUp {
  readonly days: readonly DayFigures[];
  readonly funnel: readonly FunnelDay[];
}

/** Equal events of one request, combined. */
export interface TrackedLine {
  readonly type: TrackedType | PromotionCounter;
  /** Id or slug of the project as sent; of an impression or click, the id of the promotion. */
  readonly project: string | null;
  readonly referrer: string | null;
  /** Of a search or a click on a result. */
  readonly search?: TrackedSearch;
  readonly count: number;
}

/** The query of a search as it is stored; `value` is 0 or 1, whether it found something. Of a click, its position. */
export interface TrackedSearch {
  readonly q: string;
  readonly value: number;
}

/** The events of one request until they are rolled up. Contains nothing that identifies the visitor. */
export interface TrackedBatch {
  /** `trk_` and a ULID. */
  readonly id: string;
  readonly day: string;
  /** The hour of the day in UTC, from 0 to 23. */
  readonly hour: number;
  /** A hash with the salt of the day, for deduplication. */
  readonly visitor: string;
  /** False when the visitor opted out: the hash then serves deduplication only. */
  readonly counted: boolean;
  readonly country: string;
  readonly browser: string;
  readonly device: string;
  readonly lines: readonly TrackedLine[];
  /** How many of the lines have been rolled up. */
  readonly done: number;
}

/** Attributes of a request that identify its sender; never stored as they are. */
export interface VisitorSignals {
  /** An IPv4 address or the network of an IPv6 address; undefined when the gateway names no peer. */
  readonly network: string | undefined;
  readonly userAgent: string | undefined;
  /** Two letters, from CloudFront. */
  readonly country: string | undefined;
  /** The host of the page that sent the request. */
  readonly site: string | undefined;
  /** Whether `Sec-GPC` or `DNT` was sent. */
  readonly optsOut: boolean;
}

/**
 * What a visitor has been counted for on a day. The keys are ids of projects, ids of promotions with a counter, and queries of
 * searches. A value has the bit of each hour in which a view, impression or click was counted; none when only something else was.
 */
type HoursByTarget = ReadonlyMap<string, number>;

export interface SeenVisitor {
  readonly visitor: string;
  readonly hours: HoursByTarget;
}

/** A part of a batch: its lines from `batch.done` up to `upTo`. */
export interface Portion {
  readonly batch: TrackedBatch;
  readonly upTo: number;
}

/** How often a query was made, and what came of it. */
export interface QueryFigures {
  /** Folded; `(removed)` for texts that may identify a person, `Other` for all beyond the most frequent ones. */
  readonly q: string;
  readonly searches: number;
  /** Distinct per day, added up. */
  readonly visitors: number;
  /** Searches without results. */
  readonly no_results: number;
  readonly clicks: number;
  /** The sum of the positions that were clicked, each from 1. */
  readonly positions: number;
}

export interface RollUpStep {
  readonly previous: SiteDay | undefined;
  readonly next: SiteDay;
  readonly portions: readonly Portion[];
  /** Visitors that are new or have been counted for something else. */
  readonly visitors: readonly SeenVisitor[];
  readonly projects: readonly { readonly id: string; readonly views: number; readonly figures: DayFigures }[];
  readonly promotions: readonly { readonly id: string; readonly counts: PromotionCounts }[];
  /** All queries of the day; undefined when they do not change. */
  readonly queries: readonly QueryFigures[] | undefined;
}

export interface Hit {
  readonly from: Pick<TrackedBatch, 'country' | 'browser' | 'device' | 'hour' | 'visitor' | 'counted'>;
  readonly line: TrackedLine;
  /** The id of the live project it refers to. */
  readonly projectId: string | null;
}

// Names per day, so that no client can make an item grow: a day of the site has 25 KB at most.
const SITE_NAMES = { projects: 500, countries: 250, browsers: 40, devices: 10, referrers: 200 } as const;
const PROJECT_NAMES = { countries: 100, browsers: 40, devices: 10, referrers: 50 } as const;

const total = (hits: readonly Hit[], type: TrackedLine['type']): number =>
  hits.reduce((sum, { line }) => sum + (line.type === type ? line.count : 0), 0);

const addNames = (
  figures: DayFigures,
  views: readonly Hit[],
  max: Readonly<Record<'countries' | 'browsers' | 'devices' | 'referrers', number>>,
) => {
  const add = (name: keyof typeof max, nameOf: (hit: Hit) => string | null): Tally =>
    bounded(
      addTallies(
        figures[name],
        views.flatMap((hit) => {
          const found = nameOf(hit);
          return found === null ? [] : [[found, hit.line.count] as const];
        }),
      ),
      max[name],
    );
  return {
    countries: add('countries', ({ from }) => from.country),
    browsers: add('browsers', ({ from }) => from.browser),
    devices: add('devices', ({ from }) => from.device),
    referrers: add('referrers', ({ line }) => line.referrer),
  };
};

/** Views of projects that do not exist or are not live are not counted. */
const isCounted = ({ line, projectId }: Hit): boolean => line.type !== 'project_view' || projectId !== null;

/** Adds hits to the figures of the site. @param newVisitors visitors first seen on this day. */
export const addToSite = <F extends DayFigures>(figures: F, all: readonly Hit[], newVisitors: number): F => {
  const hits = all.filter(isCounted);
  const views = hits.filter(({ line }) => line.type === 'pageview' || line.type === 'project_view');
  const projectViews = views.flatMap(({ line, projectId }) =>
    line.type === 'project_view' && projectId !== null ? [[projectId, line.count] as const] : [],
  );
  return {
    ...figures,
    pageviews: figures.pageviews + total(hits, 'pageview'),
    visitors: figures.visitors + newVisitors,
    project_views: figures.project_views + total(hits, 'project_view'),
    outbound_clicks: figures.outbound_clicks + total(hits, 'outbound_click'),
    submission_started: figures.submission_started + total(hits, 'submission_started'),
    projects: bounded(addTallies(figures.projects, projectViews), SITE_NAMES.projects),
    ...addNames(figures, views, SITE_NAMES),
  };
};

export const isOfPromotion = (line: TrackedLine): line is TrackedLine & { readonly type: PromotionCounter } =>
  line.type === 'impressions' || line.type === 'clicks';

/** Whether a hit counts for its project. The page view sent with a project view does not. */
export const isOfProject = ({ line, projectId }: Hit): boolean =>
  projectId !== null && line.type !== 'pageview' && line.type !== 'custom';

/** Projects and promotions remembered per visitor and day. Views, impressions and clicks of further ones do not count. */
const TARGETS_PER_VISITOR = 1000;

/** What a hit is counted for by visitor; undefined for hits that are all counted. */
const targetOf = (hit: Hit): string | undefined => {
  if (hit.line.type === 'search') return `search ${hit.line.search?.q}`;
  if (isOfPromotion(hit.line)) return `${hit.line.type} ${hit.line.project}`;
  return isOfProject(hit) ? String(hit.projectId) : undefined;
};

const isOncePerHour = ({ line }: Hit): boolean => line.type === 'project_view' || isOfPromotion(line);

/** What the hits of one visitor change: the hits to count, the first of each project and query of a counted visitor, and the hours. */
const ofVisitor = (before: HoursByTarget | undefined, all: readonly Hit[]) => {
  const hours = new Map(before);
  const first: Hit[] = [];
  const hits = all.flatMap((hit) => {
    const target = targetOf(hit);
    if (target === undefined) return [hit];
    const hoursBefore = hours.get(target);
    const hour = isOncePerHour(hit) ? 1 << hit.from.hour : 0;
    if (hoursBefore === undefined) {
      if (hours.size >= TARGETS_PER_VISITOR) return hour === 0 ? [hit] : [];
      if (hit.from.counted) first.push(hit);
    }
    hours.set(target, (hoursBefore ?? 0) | hour);
    if (hour === 0) return [hit];
    return ((hoursBefore ?? 0) & hour) === 0 ? [{ ...hit, line: { ...hit.line, count: 1 } }] : [];
  });
  return { hits, first, hours };
};

/**
 * Counts visitors, and views, impressions and clicks once per visitor and hour.
 * @param known what has been counted so far.
 * @returns `hits`: those to count; `ofSite`, `perProject`, `perQuery`: new visitors; `changed`: the visitors to store.
 */
export const deduplicated = (known: readonly SeenVisitor[], all: readonly Hit[]) => {
  const seen = new Map(known.map(({ visitor, hours }) => [visitor, hours]));
  const changed: SeenVisitor[] = [];
  const perProject = new Map<string, number>();
  const perQuery = new Map<string, number>();
  const hits: Hit[] = [];
  let ofSite = 0;
  for (const [visitor, own] of Map.groupBy(all, ({ from }) => from.visitor)) {
    const before = seen.get(visitor);
    const result = ofVisitor(before, own);
    hits.push(...result.hits);
    if (before === undefined && own.some(({ from }) => from.counted)) ofSite += 1;
    for (const { projectId, line } of result.first) {
      if (projectId !== null) perProject.set(projectId, (perProject.get(projectId) ?? 0) + 1);
      if (line.search) perQuery.set(line.search.q, (perQuery.get(line.search.q) ?? 0) + 1);
    }
    const isChanged = [...result.hours].some(([target, hours]) => before?.get(target) !== hours);
    if (before === undefined || isChanged) changed.push({ visitor, hours: result.hours });
  }
  return { hits, ofSite, perProject, perQuery, changed };
};

export const promotionCountsIn = (hits: readonly Hit[]): RollUpStep['promotions'] => {
  const lines = hits.flatMap(({ line }) => (isOfPromotion(line) ? [line] : []));
  return [...Map.groupBy(lines, ({ project }) => String(project))].map(([id, own]) => {
    const counts = { impressions: 0, clicks: 0 };
    for (const { type, count: times } of own) counts[type] += times;
    return { id, counts };
  });
};

export const viewsIn = (hits: readonly Hit[]): number => total(hits, 'project_view');

/** Adds hits of one project to its figures. @param newVisitors visitors of this project first seen on this day. */
export const addToProject = (figures: DayFigures, hits: readonly Hit[], newVisitors: number): DayFigures => {
  const project_views = figures.project_views + viewsIn(hits);
  return {
    ...figures,
    pageviews: project_views,
    visitors: figures.visitors + newVisitors,
    project_views,
    outbound_clicks: figures.outbound_clicks + total(hits, 'outbound_click'),
    submission_started: figures.submission_started + total(hits, 'submission_started'),
    ...addNames(
      figures,
      hits.filter(({ line }) => line.type === 'project_view'),
      PROJECT_NAMES,
    ),
  };
};
