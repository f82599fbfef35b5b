import { file } from '#contract/reports.ts';
import { fileReport } from '#domain/reports/report.ts';
import { created, handle, ok } from '#http/handle.ts';
import { reportPorts } from '#ports/reports.ts';

export const handler = handle(file, reportPorts, async ({ params, body, user }, ports) => {
  const { report, isFirst } = await fileReport(ports, user, params.project, body);
  return isFirst ? created({ data: report }) : ok({ data: report });
});
