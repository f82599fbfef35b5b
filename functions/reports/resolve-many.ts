import { resolveMany } from '#contract/reports.ts';
import { handle, ok } from '#http/handle.ts';
import { resolveReports } from '#services/reports.ts';

export const handler = handle(resolveMany, async ({ body, user }) => ok({ data: await resolveReports(user, body) }));
