import { randomUUID } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { setTimeout as wait } from 'node:timers/promises';
import * as z from 'zod';
import { SOURCE } from '#events/catalogue.ts';
import { ruleOf } from '#events/publish.ts';
import type { Subscription } from '#events/subscriptions.ts';
import { log } from '#platform/log.ts';
import { AwsFailure } from './aws-failure.ts';
import type { ImportDoor } from './doors.ts';
import { lambdaContext } from './lambda-context.ts';
import { matches } from './pattern.ts';

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

/** How one subscription has fared with one message. */
export interface DeliveryState {
  readonly subscription: string;
  readonly state: 'pending' | 'done' | 'dead';
  readonly tries: number;
  readonly error: string | null;
}

/** What went over the bus. */
export interface CarriedEvent {
  readonly detail: Readonly<Record<string, unknown>>;
  readonly deliveries: readonly DeliveryState[];
}

/** A message that a subscription did not take in all its tries. */
export interface DeadLetter {
  readonly subscription: string;
  readonly kind: string;
  readonly tries: number;
  readonly error: string | null;
  readonly detail: Readonly<Record<string, unknown>>;
}

/** An event bus that keeps what it has accepted until every subscription has taken it. */
export interface Bus {
  /** Answers EventBridge's PutEvents. @throws {AwsFailure} for a request that EventBridge refuses as a whole. */
  putEvents(request: unknown): unknown;
  /** What went over the bus, newest first. */
  carried(filter: { readonly tasksToo: boolean; readonly kind?: string; readonly limit: number }): CarriedEvent[];
  deadLetters(): DeadLetter[];
  /** Begins to deliver, what an earlier run has left first. */
  start(): void;
  /** Takes nothing new in hand; resolves when what is in hand has ended or has been given up for this time. */
  stop(): Promise<void>;
}

const ENTRIES_MAX = 10;
const BYTES_MAX = 256 * 1024;
const FIRST_PAUSE_MS = 200;
const PAUSE_MAX_MS = 60_000;
const TRIES_MAX = 24;
const AT_ONCE = 4;
const STOP_MS = 3000;
const KEPT_DAYS = 90;

