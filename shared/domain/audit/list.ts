import type { AuditEntry } from '#contract/audit.ts';

/** What reading the log takes. */
export interface AuditPorts {
  readonly auditBackwards: (range: { before?: string | undefined; count: number }) => AsyncIterable<AuditEntry>;
  readonly auditOfSubject: (
    subject: string,
    range: { before?: string | undefined; count: number },
  ) => AsyncIterable<AuditEntry>;
}

/** A page of the audit log, newest first. */
export const listAudit = async (
  ports: AuditPorts,
  query: { subject?: string | undefined; after?: string | undefined; limit: number },
) => {
  const range = { before: query.after, count: query.limit + 1 };
  const walk = query.subject === undefined ? ports.auditBackwards(range) : ports.auditOfSubject(query.subject, range);
  const entries: AuditEntry[] = [];
  for await (const entry of walk) {
    entries.push(entry);
    if (entries.length > query.limit) break;
  }
  const data = entries.slice(0, query.limit);
  const hasMore = entries.length > query.limit;
  return { data, meta: { nextAfter: hasMore ? (data.at(-1)?.id ?? null) : null, hasMore, pageSize: query.limit } };
};
