import type * as z from 'zod';
import type { AuditEntry, list as audit } from '#contract/audit.ts';
import type { EventDetail, list as events, LoggedEvent } from '#contract/events.ts';
import { auditEntries, auditEntriesOfSubject } from '#data/audit.ts';
import {
  EVENT_SLACK_MS,
  findEvent,
  findEventMonth,
  outcomesOf,
  queryEvents,
  queryEventsOfKind,
  queryEventsOfProject,
} from '#data/event-log.ts';
import { filteredPage, notBefore } from '#data/paging.ts';
import { findDelivery, webhooks } from '#data/webhooks.ts';
import { type Subscription, subscriptions } from '#events/subscriptions.ts';
import { DAY_MS, monthOf, monthsBack } from '#model/days.ts';
import { deliveryIdOf } from '#model/webhook.ts';
import { now } from '#platform/clock.ts';
import { environment } from '#platform/environment.ts';
import { firstIdFrom, timeOfId } from '#platform/ids.ts';
import { mustExist, notFound } from '#shared/errors.ts';

const EVENT_LOG_MS = 90 * DAY_MS;

type AuditQuery = z.output<typeof audit.query>;
type EventQuery = z.output<typeof events.query>;

/** A part of the event log, by the time in ids. */
interface Part {
  /** Only events before the one with this id. */
  readonly before: string;
  /** Whether there is, or was, an event with this id. */
  readonly isEvent: boolean;
  readonly oldestMs: number;
}

/** The months to query. For an event that has expired, the time in its id is used. */
const monthsToQuery = async ({ before, isEvent, oldestMs }: Part): Promise<string[]> => {
  if (!isEvent) return monthsBack(timeOfId(before), oldestMs);
  const createdMs = Math.min(timeOfId(before), Date.parse(now()));
  const newestMs = createdMs + EVENT_SLACK_MS;
  const candidates = monthsBack(newestMs, newestMs - 2 * EVENT_SLACK_MS);
  const found = (await findEventMonth(before, candidates)) ?? monthOf(createdMs);
  return monthsBack(newestMs, oldestMs).filter((month) => month <= found);
};

/** The subject of an event by the member of its data with the id. */
const SUBJECTS = {
  project_id: 'project',
  user_id: 'user',
  comment_id: 'comment',
  revision_id: 'revision',
  promotion_id: 'promotion',
  checkout_id: 'checkout',
  webhook_id: 'webhook',
  key_id: 'key',
  rule_id: 'rule',
  batch_id: 'batch',
  revert_id: 'batch',
} as const;

const isAbout = ({ data }: LoggedEvent, subject: string): boolean =>
  Object.entries(SUBJECTS).some(
    ([member, kind]) => `${kind}:${String((data as Record<string, unknown>)[member])}` === subject,
  );

const PROJECT_SUBJECT = /^project:(.+)$/s;

const eventsBefore = async ({ kind, subject, limit }: EventQuery, part: Part): Promise<AsyncIterable<LoggedEvent>> => {
  const range = { before: part.before, count: limit + 1 };
  const projectId = PROJECT_SUBJECT.exec(subject ?? '')?.[1];
  if (projectId !== undefined) return queryEventsOfProject(projectId, range);
  if (kind !== undefined) return queryEventsOfKind(kind, range);
  return queryEvents(await monthsToQuery(part), range);
};

/**
 * A page of the event log, newest first. Events about a project and of a kind have indexes; every other filter is applied to
 * the events that are read.
 */
export const listEvents = async (query: EventQuery) => {
  const { kind, actor, subject, after, limit } = query;
  const nowMs = Date.parse(now());
  // DynamoDB deletes expired items late.
  const oldestMs = Math.max(nowMs - EVENT_LOG_MS, Date.parse(query.from ?? '') || 0);
  const newestMs = Math.min(nowMs, Date.parse(query.to ?? now()));
  // The time in an id and that of its event may differ.
  const end = firstIdFrom('evt', newestMs + EVENT_SLACK_MS);
  const isEvent = after !== undefined && after < end;
  const from = firstIdFrom('evt', oldestMs - EVENT_SLACK_MS);
  const isIncluded = (event: LoggedEvent): boolean => {
    const occurredMs = Date.parse(event.occurred_at);
    return (
      occurredMs >= oldestMs &&
      (query.to === undefined || occurredMs <= newestMs) &&
      (kind === undefined || event.kind === kind) &&
      (actor === undefined || event.actor_id === actor) &&
      (subject === undefined || isAbout(event, subject))
    );
  };
  const newestFirst = await eventsBefore(query, { before: isEvent ? after : end, isEvent, oldestMs });
  return await filteredPage(notBefore(newestFirst, from), limit, isIncluded);
};

const EVENT_ID = /^evt_[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

/** An event with the results of its subscribers and its deliveries to webhooks. @throws 404. */
export const readEvent = async (eventId: string): Promise<EventDetail> => {
  if (!EVENT_ID.test(eventId)) throw notFound();
  const createdMs = timeOfId(eventId);
  const event = mustExist(await findEvent(eventId, monthsBack(createdMs + EVENT_SLACK_MS, createdMs - EVENT_SLACK_MS)));
  const [outcomes, allWebhooks] = await Promise.all([outcomesOf(eventId), webhooks.all()]);
  const deliveries = await Promise.all(allWebhooks.map(({ id }) => findDelivery(id, deliveryIdOf(eventId))));
  const all: readonly Subscription[] = subscriptions;
  return {
    ...event,
    subscribers: all
      .filter(({ kinds }) => kinds.includes(event.kind))
      .map(({ id, summary, feature }) => {
        const outcome = outcomes.get(id);
        const isOff = feature !== undefined && !environment().features[feature];
        const missing = isOff ? 'skipped' : 'none';
        return {
          id,
          summary,
          state: outcome ? (outcome.error === null ? 'done' : 'failed') : missing,
          at: outcome?.at ?? null,
          runs: outcome?.runs ?? 0,
          error: outcome?.error ?? null,
        };
      }),
    deliveries: deliveries
      .filter((delivery) => delivery !== undefined)
      .map((delivery) => ({ ...delivery, attempts: delivery.attempts.length })),
  };
};

/** The time of an entry is taken a moment after that of its id, in milliseconds. */
const SLACK_MS = 1000;

/** Decisions about revisions have the index of their project. */
const REVISION_SUBJECT = /^revision:/;

/** A page of the audit log, newest first. Entries of a subject have an index; other filters are applied to what is read. */
export const listAudit = async ({ actor, subject, from, to, after, limit }: AuditQuery) => {
  const end = to === undefined ? undefined : firstIdFrom('aud', Date.parse(to) + SLACK_MS);
  const before = [after, end].filter((id) => id !== undefined).toSorted()[0];
  const range = { before, count: limit + 1 };
  const hasIndex = subject !== undefined && !REVISION_SUBJECT.test(subject);
  const newestFirst = !hasIndex ? auditEntries(range) : auditEntriesOfSubject(subject, range);
  const firstId = firstIdFrom('aud', from === undefined ? 0 : Date.parse(from) - SLACK_MS);
  const isIncluded = (entry: AuditEntry): boolean =>
    (actor === undefined || entry.actor_id === actor) &&
    (hasIndex || subject === undefined || entry.subjects.includes(subject)) &&
    (from === undefined || entry.at >= from) &&
    (to === undefined || entry.at <= to);
  return await filteredPage(notBefore(newestFirst, firstId), limit, isIncluded);
};
