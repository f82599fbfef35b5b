import type { DatabaseSync } from 'node:sqlite';
import { setTimeout as wait } from 'node:timers/promises';
import { ruleOf, type Subscription } from '#events/subscriptions.ts';
import { log } from '#platform/log.ts';
import {
  type DeadDelivery,
  type DeadLetter,
  type EventFilter,
  type JournaledEvent,
  openBusJournal,
  type PendingDelivery,
  type PublishedEvent,
} from './bus-journal.ts';
import { withDeadline } from './deadline.ts';
import type { ImportHandler } from './handlers.ts';
import { lambdaContext } from './lambda-context.ts';
import { matches, type Pattern } from './pattern.ts';
import { readEntries } from './put-events.ts';
import type { Storage } from './storage.ts';

/** A handler that is invoked for events and is no subscription. */
export interface Trigger {
  /** Id of the handler. */
  readonly id: string;
  readonly pattern: Pattern;
  /** 30 when absent. */
  readonly timeoutSeconds?: number;
}

export interface BusOptions {
  readonly journal: DatabaseSync;
  readonly storage: Storage;
  readonly subscriptions: readonly Subscription[];
  readonly triggers?: readonly Trigger[];
  readonly importHandler: ImportHandler;
  /** Called before the first retry of a delivery that was pending when an earlier process ended. */
  readonly beforeResuming?: (subscription: string, messageId: string) => Promise<void>;
  /** The pause after the first failure, doubled after each further one, in milliseconds. */
  readonly firstPauseMs?: number;
  readonly triesMax?: number;
}

/** A mock of EventBridge. Accepted events are stored until they are delivered to every matching subscription. */
export interface Bus {
  /** EventBridge's `PutEvents`. @throws {AwsError} for a request that EventBridge rejects as a whole. */
  putEvents(request: unknown): unknown;
  /** Newest first. */
  events(filter: EventFilter): PublishedEvent[];
  deadLetters(): DeadLetter[];
  /** The dead letters of a subscription or trigger, oldest first. */
  deadMessages(subscription: string): DeadMessage[];
  /** Records that a dead letter was moved into the table. */
  removeDeadMessage(subscription: string, message: Pick<DeadMessage, 'event'>): void;
  /** @throws {StorageFailure} when no event can be stored. */
  check(): void;
  /** Starts delivery, beginning with what an earlier process left pending. */
  start(): void;
  /** Starts no more deliveries and waits for running ones, for a few seconds at most. */
  stop(): Promise<void>;
}

/** A dead letter as its queue returns it. */
export interface DeadMessage extends DeadDelivery {
  /** The id of the event on the bus. */
  readonly id: string;
  /** The event as the bus delivered it, in JSON. */
  readonly body: string;
}

const FIRST_PAUSE_MS = 200;
const PAUSE_MAX_MS = 60_000;
/** The pause after pending deliveries could not be read. */
const UNREADABLE_PAUSE_MS = 5000;
const TRIES_MAX = 24;
/** Per subscription, so that a slow one does not delay others. */
const CONCURRENCY = 4;
const STOP_MS = 3000;
const TIMEOUT_SECONDS = 30;

interface Target {
  readonly id: string;
  readonly timeoutSeconds: number;
  readonly pattern: Pattern;
}

const subscribed = (subscription: Subscription): Target => ({
  id: subscription.id,
  timeoutSeconds: subscription.timeoutSeconds ?? TIMEOUT_SECONDS,
  pattern: ruleOf(subscription),
});

const triggered = ({ id, pattern, timeoutSeconds = TIMEOUT_SECONDS }: Trigger): Target => ({
  id,
  timeoutSeconds,
  pattern,
});

