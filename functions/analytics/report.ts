import { report } from '#contract/analytics.ts';
import { handle, ok } from '#http/handle.ts';
import { getSiteReport } from '#services/analytics/report.ts';

export const handler = handle(report, async ({ query }) => ok({ data: await getSiteReport(query) }));
