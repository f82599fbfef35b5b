import { resolve } from '#contract/reports.ts';
import { handle, ok } from '#http/handle.ts';
import { authorize } from '#http/middleware/authorize.ts';
import { getResolvableReport, resolveReport } from '#services/reports.ts';

export const handler = handle(
  resolve,
  async ({ params, body, user }) => ok({ data: await resolveReport(user, params.report, body.status) }),
  [authorize(({ params, user }) => getResolvableReport(user, params.report))],
);