const eventBridgeEvent = ({ id, source, kind, time }: JournaledEvent, detail: unknown) => ({
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

/** Opens the bus; its state is kept in the journal. */
export const openBus = (options: BusOptions): Bus => {
  const {
    storage,
    subscriptions,
    triggers = [],
    importHandler,
    beforeResuming,
    firstPauseMs = FIRST_PAUSE_MS,
    triesMax = TRIES_MAX,
  } = options;
  const journal = openBusJournal(options.journal);
  const targets = [...subscriptions.map(subscribed), ...triggers.map(triggered)];
  const resumed = new Set<string>();
  const running = new Map<string, Promise<void>>();
  const timers = new Map<string, NodeJS.Timeout>();
  let stopped = true;
  const abandoning = new AbortController();
  const { signal: abandoned } = abandoning;

  const run = async ({ id, timeoutSeconds }: Target, event: JournaledEvent): Promise<void> => {
    const detail = JSON.parse(event.detail) as { id?: unknown };
    // Events without an id are not the service's own and have no deduplication record.
    if (resumed.delete(`${id} ${event.number}`) && typeof detail.id === 'string') await beforeResuming?.(id, detail.id);
    const handler = await importHandler(id);
    const invocation = handler(eventBridgeEvent(event, detail), lambdaContext(id, event.id, timeoutSeconds));
    await withDeadline(invocation, timeoutSeconds, () => new Error(`Timed out after ${timeoutSeconds} seconds.`));
  };

  const deliver = async (target: Target, { event: number, tries: triesBefore }: PendingDelivery) => {
    const event = journal.event(number);
    const tries = triesBefore + 1;
    let failure: unknown;
    try {
      await run(target, event);
    } catch (error) {
      failure = error instanceof Error ? error : new Error(String(error));
    }
    // The journal may be closed; the delivery stays pending for the next start.
    if (abandoned.aborted) return;
    // A delivery whose outcome cannot be stored stays running, so that it is not repeated at once.
    const record = (update: Parameters<typeof journal.record>[2]) =>
      storage.writeUntilDone(() => journal.record(number, target.id, update), abandoned);
    if (!(failure instanceof Error)) {
      await record({ state: 'done', tries });
      return;
    }
    const { message } = failure;
    const context = { subscription: target.id, kind: event.kind, tries, error: failure };
    if (tries >= triesMax) {
      log.error('an event became a dead letter', context);
      await record({ state: 'dead', tries, due: Date.now(), error: message });
      return;
    }
    const pause = Math.round(Math.min(PAUSE_MAX_MS, firstPauseMs * 2 ** triesBefore) * (0.75 + Math.random() / 2));
    log.warn('a delivery failed and is retried', { ...context, pause_ms: pause });
    await record({ state: 'pending', tries, due: Date.now() + pause, error: message });
  };

  const deliverDue = (target: Target): void => {
    if (stopped) return;
    const { id } = target;
    clearTimeout(timers.get(id));
    const busy = [...running.keys()].filter((key) => key.startsWith(`${id} `)).length;
    let next: readonly PendingDelivery[];
    try {
      next = journal.next(id, CONCURRENCY + busy);
    } catch (error) {
      log.warn('pending deliveries could not be read', { subscription: id, error: error as Error });
      timers.set(
        id,
        setTimeout(() => deliverDue(target), UNREADABLE_PAUSE_MS),
      );
      return;
    }
    const waiting = next.filter(({ event }) => !running.has(`${id} ${event}`));
    for (const delivery of waiting.slice(0, CONCURRENCY - busy)) {
      const pause = delivery.due - Date.now();
      if (pause > 0) {
        const timer = setTimeout(() => deliverDue(target), pause);
        timers.set(id, timer);
        return;
      }
      const key = `${id} ${delivery.event}`;
      const done = deliver(target, delivery).finally(() => {
        running.delete(key);
        deliverDue(target);
      });
      running.set(key, done);
    }
  };

  return {
    putEvents: (request) => {
      const entries = readEntries(request);
      const accepted = entries.flatMap((entry) => ('ErrorCode' in entry ? [] : [entry]));
      const matched = accepted.map(({ source, kind, detail }) => {
        const event = { source, 'detail-type': kind, detail: JSON.parse(detail) as unknown };
        return targets.filter(({ pattern }) => matches(pattern, event));
      });
      const stored = accepted.map((entry, position) => ({
        ...entry,
        subscriptions: (matched[position] ?? []).map(({ id }) => id),
      }));
      const ids = storage.write(() => journal.accept(stored));
      for (const target of new Set(matched.flat())) setImmediate(deliverDue, target);
      return {
        FailedEntryCount: entries.length - accepted.length,
        Entries: entries.map((entry) => ('ErrorCode' in entry ? entry : { EventId: ids.shift() })),
      };
    },
    events: (filter) => journal.events(filter),
    deadLetters: () => journal.deadLetters(),
    deadMessages: (subscription) =>
      journal.dead(subscription).map((delivery) => {
        const event = journal.event(delivery.event);
        return { ...delivery, id: event.id, body: JSON.stringify(eventBridgeEvent(event, JSON.parse(event.detail))) };
      }),
    removeDeadMessage: (subscription, { event }) => {
      const found = journal.dead(subscription).find((delivery) => delivery.event === event);
      if (!found) return;
      const { tries, error } = found;
      storage.write(() =>
        journal.record(event, subscription, { state: 'moved', tries, ...(error !== null && { error }) }),
      );
    },
    check: () => storage.check(),
    start: () => {
      stopped = false;
      // Pending retries are due immediately: their failures may have ended with the last process.
      for (const { event, subscription } of journal.resume()) resumed.add(`${subscription} ${event}`);
      for (const target of targets) deliverDue(target);
    },
    stop: async () => {
      stopped = true;
      for (const timer of timers.values()) clearTimeout(timer);
      const deadline = new AbortController();
      const timeout = wait(STOP_MS, undefined, { signal: deadline.signal }).catch(() => undefined);
      await Promise.race([Promise.all(running.values()), timeout]);
      deadline.abort();
      abandoning.abort();
    },
  };
};
