import { report } from '#contract/analytics.ts';
import { readSiteReport } from '#domain/analytics/report.ts';
import { handle, ok } from '#http/handle.ts';
import { siteReportPorts } from '#ports/analytics.ts';

export const handler = handle(report, siteReportPorts, async ({ query }, ports) =>
  ok({ data: await readSiteReport(ports, query) }),
);
