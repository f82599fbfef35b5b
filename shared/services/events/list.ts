import { decodeTime } from 'ulid';
import type { EventKind, LedgerEvent } from '#contract/events.ts';
import { EVENT_SLACK_MS, findEventMonth, queryEvents, queryEventsOfKind } from '#data/events.ts';
import { monthOf, monthsBack } from '#model/days.ts';
import { ledgerPage } from '#model/paging.ts';
import { now } from '#platform/clock.ts';

/** The period that the ledger covers. */
const LEDGER_MS = 90 * 86_400_000;
/** The months to query, from an event on. For an event that has expired, the time in its id is used. */
const monthsToQuery = async (after: string | undefined, nowMs: number, oldestMs: number): Promise<string[]> => {
  if (after === undefined) return monthsBack(nowMs + EVENT_SLACK_MS, oldestMs);
  const createdMs = Math.min(decodeTime(after.slice('evt_'.length)), nowMs);
  const newestMs = createdMs + EVENT_SLACK_MS;
  const candidates = monthsBack(newestMs, newestMs - 2 * EVENT_SLACK_MS);
  const found = (await findEventMonth(after, candidates)) ?? monthOf(createdMs);
  return monthsBack(newestMs, oldestMs).filter((month) => month <= found);
};

/** A page of the ledger, newest first. @param query `after`: the id of the last event of the previous page. */
export const listEvents = async (query: {
  readonly kind?: EventKind | undefined;
  readonly after?: string | undefined;
  readonly limit: number;
}) => {
  const nowMs = Date.parse(now());
  const oldestMs = nowMs - LEDGER_MS;
  const { kind, after, limit } = query;
  // One more than a page, to see whether another page follows.
  const range = { before: after, count: limit + 1 };
  const newestFirst =
    kind === undefined
      ? queryEvents(await monthsToQuery(after, nowMs, oldestMs), range)
      : queryEventsOfKind(kind, range);
  const events: LedgerEvent[] = [];
  for await (const event of newestFirst) {
    // DynamoDB deletes expired items late.
    if (Date.parse(event.occurred_at) >= oldestMs) events.push(event);
    if (events.length > limit) break;
  }
  return ledgerPage(events, limit);
};
