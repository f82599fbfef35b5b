import { settle } from '#contract/reports.ts';
import { settleReport } from '#domain/reports/report.ts';
import { handle, ok } from '#http/handle.ts';
import { reportPorts } from '#ports/reports.ts';

export const handler = handle(settle, reportPorts, async ({ params, body }, ports) =>
  ok({ data: await settleReport(ports, params.report, body.status) }),
);
