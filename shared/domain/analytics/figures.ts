import { addTallies, bounded, type Tally } from './tally.ts';
import type { TrackedBatch, TrackedLine } from './track.ts';

/** What was counted on one day, of the site or of one project. */
export interface DayFigures {
  readonly day: string;
  readonly pageviews: number;
  readonly visitors: number;
  readonly project_views: number;
  readonly outbound_clicks: number;
  readonly submission_started: number;
  /** Views by project id; empty in the figures of one project. */
  readonly projects: Tally;
  readonly countries: Tally;
  readonly browsers: Tally;
  readonly devices: Tally;
  readonly referrers: Tally;
}

/** A day of which nothing has been counted. */
export const noFigures = (day: string): DayFigures => ({
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

// How many names a day keeps apart, so that no sender can make its item grow: one of the site has 25 KB at most.
const SITE_NAMES = { projects: 500, countries: 250, browsers: 40, devices: 10, referrers: 200 } as const;
const PROJECT_NAMES = { countries: 100, browsers: 40, devices: 10, referrers: 50 } as const;

/** A line with what its request says about its sender. */
export interface Hit {
  readonly from: Pick<TrackedBatch, 'country' | 'browser' | 'device' | 'visitor'>;
  readonly line: TrackedLine;
  /** The live project that it is about. */
  readonly projectId: string | null;
}

const total = (hits: readonly Hit[], type: TrackedLine['type']): number =>
  hits.reduce((sum, { line }) => sum + (line.type === type ? line.count : 0), 0);

const tallied = (
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

/** Whether a hit counts at all: a view of a project that is not there, or not live, does not. */
const isCounted = ({ line, projectId }: Hit): boolean => line.type !== 'project_view' || projectId !== null;

/** The figures of the site with some hits more. @param newVisitors those that were not seen on this day before. */
export const siteFiguresWith = <F extends DayFigures>(figures: F, all: readonly Hit[], newVisitors: number): F => {
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
    ...tallied(figures, views, SITE_NAMES),
  };
};

/** Whether a hit belongs into the figures of the project that it names. The page view that goes with a project view does not. */
export const isOfProject = ({ line, projectId }: Hit): boolean =>
  projectId !== null && line.type !== 'pageview' && line.type !== 'custom';

/** The figures of one project with some hits more, all of which are of it. */
export const projectFiguresWith = (figures: DayFigures, hits: readonly Hit[], newVisitors: number): DayFigures => {
  const views = hits.filter(({ line }) => line.type === 'project_view');
  const project_views = figures.project_views + total(hits, 'project_view');
  return {
    ...figures,
    pageviews: project_views,
    visitors: figures.visitors + newVisitors,
    project_views,
    outbound_clicks: figures.outbound_clicks + total(hits, 'outbound_click'),
    submission_started: figures.submission_started + total(hits, 'submission_started'),
    ...tallied(figures, views, PROJECT_NAMES),
  };
};

/** How many views of its project some hits are. */
export const viewsIn = (hits: readonly Hit[]): number => total(hits, 'project_view');
