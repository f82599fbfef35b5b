import { projectReport } from '#contract/analytics.ts';
import { handle, ok } from '#http/handle.ts';
import { authorize } from '#http/middleware/authorize.ts';
import { getProjectReport, getReportedProject } from '#services/analytics/report.ts';

export const handler = handle(
  projectReport,
  async ({ params, query, user }) => ok({ data: await getProjectReport(user, params.project, query) }),
  [authorize(({ params, user }) => getReportedProject(user, params.project))],
);
