import type { AnalyticsReport, GroupBy, Range } from '#contract/analytics.ts';
import { mustBeChangeable } from '#domain/projects/policy.ts';
import type { ProjectRecord } from '#domain/projects/project.ts';
import type { UserRecord } from '#domain/users/user.ts';
import { notFound } from '#shared/errors.ts';
import { dayOf, daysFrom, firstDayOf, groupOf } from './days.ts';
import type { DayFigures } from './figures.ts';
import type { FunnelDay } from './funnel.ts';
import { addTallies, bounded, OTHER, type Tally } from './tally.ts';

/** Which days, and in which groups. */
export interface ReportQuery {
  readonly range: Range;
  readonly groupBy: GroupBy;
}

/** The roll-ups of some days; days without any are left out. */
export interface RolledUp {
  readonly days: readonly DayFigures[];
  readonly funnel: readonly FunnelDay[];
}

/** A project as a report names it. */
export type NamedProject = Pick<ProjectRecord, 'id' | 'name' | 'slug'>;

/** How many projects and names a report lists. */
const TOP_PROJECTS = 10;
const NAMES_MAX = 100;

/** More projects than are listed are looked up, because some may be gone. */
const CANDIDATES = 3 * TOP_PROJECTS;

const sum = <T>(all: readonly T[], of: (one: T) => number): number => all.reduce((total, one) => total + of(one), 0);

const listed = (tallies: readonly Tally[]) =>
  bounded(addTallies(...tallies), NAMES_MAX).map(([name, count]) => ({ name, count }));

const trafficOf = (days: readonly DayFigures[], from: string, today: string, groupBy: GroupBy) => {
  const byDay = new Map(days.map((one) => [one.day, one]));
  const groups = new Map<string, { date: string; pageviews: number; visitors: number }>();
  for (const day of daysFrom(from, today)) {
    const date = groupOf(day, groupBy);
    const { pageviews = 0, visitors = 0 } = byDay.get(day) ?? {};
    const before = groups.get(date);
    groups.set(date, {
      date,
      pageviews: (before?.pageviews ?? 0) + pageviews,
      visitors: (before?.visitors ?? 0) + visitors,
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

/** The report on some roll-ups, with the projects that it names. `today` is the last day of the range. */
export const reportOn = (
  rolledUp: RolledUp,
  { range, groupBy }: ReportQuery,
  today: string,
  topProjects: AnalyticsReport['top_projects'],
): AnalyticsReport => {
  const { days, funnel } = rolledUp;
  const first = [...days, ...funnel].map(({ day }) => day).toSorted()[0] ?? today;
  const from = range === 'all' ? first : firstDayOf(range, today);
  return {
    range,
    groupBy,
    totals: {
      pageviews: sum(days, (day) => day.pageviews),
      visitors: sum(days, (day) => day.visitors),
      project_views: sum(days, (day) => day.project_views),
      outbound_clicks: sum(days, (day) => day.outbound_clicks),
    },
    traffic: trafficOf(days, from, today, groupBy),
    top_projects: topProjects,
    countries: listed(days.map((day) => day.countries)),
    browsers: listed(days.map((day) => day.browsers)),
    devices: listed(days.map((day) => day.devices)),
    referrers: listed(days.map((day) => day.referrers)),
    funnel: funnelOf(rolledUp),
  };
};

/** What the report of the site takes. */
export interface SiteReportPorts {
  readonly now: () => string;
  readonly siteRollUps: (from: string, to: string) => Promise<RolledUp>;
  /** Those of some projects that exist. */
  readonly namedProjects: (projectIds: readonly string[]) => Promise<readonly NamedProject[]>;
}

const topProjectsOf = async (ports: SiteReportPorts, days: readonly DayFigures[]) => {
  const viewed = addTallies(...days.map((day) => day.projects)).filter(([id]) => id !== OTHER);
  const candidates = viewed.slice(0, CANDIDATES);
  const named = new Map((await ports.namedProjects(candidates.map(([id]) => id))).map((one) => [one.id, one]));
  return candidates
    .flatMap(([id, views]) => {
      const project = named.get(id);
      return project ? [{ id, name: project.name, slug: project.slug, views }] : [];
    })
    .slice(0, TOP_PROJECTS);
};

/** What was counted on the whole site. */
export const readSiteReport = async (ports: SiteReportPorts, query: ReportQuery): Promise<AnalyticsReport> => {
  const today = dayOf(ports.now());
  const rolledUp = await ports.siteRollUps(firstDayOf(query.range, today), today);
  return reportOn(rolledUp, query, today, await topProjectsOf(ports, rolledUp.days));
};

/** What the report of one project takes. */
export interface ProjectReportPorts {
  readonly now: () => string;
  readonly findProject: (reference: string) => Promise<{ project: ProjectRecord } | undefined>;
  readonly projectRollUps: (projectId: string, from: string, to: string) => Promise<RolledUp>;
}

/** The project, for its owner and administrators. @throws 404 when the caller may not know of it, else 403. */
export const getReportedProject = async (
  ports: Pick<ProjectReportPorts, 'findProject'>,
  user: UserRecord,
  reference: string,
): Promise<ProjectRecord> => {
  const stored = await ports.findProject(reference);
  if (!stored) throw notFound();
  mustBeChangeable(stored.project, user);
  return stored.project;
};

/** What was counted of one project. @throws 404, 403. */
export const readProjectReport = async (
  ports: ProjectReportPorts,
  user: UserRecord,
  reference: string,
  query: ReportQuery,
): Promise<AnalyticsReport> => {
  const { id, name, slug } = await getReportedProject(ports, user, reference);
  const today = dayOf(ports.now());
  const rolledUp = await ports.projectRollUps(id, firstDayOf(query.range, today), today);
  const views = sum(rolledUp.days, (day) => day.project_views);
  return reportOn(rolledUp, query, today, views > 0 ? [{ id, name, slug, views }] : []);
};
