import { settle } from '#contract/reports.ts';
import { reportPorts } from '#data/report-ports.ts';
import { settleReport } from '#domain/reports/report.ts';
import { handle, ok } from '#http/handle.ts';

export const handler = handle(settle, reportPorts, async ({ params, body }, ports) =>
  ok({ data: await settleReport(ports, params.report, body.status) }),
);