const SCHEMA = `
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

const PutEvents = z.object({
  Entries: z
    .array(
      z.object({
        Source: z.string().optional(),
        DetailType: z.string().optional(),
        Detail: z.string().optional(),
        Time: z.number().optional(),
      }),
    )
    .min(1)
    .max(ENTRIES_MAX),
});
type Entry = z.infer<typeof PutEvents>['Entries'][number];

const isObject = (text: string): boolean => {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    // Text that does not parse is no object.
    return false;
  }
};

/** Why EventBridge would refuse one entry. */
const faultOf = (entry: Entry): { ErrorCode: string; ErrorMessage: string } | undefined => {
  for (const name of ['Source', 'DetailType', 'Detail'] as const) {
    if (!entry[name])
      return {
        ErrorCode: 'InvalidArgument',
        ErrorMessage: `Parameter ${name} is not valid. Reason: ${name} is a required argument.`,
      };
  }
  return isObject(entry.Detail ?? '')
    ? undefined
    : { ErrorCode: 'MalformedDetail', ErrorMessage: 'Detail is malformed.' };
};

interface EventRow {
  readonly number: number;
  readonly id: string;
  readonly source: string;
  readonly kind: string;
  readonly time: string;
  readonly detail: string;
}

const inTime = async (work: Promise<unknown>, seconds: number): Promise<void> => {
  const ended = new AbortController();
  const late = wait(seconds * 1000, undefined, { signal: ended.signal }).then(
    () => {
      throw new Error(`It did not end within ${seconds} seconds.`);
    },
    // Stopped because the work has ended.
    () => undefined,
  );
  try {
    await Promise.race([work, late]);
  } finally {
    ended.abort();
  }
};

/** Opens the bus on its journal. */
export const openBus = (options: BusOptions): Bus => {
  const {
    journal,
    subscriptions,
    importDoor,
    beforeResuming,
    firstPauseMs = FIRST_PAUSE_MS,
    triesMax = TRIES_MAX,
  } = options;
  journal.exec(`PRAGMA foreign_keys = ON; ${SCHEMA}`);
  journal
    .prepare(
      `DELETE FROM events WHERE time < ?
         AND NOT EXISTS (SELECT 1 FROM deliveries WHERE event = number AND state <> 'done')`,
    )
    .run(new Date(Date.now() - KEPT_DAYS * 86_400_000).toISOString());

  const rules = subscriptions.map((subscription) => ({ subscription, pattern: ruleOf(subscription) }));
  const insertEvent = journal.prepare('INSERT INTO events (id, source, kind, time, detail) VALUES (?, ?, ?, ?, ?)');
  const insertDelivery = journal.prepare('INSERT INTO deliveries (event, subscription) VALUES (?, ?)');
  const nextDue = journal.prepare(
    `SELECT event, due, tries FROM deliveries INDEXED BY deliveries_due
     WHERE subscription = ? AND state = 'pending' ORDER BY due, event LIMIT ?`,
  );
  const eventOf = journal.prepare('SELECT * FROM events WHERE number = ?');
  const settle = journal.prepare(
    'UPDATE deliveries SET state = ?, tries = ?, due = ?, error = ? WHERE event = ? AND subscription = ?',
  );

  const inherited = new Set<string>();
  let stopped = true;
  let abandoned = false;
  const inHand = new Map<string, Promise<void>>();
  const timers = new Map<string, NodeJS.Timeout>();

  const deliver = async (subscription: Subscription, event: number, triesBefore: number): Promise<void> => {
    const row = eventOf.get(event) as unknown as EventRow;
    const tries = triesBefore + 1;
    const timeoutSeconds = subscription.timeoutSeconds ?? 30;
    try {
      const detail = JSON.parse(row.detail) as { id?: unknown };
      if (inherited.delete(`${subscription.id} ${event}`)) await beforeResuming?.(subscription.id, String(detail.id));
      const handler = await importDoor(subscription.id);
      const message = {
        version: '0',
        id: row.id,
        source: row.source,
        'detail-type': row.kind,
        account: '000000000000',
        time: row.time,
        region: 'local',
        resources: [],
        detail,
      };
      await inTime(handler(message, lambdaContext(subscription.id, row.id, timeoutSeconds)), timeoutSeconds);
      if (abandoned) return;
      settle.run('done', tries, 0, null, event, subscription.id);
    } catch (error) {
      if (abandoned) return;
      const reason = error instanceof Error ? error.message : String(error);
      const about = { subscription: subscription.id, kind: row.kind, tries, error: error as Error };
      if (tries >= triesMax) {
        log.error('a message ends as a dead letter', about);
        settle.run('dead', tries, 0, reason, event, subscription.id);
        return;
      }
      const pause = Math.min(PAUSE_MAX_MS, firstPauseMs * 2 ** triesBefore) * (0.75 + Math.random() / 2);
      log.warn('a message is delivered again later', { ...about, pause_ms: Math.round(pause) });
      settle.run('pending', tries, Date.now() + Math.round(pause), reason, event, subscription.id);
    }
  };

  // Each subscription has its own few deliveries in hand: one that fails or takes long holds up no other.
  const work = (subscription: Subscription): void => {
    if (stopped) return;
    const { id } = subscription;
    clearTimeout(timers.get(id));
    const busy = [...inHand.keys()].filter((key) => key.startsWith(`${id} `)).length;
    if (busy >= AT_ONCE) return;
    const candidates = nextDue.all(id, AT_ONCE + busy) as unknown as { event: number; due: number; tries: number }[];
    let free = AT_ONCE - busy;
    for (const { event, due, tries } of candidates) {
      const key = `${id} ${event}`;
      if (inHand.has(key)) continue;
      const pause = due - Date.now();
      if (pause > 0) {
        timers.set(
          id,
          setTimeout(() => work(subscription), pause),
        );
        return;
      }
      if (free === 0) return;
      free -= 1;
      const done = deliver(subscription, event, tries).finally(() => {
        inHand.delete(key);
        work(subscription);
      });
      inHand.set(key, done);
    }
  };

  const accept = (entries: readonly Entry[]): unknown[] => {
    const waiting = new Set<Subscription>();
    journal.exec('BEGIN IMMEDIATE');
    try {
      const results = entries.map((entry) => {
        const fault = faultOf(entry);
        if (fault) return fault;
        const id = randomUUID();
        const { Source = '', DetailType = '', Detail = '', Time } = entry;
        const time = new Date(Time === undefined ? Date.now() : Time * 1000).toISOString();
        const number = Number(insertEvent.run(id, Source, DetailType, time, Detail).lastInsertRowid);
        for (const { subscription, pattern } of rules) {
          if (!matches(pattern, { source: Source, 'detail-type': DetailType })) continue;
          insertDelivery.run(number, subscription.id);
          waiting.add(subscription);
        }
        return { EventId: id };
      });
      journal.exec('COMMIT');
      for (const subscription of waiting) setImmediate(work, subscription);
      return results;
    } catch (error) {
      journal.exec('ROLLBACK');
      throw error;
    }
  };

  const deliveriesOf = journal.prepare(
    'SELECT subscription, state, tries, error FROM deliveries WHERE event = ? ORDER BY subscription',
  );

  return {
    putEvents: (request) => {
      const parsed = PutEvents.safeParse(request);
      if (!parsed.success) {
        const { path = [], message = '' } = parsed.error.issues[0] ?? {};
        throw new AwsFailure(
          'ValidationException',
          `1 validation error detected: Value at '${path.join('.')}': ${message}`,
        );
      }
      const { Entries: entries } = parsed.data;
      const bytes = entries.reduce(
        (sum, entry) => sum + Buffer.byteLength(`${entry.Detail}${entry.DetailType}${entry.Source}`),
        0,
      );
      if (bytes > BYTES_MAX)
        throw new AwsFailure('ValidationException', 'Total size of the entries in the request is over the limit.');
      const results = accept(entries);
      return {
        FailedEntryCount: results.filter((result) => !Object.hasOwn(result as object, 'EventId')).length,
        Entries: results,
      };
    },
    carried: ({ tasksToo, kind, limit }) => {
      const rows = journal
        .prepare(
          'SELECT * FROM events WHERE (? OR source = ?) AND (? IS NULL OR kind = ?) ORDER BY number DESC LIMIT ?',
        )
        .all(Number(tasksToo), SOURCE, kind ?? null, kind ?? null, limit) as unknown as EventRow[];
      return rows.map((row) => ({
        detail: JSON.parse(row.detail) as Record<string, unknown>,
        deliveries: deliveriesOf.all(row.number) as unknown as DeliveryState[],
      }));
    },
    deadLetters: () => {
      const rows = journal
        .prepare(
          `SELECT subscription, kind, tries, error, detail FROM deliveries INDEXED BY deliveries_dead
           JOIN events ON number = event WHERE state = 'dead' ORDER BY event DESC LIMIT 1000`,
        )
        .all() as unknown as (Omit<DeadLetter, 'detail'> & { detail: string })[];
      return rows.map((row) => ({ ...row, detail: JSON.parse(row.detail) as Record<string, unknown> }));
    },
    start: () => {
      stopped = false;
      // What was put off may have failed for a reason that went away with the last run.
      journal.exec("UPDATE deliveries SET due = 0 WHERE state = 'pending'");
      for (const row of journal.prepare("SELECT subscription, event FROM deliveries WHERE state = 'pending'").all()) {
        inherited.add(`${String(row.subscription)} ${Number(row.event)}`);
      }
      for (const subscription of subscriptions) work(subscription);
    },
    stop: async () => {
      stopped = true;
      for (const timer of timers.values()) clearTimeout(timer);
      const ended = new AbortController();
      // What takes longer is left as pending: the next start begins it again.
      const patience = wait(STOP_MS, undefined, { signal: ended.signal }).catch(() => undefined);
      await Promise.race([Promise.all(inHand.values()), patience]);
      ended.abort();
      abandoned = true;
    },
  };
};
