import type { DatabaseSync } from 'node:sqlite';
import { setImmediate as immediate } from 'node:timers/promises';
import { ruleOf, type Subscription } from '#events/subscriptions.ts';
import { log } from '#platform/log.ts';
import { withTimeLimit } from '#platform/time-limit.ts';
import {
  type BusJournal,
  type DeadDelivery,
  type DeadLetter,
  type EventFilter,
  type JournaledEvent,
  openBusJournal,
  type PendingDelivery,
  type PublishedEvent,
} from './bus-journal.ts';
import { DeliveryQueue } from './delivery-queue.ts';
import type { ImportHandler } from './handlers.ts';
import { lambdaContext } from './lambda-context.ts';
import { matches, type Pattern } from './pattern.ts';
import { type AcceptedEntry, readEntries } from './put-events.ts';
import { pauseAfter, type RetryPolicy, retryPolicy } from './retry-policy.ts';
import type { Storage } from './storage.ts';

/** A handler that is invoked for events and is no subscription. */
interface Trigger {
  /** Id of the handler. */
  readonly id: string;
  readonly pattern: Pattern;
  /** 30 when absent. */
  readonly timeoutSeconds?: number;
}

export interface BusOptions extends Partial<Pick<RetryPolicy, 'firstPauseMs' | 'triesMax'>> {
  readonly journal: DatabaseSync;
  readonly storage: Storage;
  readonly subscriptions: readonly Subscription[];
  readonly triggers?: readonly Trigger[];
  readonly importHandler: ImportHandler;
  /** Called before the first retry of a delivery that was pending when an earlier process ended. */
  readonly beforeResuming?: (subscription: string, messageId: string) => Promise<void>;
}

/** A mock of EventBridge. Accepted events are stored until they are delivered to every matching subscription. */
export interface Bus {
  /** EventBridge's `PutEvents`. @throws {AwsError} for a request that EventBridge rejects as a whole. */
  putEvents(request: unknown): unknown;
  /** Publishes one event of a local part. @returns its id. */
  publish(event: { readonly source: string; readonly kind: string; readonly detail: unknown }): string;
  /** Newest first. */
  events(filter: EventFilter): PublishedEvent[];
  deadLetters(): DeadLetter[];
  /** The deliveries of an event, with its kind. */
  deliveriesOf(id: string): ReturnType<BusJournal['deliveriesOf']>;
  /** Waits for deliveries to a subscription or trigger that are due, for a few seconds at most. */
  flush(subscription: string): Promise<void>;
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

const STOP_MS = 3000;
const FLUSH_MS = 5000;
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
    firstPauseMs = retryPolicy.firstPauseMs,
    triesMax = retryPolicy.triesMax,
  } = options;
  const journal = openBusJournal(options.journal);
  const targets = [...subscriptions.map(subscribed), ...triggers.map(triggered)];
  const resumed = new Set<string>();
  const abandoning = new AbortController();
  const { signal: abandoned } = abandoning;

  const run = async ({ id, timeoutSeconds }: Target, event: JournaledEvent): Promise<void> => {
    const detail = JSON.parse(event.detail) as { id?: unknown };
    // Events without an id are not the service's own and have no deduplication record.
    if (resumed.delete(`${id} ${event.number}`) && typeof detail.id === 'string') await beforeResuming?.(id, detail.id);
    const handler = await importHandler(id);
    const context = lambdaContext(id, event.id, timeoutSeconds);
    await withTimeLimit(timeoutSeconds * 1000, () => handler(eventBridgeEvent(event, detail), context));
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
    const pause = pauseAfter(tries, { ...retryPolicy, firstPauseMs });
    log.warn('a delivery failed and is retried', { ...context, pause_ms: pause });
    await record({ state: 'pending', tries, due: Date.now() + pause, error: message });
  };

  const queues = new Map(
    targets.map((target) => {
      const { id } = target;
      const next = (count: number) => journal.next(id, count);
      return [id, new DeliveryQueue({ id, next, deliver: (delivery) => deliver(target, delivery) })];
    }),
  );

  /** Stores events for delivery. @returns their ids. */
  const accept = (entries: readonly AcceptedEntry[]): string[] => {
    const matched = entries.map(({ source, kind, detail }) => {
      const event = { source, 'detail-type': kind, detail: JSON.parse(detail) as unknown };
      return targets.filter(({ pattern }) => matches(pattern, event));
    });
    const stored = entries.map((entry, position) => ({
      ...entry,
      subscriptions: (matched[position] ?? []).map(({ id }) => id),
    }));
    const ids = storage.write(() => journal.accept(stored));
    for (const { id } of new Set(matched.flat())) setImmediate(() => queues.get(id)?.deliverDue());
    return ids;
  };

  return {
    publish: ({ source, kind, detail }) => {
      const [id = ''] = accept([{ source, kind, time: new Date().toISOString(), detail: JSON.stringify(detail) }]);
      return id;
    },
    putEvents: (request) => {
      const entries = readEntries(request);
      const ids = accept(entries.flatMap((entry) => ('ErrorCode' in entry ? [] : [entry])));
      return {
        FailedEntryCount: entries.length - ids.length,
        Entries: entries.map((entry) => ('ErrorCode' in entry ? entry : { EventId: ids.shift() })),
      };
    },
    events: (filter) => journal.events(filter),
    deadLetters: () => journal.deadLetters(),
    deliveriesOf: (id) => journal.deliveriesOf(id),
    flush: async (id) => {
      // Deliveries of accepted events begin with `setImmediate`.
      await immediate();
      await queues.get(id)?.settled(FLUSH_MS);
    },
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
      // Pending retries are due immediately: their failures may have ended with the last process.
      for (const { event, subscription } of journal.resume()) resumed.add(`${subscription} ${event}`);
      for (const queue of queues.values()) queue.start();
    },
    stop: async () => {
      for (const queue of queues.values()) queue.stop();
      await Promise.all([...queues.values()].map((queue) => queue.settled(STOP_MS)));
      abandoning.abort();
    },
  };
};
