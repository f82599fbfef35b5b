import { list } from '#contract/reports.ts';
import { handle, ok } from '#http/handle.ts';
import { listReportGroups, listReports } from '#services/reports/report.ts';

export const handler = handle(list, async ({ query }) =>
  ok(query.group === undefined ? await listReports(query) : await listReportGroups(query)),
);
