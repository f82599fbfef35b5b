import type { EventKind, LedgerEvent } from '#contract/events.ts';
import { EVENT_SLACK_MS, findEventMonth, queryEvents, queryEventsOfKind, queryEventsOfProject } from '#data/events.ts';
import { monthOf, monthsBack } from '#model/days.ts';
import { filteredPage, notBefore } from '#model/ledger.ts';
import { now } from '#platform/clock.ts';
import { firstIdFrom, timeOfId } from '#platform/ids.ts';

/** The period that the ledger covers. */
const LEDGER_MS = 90 * 86_400_000;

interface EventQuery {
  readonly kind?: EventKind | undefined;
  readonly actor?: string | undefined;
  readonly subject?: string | undefined;
  /** ISO 8601. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  /** The id of the last entry that the previous page has examined. */
  readonly after?: string | undefined;
  readonly limit: number;
}

/** A part of the ledger, by the time in ids. */
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

const isAbout = ({ data }: LedgerEvent, subject: string): boolean =>
  Object.entries(SUBJECTS).some(
    ([member, kind]) => `${kind}:${String((data as Record<string, unknown>)[member])}` === subject,
  );

const PROJECT_SUBJECT = /^project:(.+)$/s;

const eventsBefore = async ({ kind, subject, limit }: EventQuery, part: Part): Promise<AsyncIterable<LedgerEvent>> => {
  const range = { before: part.before, count: limit + 1 };
  const projectId = PROJECT_SUBJECT.exec(subject ?? '')?.[1];
  if (projectId !== undefined) return queryEventsOfProject(projectId, range);
  if (kind !== undefined) return queryEventsOfKind(kind, range);
  return queryEvents(await monthsToQuery(part), range);
};

/**
 * A page of the ledger, newest first. Events about a project and of a kind have indexes; every other filter is applied to
 * the events that are read.
 */
export const listEvents = async (query: EventQuery) => {
  const { kind, actor, subject, after, limit } = query;
  const nowMs = Date.parse(now());
  // DynamoDB deletes expired items late.
  const oldestMs = Math.max(nowMs - LEDGER_MS, Date.parse(query.from ?? '') || 0);
  const newestMs = Math.min(nowMs, Date.parse(query.to ?? now()));
  // The time in an id and that of its event may differ.
  const end = firstIdFrom('evt', newestMs + EVENT_SLACK_MS);
  const isEvent = after !== undefined && after < end;
  const from = firstIdFrom('evt', oldestMs - EVENT_SLACK_MS);
  const isIncluded = (event: LedgerEvent): boolean => {
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
  return await filteredPage(notBefore(newestFirst, from), isIncluded, limit);
};
