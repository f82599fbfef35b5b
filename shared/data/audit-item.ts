import { decodeTime, ulid } from 'ulid';
import type { AuditEntry } from '#contract/audit.ts';
import { type AuditedRequest, auditedRequest } from '#platform/audit-context.ts';
import { now, secondsFromNow } from '#platform/clock.ts';
import { auditKey, type Key, ofAuditSubject, subjectOf } from './keys.ts';
import type { Item } from './read.ts';

/** How long an entry is kept, in seconds: two years. */
const KEPT_SECONDS = 2 * 365 * 86_400;
/** What is kept of what was asked for, in characters of JSON. */
const INPUT_MAX = 4000;
/** Of a change to very many things, how many are named. */
const SUBJECTS_MAX = 100;

const bounded = (input: unknown): unknown => {
  const text = JSON.stringify(input ?? null);
  return text.length <= INPUT_MAX ? (input ?? null) : { shortened: text.slice(0, INPUT_MAX) };
};

/** The year that an entry stands in, by the time in its id. */
export const auditYearOf = (id: string): number => new Date(decodeTime(id.slice('aud_'.length))).getUTCFullYear();

const entryOf = (request: AuditedRequest, keys: readonly Key[]): AuditEntry => ({
  id: `aud_${ulid()}`,
  at: now(),
  actor_id: request.actorId,
  action: request.action,
  subjects: [...new Set(keys.flatMap((key) => subjectOf(key) ?? []))].slice(0, SUBJECTS_MAX),
  request_id: request.requestId,
  address: request.address,
  input: bounded(request.input),
});

/**
 * The item that a transaction writes beside its changes while an audited request runs; undefined otherwise.
 * @param keys of what it changes.
 */
export const auditItem = (keys: readonly Key[]): (Item & Key) | undefined => {
  const request = auditedRequest();
  if (!request) return undefined;
  const entry = entryOf(request, keys);
  const [subject] = entry.subjects;
  return {
    ...auditKey(auditYearOf(entry.id), entry.id),
    ...(subject !== undefined && ofAuditSubject(subject, entry.id)),
    type: 'audit',
    ttl: secondsFromNow(KEPT_SECONDS),
    ...entry,
  };
};
