import type { AnalyticsReport } from '#contract/analytics.ts';
import { csvOf } from '../../csv.ts';

const lists = ['countries', 'browsers', 'devices', 'referrers'] as const;

/** A report as one table with a number per row. */
export const reportCsv = (report: AnalyticsReport): string =>
  csvOf([
    ['section', 'name', 'metric', 'value'],
    ...Object.entries(report.totals).map(([metric, value]) => ['totals', '', metric, value]),
    ...report.traffic.flatMap(({ date, pageviews, visitors, submissions }) => [
      ['traffic', date, 'pageviews', pageviews],
      ['traffic', date, 'visitors', visitors],
      ['traffic', date, 'submissions', submissions],
    ]),
    ...Object.entries(report.funnel).map(([metric, value]) => ['funnel', '', metric, value]),
    ...report.top_projects.map(({ slug, views }) => ['top_projects', slug, 'views', views]),
    ...lists.flatMap((section) => report[section].map(({ name, count }) => [section, name, 'views', count])),
  ]);
