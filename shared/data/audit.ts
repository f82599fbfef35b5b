import { decodeTime, ulid } from 'ulid';
import type { AuditEntry } from '#contract/audit.ts';
import { firstCharacters } from '#model/characters.ts';
import { DAY_SECONDS } from '#model/days.ts';
import type { RuleDecision } from '#model/rule.ts';
import { auditedRequest } from '#platform/audit-context.ts';
import { now, secondsFromNow } from '#platform/clock.ts';
import { fromJsonText, toJsonText } from './json-text.ts';
import { auditKey, auditPartition, auditSubjectPartition, inAuditSubject, type Key } from './keys.ts';
import { collectionPages, type Item, recordOf } from './read.ts';

/** The time to live of an entry, in seconds: two years. */
const KEPT_SECONDS = 2 * 365 * DAY_SECONDS;
/** The stored part of the input, in characters of JSON. */
const INPUT_MAX = 4000;
/** The number of subjects listed for a bulk change. */
const SUBJECTS_MAX = 100;

const boundedText = (input: unknown): string => {
  const text = toJsonText(input);
  if (text.length <= INPUT_MAX) return text;
  // Names a user, whose mention must find the entry.
  const { owner_id } = input as Item;
  return toJsonText({ shortened: firstCharacters(text, INPUT_MAX), owner_id });
};

/** The year of an entry, which selects its partition, from the time in its id. */
const auditYearOf = (id: string): number => new Date(decodeTime(id.slice('aud_'.length))).getUTCFullYear();

/** An entry with its input as JSON text. */
const entryItem = ({ subjects, ...given }: Omit<AuditEntry, 'id' | 'at'>): Item & Key => {
  const entry = {
    id: `aud_${ulid()}`,
    at: now(),
    ...given,
    subjects: [...new Set(subjects)].slice(0, SUBJECTS_MAX),
  };
  const [subject] = entry.subjects;
  return {
    ...auditKey(auditYearOf(entry.id), entry.id),
    ...(subject !== undefined && inAuditSubject(subject, entry.id)),
    type: 'audit',
    ttl: secondsFromNow(KEPT_SECONDS),
    ...entry,
  };
};

/**
 * The audit entry that a transaction adds to its writes during an audited request; undefined outside of one.
 * @param subjects of the items it writes.
 */
export const auditItem = (subjects: readonly string[]): (Item & Key) | undefined => {
  const request = auditedRequest();
  if (!request) return undefined;
  return entryItem({
    actor_id: request.actorId,
    actor_name: request.actorName,
    action: request.action,
    subjects: [...subjects],
    request_id: request.requestId,
    address: request.address,
    input: boundedText(request.input),
  });
};

/** The audit entry of a rule's decision about a submission. It names the rule and its version. */
export const ruleEntryItem = (projectId: string, { rule, action, hasFailed }: RuleDecision): Item & Key =>
  entryItem({
    actor_id: null,
    actor_name: null,
    action: 'rules.apply',
    subjects: [`project:${projectId}`, `rule:${rule.id}`],
    request_id: null,
    address: null,
    input: toJsonText({ rule: rule.id, version: rule.version, name: rule.name, action, has_failed: hasFailed }),
  });

const entryOf = (item: Item): AuditEntry => {
  const entry = recordOf<AuditEntry>(item);
  return { ...entry, input: fromJsonText(entry.input) };
};

interface AuditRange {
  /** The id of the entry to continue after. */
  readonly before?: string | undefined;
  /** The number of wanted entries, used as the page size of queries. */
  readonly count: number;
}

/** Two years of entries span at most three calendar years. */
const AUDIT_YEARS = 3;

/** The partitions of the audit log, newest first. @param newest by default the current year. */
const auditPartitions = (newest = Number(now().slice(0, 4))): string[] =>
  Array.from({ length: AUDIT_YEARS }, (_, age) => auditPartition(newest - age));

/** Iterates over the audit log, newest first. */
export async function* auditEntries({ before, count }: AuditRange): AsyncGenerator<AuditEntry> {
  const partitions = auditPartitions(before === undefined ? undefined : auditYearOf(before));
  for (const [age, partition] of partitions.entries()) {
    const pages = collectionPages({
      partition,
      newestFirst: true,
      pageSize: count,
      ...(age === 0 && before !== undefined && { before }),
    });
    for await (const items of pages) yield* items.map(entryOf);
  }
}

/** Iterates over the entries of one subject, newest first. */
export async function* auditEntriesOfSubject(subject: string, range: AuditRange): AsyncGenerator<AuditEntry> {
  const pages = collectionPages({
    partition: auditSubjectPartition(subject),
    index: 'collection',
    newestFirst: true,
    pageSize: range.count,
    ...(range.before !== undefined && { before: range.before }),
  });
  for await (const items of pages) yield* items.map(entryOf);
}
