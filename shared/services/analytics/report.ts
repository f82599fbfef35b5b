import type * as z from 'zod';
import { type AnalyticsReport, type GroupBy, type Range, REPORT_DAYS_MAX, type report } from '#contract/analytics.ts';
import { projectRollUps, siteRollUps } from '#data/analytics.ts';
import { existingProjects, findProject } from '#data/projects.ts';
import { addTallies, bounded, type DayFigures, OTHER, type RolledUp, type Tally } from '#model/analytics.ts';
import type { Caller } from '#model/api-key.ts';
import { dayAfter, dayOf, daysFrom, firstDayOf, groupOf } from '#model/days.ts';
import { mustBeChangeable } from '#model/policy.ts';
import type { ProjectRecord } from '#model/project.ts';
import { now } from '#platform/clock.ts';
import { invalidField, mustExist } from '#shared/errors.ts';

type ReportQuery = z.output<typeof report.query>;
type PeriodQuery = Pick<ReportQuery, 'range' | 'from' | 'to'>;

/** The days of a report, inclusive; `range` is null when they were asked for by dates. */
interface Period {
  readonly range: Range | null;
  readonly from: string;
  readonly to: string;
}

/** @throws 400 when dates and `range` are combined, and when the dates are not in order or too far apart. */
export const periodOf = ({ range, from, to }: PeriodQuery, today: string): Period => {
  if (from === undefined) {
    if (to !== undefined) throw invalidField(['from'], 'is required with `to`');
    const named = range ?? '30d';
    return { range: named, from: firstDayOf(named, today), to: today };
  }
  if (range !== undefined) throw invalidField(['range'], 'cannot be combined with `from`');
  const last = to ?? today;
  if (last < from)
    throw invalidField([to === undefined ? 'from' : 'to'], 'must not make the report end before it starts');
  if (last >= dayAfter(from, REPORT_DAYS_MAX))
    throw invalidField(['to'], `must be less than ${REPORT_DAYS_MAX} days after \`from\``);
  return { range: null, from, to: last };
};

const TOP_PROJECTS_MAX = 10;
/** More than are listed, because some may have been deleted. */
const CANDIDATES_MAX = 3 * TOP_PROJECTS_MAX;
/** Names per tally of a report. */
const NAMES_MAX = 100;

const sum = <T>(all: readonly T[], of: (one: T) => number): number => all.reduce((total, one) => total + of(one), 0);

const listed = (tallies: readonly Tally[]) =>
  bounded(addTallies(...tallies), NAMES_MAX).map(([name, count]) => ({ name, count }));

const trafficOf = ({ days, funnel }: RolledUp, from: string, to: string, groupBy: GroupBy) => {
  const byDay = new Map(days.map((one) => [one.day, one]));
  const steps = new Map(funnel.map((one) => [one.day, one]));
  const groups = new Map<string, { date: string; pageviews: number; visitors: number; submissions: number }>();
  for (const day of daysFrom(from, to)) {
    const date = groupOf(day, groupBy);
    const { pageviews = 0, visitors = 0 } = byDay.get(day) ?? {};
    const before = groups.get(date);
    groups.set(date, {
      date,
      pageviews: (before?.pageviews ?? 0) + pageviews,
      visitors: (before?.visitors ?? 0) + visitors,
      submissions: (before?.submissions ?? 0) + (steps.get(day)?.submitted ?? 0),
    });
  }
  return [...groups.values()];
};

const funnelOf = ({ days, funnel }: RolledUp) => {
  const visitors = sum(days, (day) => day.visitors);
  const approved = sum(funnel, (day) => day.approved);
  return {
    visitors,
    submission_started: sum(days, (day) => day.submission_started),
    submitted: sum(funnel, (day) => day.submitted),
    paid: sum(funnel, (day) => day.paid),
    approved,
    conversion: visitors === 0 ? 0 : Math.round((approved / visitors) * 10_000) / 10_000,
  };
};

export const reportOn = (
  rolledUp: RolledUp,
  { range, from: start, to }: Period,
  groupBy: GroupBy,
  topProjects: AnalyticsReport['top_projects'],
): AnalyticsReport => {
  const { days, funnel } = rolledUp;
  const first = [...days, ...funnel].map(({ day }) => day).toSorted()[0] ?? to;
  const from = range === 'all' ? first : start;
  return {
    range,
    from,
    to,
    groupBy,
    totals: {
      pageviews: sum(days, (day) => day.pageviews),
      visitors: sum(days, (day) => day.visitors),
      project_views: sum(days, (day) => day.project_views),
      outbound_clicks: sum(days, (day) => day.outbound_clicks),
    },
    traffic: trafficOf(rolledUp, from, to, groupBy),
    top_projects: topProjects,
    countries: listed(days.map((day) => day.countries)),
    browsers: listed(days.map((day) => day.browsers)),
    devices: listed(days.map((day) => day.devices)),
    referrers: listed(days.map((day) => day.referrers)),
    funnel: funnelOf(rolledUp),
  };
};

const topProjectsOf = async (days: readonly DayFigures[]): Promise<AnalyticsReport['top_projects']> => {
  const viewed = addTallies(...days.map((day) => day.projects)).filter(([id]) => id !== OTHER);
  const candidates = viewed.slice(0, CANDIDATES_MAX);
  const named = new Map((await existingProjects(candidates.map(([id]) => id))).map((one) => [one.id, one]));
  return candidates
    .flatMap(([id, views]) => {
      const project = named.get(id);
      return project ? [{ id, name: project.name, slug: project.slug, views }] : [];
    })
    .slice(0, TOP_PROJECTS_MAX);
};

/** The report of the whole site. @throws 400 when the period is invalid. */
export const getSiteReport = async (query: ReportQuery): Promise<AnalyticsReport> => {
  const period = periodOf(query, dayOf(now()));
  const rolledUp = await siteRollUps(period.from, period.to);
  return reportOn(rolledUp, period, query.groupBy, await topProjectsOf(rolledUp.days));
};

/**
 * The project of a report: any one for an API key, whose scope covers reports.
 * @throws 404 when the caller must not see it, 403 unless owner or administrator.
 */
export const getReportedProject = async (caller: Caller, reference: string): Promise<ProjectRecord> => {
  const stored = mustExist(await findProject(reference));
  if (!caller.scopes) mustBeChangeable(stored.project, caller);
  return stored.project;
};

/** The report of one project. @throws 404 when the caller must not see it, 403 unless owner or administrator, 400. */
export const getProjectReport = async (
  caller: Caller,
  reference: string,
  query: ReportQuery,
): Promise<AnalyticsReport> => {
  const { id, name, slug } = await getReportedProject(caller, reference);
  const period = periodOf(query, dayOf(now()));
  const rolledUp = await projectRollUps(id, period.from, period.to);
  const views = sum(rolledUp.days, (day) => day.project_views);
  return reportOn(rolledUp, period, query.groupBy, views > 0 ? [{ id, name, slug, views }] : []);
};
