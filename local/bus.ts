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
import { matches, type Pattern } from './pattern.ts';
import { readEntries } from './put-events.ts';

/** Who else is started by what goes over the bus, as a subscription is. */
export interface Trigger {
  /** The door. */
  readonly id: string;
  readonly source: string;
  readonly kinds: readonly string[];
}

/** How the bus delivers. */
export interface BusOptions {
  readonly journal: DatabaseSync;
  readonly subscriptions: readonly Subscription[];
  readonly triggers?: readonly Trigger[];
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

/** Whoever the bus delivers to. */
interface Listener {
  readonly id: string;
  readonly timeoutSeconds: number;
  readonly pattern: Pattern;
}

const subscribed = (subscription: Subscription): Listener => ({
  id: subscription.id,
  timeoutSeconds: subscription.timeoutSeconds ?? TIMEOUT_SECONDS,
  pattern: ruleOf(subscription),
});

const triggered = ({ id, source, kinds }: Trigger): Listener => ({
  id,
  timeoutSeconds: TIMEOUT_SECONDS,
  pattern: { source: [source], 'detail-type': kinds },
});

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
  const {
    subscriptions,
    triggers = [],
    importDoor,
    beforeResuming,
    firstPauseMs = FIRST_PAUSE_MS,
    triesMax = TRIES_MAX,
  } = options;
  const journal = openBusJournal(options.journal);
  const listeners = [...subscriptions.map(subscribed), ...triggers.map(triggered)];
  const inherited = new Set<string>();
  const inHand = new Map<string, Promise<void>>();
  const timers = new Map<string, NodeJS.Timeout>();
  let stopped = true;
  let abandoned = false;

  const run = async ({ id, timeoutSeconds }: Listener, event: KeptEvent): Promise<void> => {
    const detail = JSON.parse(event.detail) as { id?: unknown };
    // What is no message of ours has no id, and nobody has noted that he is at it.
    if (inherited.delete(`${id} ${event.number}`) && typeof detail.id === 'string')
      await beforeResuming?.(id, detail.id);
    const handler = await importDoor(id);
    const running = handler(eventBridgeEvent(event, detail), lambdaContext(id, event.id, timeoutSeconds));
    await inTime(running, timeoutSeconds, () => new Error(`It did not end within ${timeoutSeconds} seconds.`));
  };

  const deliver = async (listener: Listener, { event: number, tries: triesBefore }: PendingDelivery) => {
    const event = journal.event(number);
    const tries = triesBefore + 1;
    let failure: unknown;
    try {
      await run(listener, event);
    } catch (error) {
      failure = error instanceof Error ? error : new Error(String(error));
    }
    // The journal is closed, or will be in a moment; the next start finds the delivery as it was.
    if (abandoned) return;
    if (!(failure instanceof Error)) {
      journal.settle(number, listener.id, { state: 'done', tries });
      return;
    }
    const { message } = failure;
    const about = { subscription: listener.id, kind: event.kind, tries, error: failure };
    if (tries >= triesMax) {
      log.error('a message ends as a dead letter', about);
      journal.settle(number, listener.id, { state: 'dead', tries, error: message });
      return;
    }
    const pause = Math.round(Math.min(PAUSE_MAX_MS, firstPauseMs * 2 ** triesBefore) * (0.75 + Math.random() / 2));
    log.warn('a message is delivered again later', { ...about, pause_ms: pause });
    journal.settle(number, listener.id, { state: 'pending', tries, due: Date.now() + pause, error: message });
  };

  // Each subscription has its own few deliveries in hand: one that fails or takes long holds up no other.
  const work = (listener: Listener): void => {
    if (stopped) return;
    const { id } = listener;
    clearTimeout(timers.get(id));
    const busy = [...inHand.keys()].filter((key) => key.startsWith(`${id} `)).length;
    const waiting = journal.next(id, AT_ONCE + busy).filter(({ event }) => !inHand.has(`${id} ${event}`));
    for (const delivery of waiting.slice(0, AT_ONCE - busy)) {
      const pause = delivery.due - Date.now();
      if (pause > 0) {
        const timer = setTimeout(() => work(listener), pause);
        timers.set(id, timer);
        return;
      }
      const key = `${id} ${delivery.event}`;
      const done = deliver(listener, delivery).finally(() => {
        inHand.delete(key);
        work(listener);
      });
      inHand.set(key, done);
    }
  };

  return {
    putEvents: (request) => {
      const entries = readEntries(request);
      const accepted = entries.flatMap((entry) => ('ErrorCode' in entry ? [] : [entry]));
      const matched = accepted.map((entry) =>
        listeners.filter(({ pattern }) => matches(pattern, { source: entry.source, 'detail-type': entry.kind })),
      );
      const ids = journal.accept(
        accepted.map((entry, position) => ({
          ...entry,
          subscriptions: (matched[position] ?? []).map(({ id }) => id),
        })),
      );
      for (const listener of new Set(matched.flat())) setImmediate(work, listener);
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
      for (const listener of listeners) work(listener);
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
