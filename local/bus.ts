import type { DatabaseSync } from 'node:sqlite';
import { setTimeout as wait } from 'node:timers/promises';
import { ruleOf } from '#events/publish.ts';
import type { Subscription } from '#events/subscriptions.ts';
import { log } from '#platform/log.ts';
import {
  type CarriedEvent,
  type CarriedFilter,
  type DeadLetter,
  type KeptEvent,
  openBusJournal,
  type PendingDelivery,
} from './bus-journal.ts';
import type { ImportDoor } from './doors.ts';
import { inTime } from './in-time.ts';
import { lambdaContext } from './lambda-context.ts';
import { matches } from './pattern.ts';
import { readEntries } from './put-events.ts';

/** How the bus delivers. */
export interface BusOptions {
  readonly journal: DatabaseSync;
  readonly subscriptions: readonly Subscription[];
  readonly importDoor: ImportDoor;
  /** Called before a delivery that an earlier process left behind is begun: what that one was doing has died with it. */
  readonly beforeResuming?: (subscription: string, messageId: string) => Promise<void>;
  /** The pause after the first failure, doubled after each further one. */
  readonly firstPauseMs?: number;
  readonly triesMax?: number;
}

/** An event bus that keeps what it has accepted until every subscription has taken it. */
export interface Bus {
  /** Answers EventBridge's PutEvents. @throws {AwsFailure} for a request that EventBridge refuses as a whole. */
  putEvents(request: unknown): unknown;
  /** What went over the bus, newest first. */
  carried(filter: CarriedFilter): CarriedEvent[];
  deadLetters(): DeadLetter[];
  /** Begins to deliver, what an earlier run has left first. */
  start(): void;
  /** Takes nothing new in hand; resolves when what is in hand has ended or has been given up for this time. */
  stop(): Promise<void>;
}

const FIRST_PAUSE_MS = 200;
const PAUSE_MAX_MS = 60_000;
const TRIES_MAX = 24;
const AT_ONCE = 4;
const STOP_MS = 3000;
const TIMEOUT_SECONDS = 30;

const eventBridgeEvent = ({ id, source, kind, time }: KeptEvent, detail: unknown) => ({
  version: '0',
  id,
  source,
  'detail-type': kind,
  account: '000000000000',
  time,
  region: 'local',
  resources: [],
  detail,
});

/** Opens the bus on its journal. */
export const openBus = (options: BusOptions): Bus => {
  const { subscriptions, importDoor, beforeResuming, firstPauseMs = FIRST_PAUSE_MS, triesMax = TRIES_MAX } = options;
  const journal = openBusJournal(options.journal);
  const rules = subscriptions.map((subscription) => ({ subscription, pattern: ruleOf(subscription) }));
  const inherited = new Set<string>();
  const inHand = new Map<string, Promise<void>>();
  const timers = new Map<string, NodeJS.Timeout>();
  let stopped = true;
  let abandoned = false;

  const run = async (subscription: Subscription, event: KeptEvent): Promise<void> => {
    const { id, timeoutSeconds = TIMEOUT_SECONDS } = subscription;
    const detail = JSON.parse(event.detail) as { id?: unknown };
    if (inherited.delete(`${id} ${event.number}`)) await beforeResuming?.(id, String(detail.id));
    const handler = await importDoor(id);
    const running = handler(eventBridgeEvent(event, detail), lambdaContext(id, event.id, timeoutSeconds));
    await inTime(running, timeoutSeconds, () => new Error(`It did not end within ${timeoutSeconds} seconds.`));
  };

  const deliver = async (subscription: Subscription, { event: number, tries: triesBefore }: PendingDelivery) => {
    const event = journal.event(number);
    const tries = triesBefore + 1;
    let failure: unknown;
    try {
      await run(subscription, event);
    } catch (error) {
      failure = error instanceof Error ? error : new Error(String(error));
    }
    // The journal is closed, or will be in a moment; the next start finds the delivery as it was.
    if (abandoned) return;
    if (!(failure instanceof Error)) {
      journal.settle(number, subscription.id, { state: 'done', tries });
      return;
    }
    const { message } = failure;
    const about = { subscription: subscription.id, kind: event.kind, tries, error: failure };
    if (tries >= triesMax) {
      log.error('a message ends as a dead letter', about);
      journal.settle(number, subscription.id, { state: 'dead', tries, error: message });
      return;
    }
    const pause = Math.round(Math.min(PAUSE_MAX_MS, firstPauseMs * 2 ** triesBefore) * (0.75 + Math.random() / 2));
    log.warn('a message is delivered again later', { ...about, pause_ms: pause });
    journal.settle(number, subscription.id, { state: 'pending', tries, due: Date.now() + pause, error: message });
  };

  // Each subscription has its own few deliveries in hand: one that fails or takes long holds up no other.
  const work = (subscription: Subscription): void => {
    if (stopped) return;
    const { id } = subscription;
    clearTimeout(timers.get(id));
    const busy = [...inHand.keys()].filter((key) => key.startsWith(`${id} `)).length;
    const waiting = journal.next(id, AT_ONCE + busy).filter(({ event }) => !inHand.has(`${id} ${event}`));
    for (const delivery of waiting.slice(0, AT_ONCE - busy)) {
      const pause = delivery.due - Date.now();
      if (pause > 0) {
        const timer = setTimeout(() => work(subscription), pause);
        timers.set(id, timer);
        return;
      }
      const key = `${id} ${delivery.event}`;
      const done = deliver(subscription, delivery).finally(() => {
        inHand.delete(key);
        work(subscription);
      });
      inHand.set(key, done);
    }
  };

  return {
    putEvents: (request) => {
      const entries = readEntries(request);
      const accepted = entries.flatMap((entry) => ('ErrorCode' in entry ? [] : [entry]));
      const matched = accepted.map((entry) =>
        rules.filter(({ pattern }) => matches(pattern, { source: entry.source, 'detail-type': entry.kind })),
      );
      const ids = journal.accept(
        accepted.map((entry, position) => ({
          ...entry,
          subscriptions: (matched[position] ?? []).map(({ subscription }) => subscription.id),
        })),
      );
      for (const { subscription } of new Set(matched.flat())) setImmediate(work, subscription);
      return {
        FailedEntryCount: entries.length - accepted.length,
        Entries: entries.map((entry) => ('ErrorCode' in entry ? entry : { EventId: ids.shift() })),
      };
    },
    carried: (filter) => journal.carried(filter),
    deadLetters: () => journal.deadLetters(),
    start: () => {
      stopped = false;
      // What was put off may have failed for a reason that went away with the last run, so all of it is due now.
      for (const { event, subscription } of journal.resume()) inherited.add(`${subscription} ${event}`);
      for (const subscription of subscriptions) work(subscription);
    },
    stop: async () => {
      stopped = true;
      for (const timer of timers.values()) clearTimeout(timer);
      const ended = new AbortController();
      // Ended early when everything in hand has ended, which is no failure.
      const patience = wait(STOP_MS, undefined, { signal: ended.signal }).catch(() => undefined);
      await Promise.race([Promise.all(inHand.values()), patience]);
      ended.abort();
      abandoned = true;
    },
  };
};
