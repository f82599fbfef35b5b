import type { AuditEntry } from '#contract/audit.ts';
import { now } from '#platform/clock.ts';
import { auditYearOf } from './audit-item.ts';
import { inKeyOrder } from './key-order.ts';
import { auditPartition, auditSubjectPartition } from './keys.ts';
import { collectionPages, type Item } from './read.ts';

const readEntry = (item: Item): AuditEntry => ({
  id: String(item.id),
  at: String(item.at),
  actor_id: String(item.actor_id),
  action: String(item.action),
  subjects: (item.subjects ?? []) as string[],
  request_id: String(item.request_id),
  address: (item.address ?? null) as string | null,
  input: inKeyOrder(item.input ?? null),
});

/** Which part of the log is read. */
export interface AuditRange {
  /** Only entries before this one. */
  readonly before?: string | undefined;
  /** How many are wanted: a hint for the size of a read. */
  readonly count: number;
}

/** Entries are kept for two years, which lie in at most three. */
const YEARS = 3;

/** Walks the log, newest first. */
export async function* auditBackwards(range: AuditRange): AsyncGenerator<AuditEntry> {
  const newest = Number(range.before ? auditYearOf(range.before) : now().slice(0, 4));
  for (let year = newest; year > newest - YEARS; year -= 1) {
    const pages = collectionPages({
      partition: auditPartition(year),
      newestFirst: true,
      pageSize: range.count,
      ...(year === newest && range.before !== undefined && { before: range.before }),
    });
    for await (const items of pages) yield* items.map(readEntry);
  }
}

/** Walks what was done to one thing, newest first. */
export async function* auditOfSubject(subject: string, range: AuditRange): AsyncGenerator<AuditEntry> {
  const pages = collectionPages({
    partition: auditSubjectPartition(subject),
    index: 'collection',
    newestFirst: true,
    pageSize: range.count,
    ...(range.before !== undefined && { before: range.before }),
  });
  for await (const items of pages) yield* items.map(readEntry);
}
