import { list } from '#contract/audit.ts';
import { handle, ok } from '#http/handle.ts';
import { listAudit } from '#services/events/logs.ts';

export const handler = handle(list, async ({ query }) => ok(await listAudit(query)));
