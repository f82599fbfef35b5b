import { list } from '#contract/reports.ts';
import { handle, ok } from '#http/handle.ts';
import { listReportGroups, listReports } from '#services/reports.ts';

export const handler = handle(list, async ({ query, user }) =>
  ok(query.group === undefined ? await listReports(user, query) : await listReportGroups(user, query)),
);
