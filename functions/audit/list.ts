import { list } from '#contract/audit.ts';
import { auditBackwards, auditOfSubject } from '#data/audit.ts';
import { listAudit } from '#domain/audit/list.ts';
import { handle, ok } from '#http/handle.ts';

export const handler = handle(list, { auditBackwards, auditOfSubject }, async ({ query }, ports) =>
  ok(await listAudit(ports, query)),
);
