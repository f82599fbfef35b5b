import { randomUUID } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { SOURCE, TASK_SOURCE } from '#events/catalogue.ts';
import { inTransaction } from './journal.ts';
import type { AcceptedEntry } from './put-events.ts';

/** The delivery of an event to a subscription. */
export interface DeliveryState {
  readonly subscription: string;
  /** `moved`: its dead letter was moved into the table. */
  readonly state: 'pending' | 'done' | 'dead' | 'moved';
  readonly tries: number;
  readonly error: string | null;
}

/** An event with its deliveries. */
export interface PublishedEvent {
  readonly detail: Readonly<Record<string, unknown>>;
  readonly deliveries: readonly DeliveryState[];
}

/** An event whose delivery to a subscription failed in every attempt. */
export interface DeadLetter {
  readonly subscription: string;
  readonly kind: string;
  readonly tries: number;
  readonly error: string | null;
  readonly detail: Readonly<Record<string, unknown>>;
}

export interface EventFilter {
  /** Includes the service's internal tasks. */
  readonly includeTasks: boolean;
  readonly kind?: string;
  readonly limit: number;
}

export interface JournaledEvent {
  readonly number: number;
  readonly id: string;
  readonly source: string;
  readonly kind: string;
  readonly time: string;
  readonly detail: string;
}

export interface PendingDelivery {
  readonly event: number;
  /** In milliseconds since the epoch. */
  readonly due: number;
  readonly tries: number;
}

/** A delivery that failed in every attempt. */
export interface DeadDelivery {
  readonly event: number;
  /** When it failed, in milliseconds since the epoch. */
  readonly due: number;
  readonly tries: number;
  readonly error: string | null;
}

/** The result of an attempt. */
interface DeliveryUpdate {
  readonly state: DeliveryState['state'];
  readonly tries: number;
  readonly due?: number;
  readonly error?: string;
}

/** Accepted events and the state of their deliveries. */
export interface BusJournal {
  /** Stores events with a delivery per subscription, in one transaction. @returns the ids of the events. */
  accept(entries: readonly (AcceptedEntry & { readonly subscriptions: readonly string[] })[]): string[];
  event(number: number): JournaledEvent;
  /** The next pending deliveries of a subscription, in the order of their due times. */
  next(subscription: string, count: number): PendingDelivery[];
  record(event: number, subscription: string, update: DeliveryUpdate): void;
  /** Makes all pending deliveries due. @returns them. */
  resume(): { readonly event: number; readonly subscription: string }[];
  /** Newest first. */
  events(filter: EventFilter): PublishedEvent[];
  deadLetters(): DeadLetter[];
  /** The deliveries of an event, with its kind. */
  deliveriesOf(id: string): (DeliveryState & { readonly kind: string })[];
  /** The dead letters of a subscription, oldest first. */
  dead(subscription: string): DeadDelivery[];
}

const RETENTION_DAYS = 90;
const DEAD_LETTERS_MAX = 1000;

const SCHEMA = `
  PRAGMA foreign_keys = ON;
  CREATE TABLE IF NOT EXISTS events (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL, source TEXT NOT NULL, kind TEXT NOT NULL, time TEXT NOT NULL, detail TEXT NOT NULL
  );
  CREATE TABLE IF NOT EXISTS deliveries (
    event INTEGER NOT NULL REFERENCES events (number) ON DELETE CASCADE,
    subscription TEXT NOT NULL,
    state TEXT NOT NULL DEFAULT 'pending',
    tries INTEGER NOT NULL DEFAULT 0,
    due INTEGER NOT NULL DEFAULT 0,
    error TEXT,
    PRIMARY KEY (event, subscription)
  ) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS deliveries_due ON deliveries (subscription, due, event) WHERE state = 'pending';
  CREATE INDEX IF NOT EXISTS deliveries_dead ON deliveries (event) WHERE state = 'dead';
`;

const parsed = (detail: string): Record<string, unknown> => JSON.parse(detail) as Record<string, unknown>;

