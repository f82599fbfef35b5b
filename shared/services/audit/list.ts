import type { AuditEntry } from '#contract/audit.ts';
import { auditEntries, auditEntriesOfSubject } from '#data/audit.ts';
import { filteredPage, notBefore } from '#model/ledger.ts';
import { firstIdFrom } from '#platform/ids.ts';

interface AuditQuery {
  readonly actor?: string | undefined;
  readonly subject?: string | undefined;
  /** ISO 8601. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  /** The id of the last entry that the previous page has examined. */
  readonly after?: string | undefined;
  readonly limit: number;
}

/** The time of an entry is taken a moment after that of its id, in milliseconds. */
const SLACK_MS = 1000;

/** A page of the audit log, newest first. Entries of a subject have an index; other filters are applied to what is read. */
export const listAudit = async ({ actor, subject, from, to, after, limit }: AuditQuery) => {
  const end = to === undefined ? undefined : firstIdFrom('aud', Date.parse(to) + SLACK_MS);
  const before = [after, end].filter((id) => id !== undefined).toSorted()[0];
  const range = { before, count: limit + 1 };
  const newestFirst = subject === undefined ? auditEntries(range) : auditEntriesOfSubject(subject, range);
  const firstId = firstIdFrom('aud', from === undefined ? 0 : Date.parse(from) - SLACK_MS);
  const isIncluded = (entry: AuditEntry): boolean =>
    (actor === undefined || entry.actor_id === actor) &&
    (from === undefined || entry.at >= from) &&
    (to === undefined || entry.at <= to);
  return await filteredPage(notBefore(newestFirst, firstId), isIncluded, limit);
};
