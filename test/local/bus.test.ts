import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import type { EventBridgeEvent } from 'aws-lambda';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Subscription } from '#events/subscriptions.ts';
import { type Bus, openBus } from '#local/bus.ts';
import type { LambdaHandler } from '#local/handlers.ts';
import { openJournal } from '#local/journal.ts';
import { watchStorage } from '#local/storage.ts';
import { log } from '#platform/log.ts';
import { until } from '#test/support/until.ts';
import { withClockAhead, YEARS_AHEAD_MS } from '#test/support/virtual-time.ts';

log.setLogLevel('SILENT');

type Delivery = EventBridgeEvent<string, { id: string }>;

const subscription = (id: string, kinds: Subscription['kinds'], timeoutSeconds?: number): Subscription => ({
  id,
  summary: 'For the test',
  kinds,
  permissions: [],
  ...(timeoutSeconds !== undefined && { timeoutSeconds }),
});
const approvals = subscription('test.approvals', ['projectApproved']);
const everything = subscription('test.everything', ['projectApproved', 'projectSubmitted']);
const tasks = subscription('test.tasks', ['projectPurged']);

let folder: string;
let open: { bus: Bus; journal: DatabaseSync }[];
let seen: Record<string, Delivery[]>;

const openOn = (
  subscriptions: readonly Subscription[],
  handlers: Readonly<Record<string, (event: Delivery) => Promise<unknown>>> = {},
  triesMax = 24,
): Bus => {
  const journal = openJournal(path.join(folder, 'journal.sqlite'));
  const importHandler =
    async (id: string): Promise<LambdaHandler> =>
    async (event) => {
      seen[id] = [...(seen[id] ?? []), event as Delivery];
      await handlers[id]?.(event as Delivery);
    };
  const bus = openBus({
    journal,
    storage: watchStorage(journal, folder),
    subscriptions,
    importHandler,
    firstPauseMs: 5,
    triesMax,
  });
  open.push({ bus, journal });
  bus.start();
  return bus;
};

const close = async (): Promise<void> => {
  for (const { bus, journal } of open.splice(0)) {
    await bus.stop();
    journal.close();
  }
};

const entry = (id: string, kind = 'projectApproved', source = 'directory') => ({
  Source: source,
  DetailType: kind,
  Detail: JSON.stringify({ id, kind, data: {} }),
  Time: 1_700_000_000,
});

const idsOf = (name: string): string[] => (seen[name] ?? []).map(({ detail }) => detail.id);

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'bus-'));
  open = [];
  seen = {};
});

afterEach(async () => {
  await close();
  rmSync(folder, { recursive: true, force: true });
});

it('the bus delivers matching events to each subscription, in the format of EventBridge', async () => {
  const bus = openOn([approvals, everything, tasks]);
  bus.putEvents({
    Entries: [
      entry('one'),
      entry('two', 'projectSubmitted'),
      entry('three', 'projectPurged', 'directory.tasks'),
      entry('four', 'projectPurged', 'another.source'),
      entry('five', 'commentCreated'),
    ],
  });
  const counts = () => ['test.approvals', 'test.everything', 'test.tasks'].map((name) => idsOf(name).length).join();
  await until(() => counts() === '1,2,1');
  expect(seen).toMatchObject({ 'test.approvals': [{}], 'test.everything': [{}, {}], 'test.tasks': [{}] });
  expect(seen['test.approvals']?.[0]).toEqual({
    version: '0',
    id: expect.stringMatching(/^[\da-f-]{36}$/),
    source: 'directory',
    'detail-type': 'projectApproved',
    account: '000000000000',
    time: '2023-11-14T22:13:20.000Z',
    region: 'local',
    resources: [],
    detail: { id: 'one', kind: 'projectApproved', data: {} },
  });
});

it('the bus retries failed deliveries, and a failing subscriber does not delay others', async () => {
  let failures = 0;
  const bus = openOn([approvals, everything], {
    'test.approvals': async () => {
      failures += 1;
      if (failures < 4) throw new Error('not today');
    },
  });
  bus.putEvents({ Entries: [entry('one')] });
  await until(() => idsOf('test.everything').length === 1);
  await until(() => failures === 4);
  await until(() => bus.events({ includeTasks: true, limit: 1 })[0]?.deliveries[0]?.state === 'done');
  expect(bus.events({ includeTasks: true, limit: 1 })[0]?.deliveries).toEqual([
    { subscription: 'test.approvals', state: 'done', tries: 4, error: null },
    { subscription: 'test.everything', state: 'done', tries: 1, error: null },
  ]);
});

