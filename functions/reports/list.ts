import { list } from '#contract/reports.ts';
import { pageOfReports } from '#data/reports.ts';
import { listReports } from '#domain/reports/report.ts';
import { handle, ok } from '#http/handle.ts';

export const handler = handle(list, { pageOfReports }, async ({ query }, ports) => ok(await listReports(ports, query)));
