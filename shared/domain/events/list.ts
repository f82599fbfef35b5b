import { decodeTime } from 'ulid';
import type { EventKind, LedgerEvent } from '#contract/events.ts';

/** What reading the ledger takes. */
export interface LedgerPorts {
  readonly now: () => string;
  readonly eventsBackwards: (range: {
    months: readonly string[];
    before?: string | undefined;
    count: number;
  }) => AsyncIterable<LedgerEvent>;
  readonly eventsOfKindBackwards: (
    kind: EventKind,
    range: { before?: string | undefined; count: number },
  ) => AsyncIterable<LedgerEvent>;
  readonly findEventMonth: (eventId: string, months: readonly string[]) => Promise<string | undefined>;
}

const DAY_MS = 86_400_000;
/** How far the ledger goes back. */
const LEDGER_MS = 90 * DAY_MS;
/** An id and the time of its event are made one after the other, and clocks differ a little. */
const SLACK_MS = 60_000;

const monthOf = (timeMs: number): string => new Date(timeMs).toISOString().slice(0, 7);

/** The months from one time back to another, newest first. */
const monthsBack = (fromMs: number, toMs: number): string[] => {
  const months: string[] = [];
  const last = monthOf(toMs);
  const at = new Date(fromMs);
  for (let month = monthOf(fromMs); month >= last; month = at.toISOString().slice(0, 7)) {
    months.push(month);
    at.setUTCDate(0);
  }
  return months;
};

/** Where the walk continues behind an event. One that is not there any more still has its place by the time in its id. */
const monthsFrom = async (ports: LedgerPorts, after: string, oldestMs: number): Promise<string[]> => {
  const madeMs = Math.min(decodeTime(after.slice('evt_'.length)), Date.parse(ports.now()));
  const newestMs = madeMs + SLACK_MS;
  const candidates = monthsBack(newestMs, newestMs - 2 * SLACK_MS);
  const found = (await ports.findEventMonth(after, candidates)) ?? monthOf(madeMs);
  return monthsBack(newestMs, oldestMs).filter((month) => month <= found);
};

/** A page of the ledger, newest first. */
export const listEvents = async (
  ports: LedgerPorts,
  query: { kind?: EventKind | undefined; after?: string | undefined; limit: number },
) => {
  const nowMs = Date.parse(ports.now());
  const oldestMs = nowMs - LEDGER_MS;
  const range = { before: query.after, count: query.limit + 1 };
  const walk =
    query.kind === undefined
      ? ports.eventsBackwards({
          ...range,
          months:
            query.after === undefined
              ? monthsBack(nowMs + SLACK_MS, oldestMs)
              : await monthsFrom(ports, query.after, oldestMs),
        })
      : ports.eventsOfKindBackwards(query.kind, range);
  const events: LedgerEvent[] = [];
  for await (const event of walk) {
    // Expiry takes its time; what is older than the ledger shows may still be there.
    if (Date.parse(event.occurred_at) >= oldestMs) events.push(event);
    if (events.length > query.limit) break;
  }
  const hasMore = events.length > query.limit;
  const data = events.slice(0, query.limit);
  return { data, meta: { nextAfter: hasMore ? (data.at(-1)?.id ?? null) : null, hasMore, pageSize: query.limit } };
};