it('the bus delivers later events while an earlier one keeps failing', async () => {
  const bus = openOn([approvals], {
    'test.approvals': async ({ detail }) => {
      if (detail.id.startsWith('bad')) throw new Error('never');
    },
  });
  bus.putEvents({
    Entries: [entry('bad1'), entry('bad2'), entry('bad3'), entry('bad4'), entry('bad5'), entry('good')],
  });
  await until(() => idsOf('test.approvals').includes('good'));
});

it('the bus retries a delivery soon that failed before the clock was set back', async () => {
  const right = Date.now();
  const bus = openOn([approvals], {
    'test.approvals': async () => {
      if (Date.now() > right + YEARS_AHEAD_MS) throw new Error('not in these years');
    },
  });
  const delivery = () => bus.events({ includeTasks: true, limit: 1 })[0]?.deliveries[0];
  await withClockAhead(YEARS_AHEAD_MS, async () => {
    bus.putEvents({ Entries: [entry('one')] });
    await until(() => Number(delivery()?.tries) > 0);
  });
  await until(() => delivery()?.state === 'done');
});

it('an event becomes a dead letter after the last attempt', async () => {
  const bus = openOn([approvals], { 'test.approvals': () => Promise.reject(new Error('never')) }, 3);
  bus.putEvents({ Entries: [entry('one')] });
  await until(() => bus.deadLetters().length === 1);
  expect(idsOf('test.approvals')).toEqual(['one', 'one', 'one']);
  expect(bus.deadLetters()).toEqual([
    {
      subscription: 'test.approvals',
      kind: 'projectApproved',
      tries: 3,
      error: 'never',
      detail: { id: 'one', kind: 'projectApproved', data: {} },
    },
  ]);
});

it('a delivery that exceeds its timeout is a failed one', async () => {
  const { promise: end, resolve } = Promise.withResolvers<void>();
  const bus = openOn([subscription('test.slow', ['projectApproved'], 0.02)], { 'test.slow': () => end }, 1);
  bus.putEvents({ Entries: [entry('one')] });
  await until(() => bus.deadLetters().length === 1);
  expect(bus.deadLetters()[0]?.error).toBe('The time limit of 20 ms was exceeded.');
  resolve();
});

it('the bus limits the concurrent deliveries of a subscription', async () => {
  let [running, most] = [0, 0];
  const { promise: four, resolve } = Promise.withResolvers<void>();
  const bus = openOn([approvals], {
    'test.approvals': async () => {
      running += 1;
      most = Math.max(most, running);
      if (running === 4) resolve();
      await four;
      running -= 1;
    },
  });
  for (let batch = 0; batch < 5; batch += 1) {
    bus.putEvents({ Entries: Array.from({ length: 10 }, (_, n) => entry(`${batch}-${n}`)) });
  }
  await until(() => idsOf('test.approvals').length === 50);
  await until(() => running === 0);
  expect(most).toBe(4);
  expect(new Set(idsOf('test.approvals')).size).toBe(50);
});

it('the bus continues after a restart with pending deliveries', async () => {
  const bus = openOn([approvals, everything], { 'test.approvals': () => Promise.reject(new Error('not yet')) });
  bus.putEvents({ Entries: [entry('one'), entry('two')] });
  await until(() => idsOf('test.everything').length === 2 && idsOf('test.approvals').length >= 2);
  await close();
  seen = {};

  const again = openOn([approvals, everything]);
  await until(() => idsOf('test.approvals').length === 2);
  expect(idsOf('test.everything')).toEqual([]);
  expect(again.events({ includeTasks: true, limit: 9 })).toHaveLength(2);
});

it('PutEvents rejects invalid requests as EventBridge does', () => {
  const bus = openOn([approvals]);
  expect(() => bus.putEvents({ Entries: [] })).toThrow(/validation error/i);
  expect(() => bus.putEvents({ Entries: Array.from({ length: 11 }, () => entry('x')) })).toThrow(/validation error/i);
  expect(() => bus.putEvents({})).toThrow(/validation error/i);
  expect(() =>
    bus.putEvents({ Entries: [{ ...entry('x'), Detail: JSON.stringify({ x: 'x'.repeat(300_000) }) }] }),
  ).toThrow(/size/);
  expect(
    bus.putEvents({
      Entries: [
        entry('good'),
        { ...entry('x'), Detail: 'no json' },
        { ...entry('x'), Detail: '[]' },
        { Detail: '{}', DetailType: 'x' },
      ],
    }),
  ).toMatchObject({
    FailedEntryCount: 3,
    Entries: [
      { EventId: expect.any(String) },
      { ErrorCode: 'MalformedDetail' },
      { ErrorCode: 'MalformedDetail' },
      { ErrorCode: 'InvalidArgument' },
    ],
  });
  expect(bus.events({ includeTasks: true, limit: 9 })).toHaveLength(1);
});
