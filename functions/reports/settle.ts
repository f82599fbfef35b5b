import { settle } from '#contract/reports.ts';
import { handle, ok } from '#http/handle.ts';
import { authorize } from '#http/middleware/authorize.ts';
import { getReport, resolveReport } from '#services/reports/report.ts';

export const handler = handle(
  settle,
  async ({ params, body }) => ok({ data: await resolveReport(params.report, body.status) }),
  [authorize(({ params }) => getReport(params.report))],
);