/** Opens the tables of the bus and deletes old events that are delivered. */
export const openBusJournal = (journal: DatabaseSync): BusJournal => {
  journal.exec(SCHEMA);
  journal
    .prepare(
      `DELETE FROM events WHERE time < ?
         AND NOT EXISTS (SELECT 1 FROM deliveries WHERE event = number AND state NOT IN ('done', 'moved'))`,
    )
    .run(new Date(Date.now() - RETENTION_DAYS * 86_400_000).toISOString());

  const insertEvent = journal.prepare('INSERT INTO events (id, source, kind, time, detail) VALUES (?, ?, ?, ?, ?)');
  const insertDelivery = journal.prepare('INSERT INTO deliveries (event, subscription) VALUES (?, ?)');
  const findEvent = journal.prepare('SELECT * FROM events WHERE number = ?');
  const findNext = journal.prepare(
    `SELECT event, due, tries FROM deliveries INDEXED BY deliveries_due
     WHERE subscription = ? AND state = 'pending' ORDER BY due, event LIMIT ?`,
  );
  const update = journal.prepare(
    'UPDATE deliveries SET state = ?, tries = ?, due = ?, error = ? WHERE event = ? AND subscription = ?',
  );
  const listEvents = journal.prepare(
    'SELECT * FROM events WHERE (source = ? OR (? AND source = ?)) AND (? IS NULL OR kind = ?) ORDER BY number DESC LIMIT ?',
  );
  const listDeliveries = journal.prepare(
    'SELECT subscription, state, tries, error FROM deliveries WHERE event = ? ORDER BY subscription',
  );
  const listDead = journal.prepare(
    `SELECT subscription, kind, tries, error, detail FROM deliveries INDEXED BY deliveries_dead
     JOIN events ON number = event WHERE state = 'dead' ORDER BY event DESC LIMIT ${DEAD_LETTERS_MAX}`,
  );

  const listDeadOf = journal.prepare(
    `SELECT event, due, tries, deliveries.error FROM deliveries INDEXED BY deliveries_dead
     WHERE state = 'dead' AND subscription = ? ORDER BY event LIMIT ${DEAD_LETTERS_MAX}`,
  );

  return {
    accept: (entries) =>
      inTransaction(journal, () =>
        entries.map(({ source, kind, time, detail, subscriptions }) => {
          const id = randomUUID();
          const { lastInsertRowid } = insertEvent.run(id, source, kind, time, detail);
          for (const subscription of subscriptions) insertDelivery.run(lastInsertRowid, subscription);
          return id;
        }),
      ),
    event: (number) => findEvent.get(number) as unknown as JournaledEvent,
    next: (subscription, count) => findNext.all(subscription, count) as unknown as PendingDelivery[],
    record: (event, subscription, { state, tries, due = 0, error = null as string | null }) => {
      update.run(state, tries, due, error, event, subscription);
    },
    resume: () => {
      journal.exec("UPDATE deliveries SET due = 0 WHERE state = 'pending'");
      return journal
        .prepare("SELECT event, subscription FROM deliveries WHERE state = 'pending'")
        .all() as unknown as ReturnType<BusJournal['resume']>;
    },
    events: ({ includeTasks, kind = null as string | null, limit }) =>
      (listEvents.all(SOURCE, Number(includeTasks), TASK_SOURCE, kind, kind, limit) as unknown as JournaledEvent[]).map(
        (event) => ({
          detail: parsed(event.detail),
          deliveries: listDeliveries.all(event.number) as unknown as DeliveryState[],
        }),
      ),
    deliveriesOf: (id) =>
      journal
        .prepare(
          'SELECT kind, subscription, state, tries, error FROM events JOIN deliveries ON event = number WHERE id = ?',
        )
        .all(id) as unknown as ReturnType<BusJournal['deliveriesOf']>,
    dead: (subscription) => listDeadOf.all(subscription) as unknown as DeadDelivery[],
    deadLetters: () =>
      (listDead.all() as unknown as (Omit<DeadLetter, 'detail'> & { detail: string })[]).map((letter) => ({
        ...letter,
        detail: parsed(letter.detail),
      })),
  };
};
