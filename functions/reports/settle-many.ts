import { settleMany } from '#contract/reports.ts';
import { handle, ok } from '#http/handle.ts';
import { settleReports } from '#services/reports/settle.ts';

export const handler = handle(settleMany, async ({ body, user }) => ok({ data: await settleReports(user, body) }));
