import type { AuditEntry } from '#contract/audit.ts';
import { auditEntries, auditEntriesOfSubject } from '#data/audit.ts';
import { ledgerPage } from '#model/paging.ts';

/** A page of the audit log, newest first. */
export const listAudit = async (query: { subject?: string | undefined; after?: string | undefined; limit: number }) => {
  const range = { before: query.after, count: query.limit + 1 };
  const newestFirst = query.subject === undefined ? auditEntries(range) : auditEntriesOfSubject(query.subject, range);
  const entries: AuditEntry[] = [];
  for await (const entry of newestFirst) {
    entries.push(entry);
    if (entries.length > query.limit) break;
  }
  return ledgerPage(entries, query.limit);
};
