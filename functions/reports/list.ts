import { list } from '#contract/reports.ts';
import { handle, ok } from '#http/handle.ts';
import { listReports } from '#services/reports/report.ts';

export const handler = handle(list, async ({ query }) => ok(await listReports(query)));
