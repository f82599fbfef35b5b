import { readFileSync } from 'node:fs';
import { ulid } from 'ulid';
import { describe, expect, it } from 'vitest';
import { type EventDetail, type EventKind, eventKindNames, eventKinds, LoggedEvent } from '#contract/events.ts';
import type { Feature } from '#contract/route.ts';
import { inOutbox } from '#data/event-log.ts';
import { eventKey, eventOutcomeKey } from '#data/keys.ts';
import { filteredPage } from '#data/paging.ts';
import { insertDelivery } from '#data/webhooks.ts';
import { deleteItem, transact } from '#data/write.ts';
import { type Message, newMessage } from '#events/catalogue.ts';
import { enqueueWebhooks } from '#events/subscriptions.ts';
import { type Delivery, subscribe } from '#http/subscribe.ts';
import { newDelivery } from '#model/webhook.ts';
import { listEvents } from '#services/events/logs.ts';
import { untilEventsDelivered } from '#test/support/events.ts';
import { dataOf, idOf, idsOf, invalidAt, NOT_FOUND, person, TIME } from '#test/support/fixtures.ts';
import { longTest } from '#test/support/long-test.ts';
import { readUnits } from '#test/support/read-units.ts';
import { ownDirectory } from '#test/support/with-directory.ts';
import { featureToSwitchOff } from '#test/support/without-feature.ts';
import { eventsPage } from '../../../scripts/events-docs.ts';

const EVENTS = '/api/admin/events';
const DAY = 86_400_000;

const { server, directory } = await ownDirectory();
const owner = await person(server);

interface Meta {
  readonly nextAfter: string | null;
  readonly hasMore: boolean;
  readonly pageSize: number;
}

const pageOf = async (query: string): Promise<{ events: LoggedEvent[]; meta: Meta }> => {
  const response = await directory.adminOk('GET', `${EVENTS}?${query}`);
  return { events: dataOf(response), meta: (response.body as { meta: Meta }).meta };
};

const readAll = async (query: string, limit: number): Promise<LoggedEvent[]> => {
  const all: LoggedEvent[] = [];
  let after = '';
  for (;;) {
    const { events, meta } = await pageOf(`${query}&limit=${limit}${after}`);
    expect(meta.pageSize).toBe(limit);
    expect(meta.hasMore).toBe(meta.nextAfter !== null);
    if (meta.hasMore) expect(events).toHaveLength(limit);
    all.push(...events);
    if (meta.nextAfter === null) return all;
    expect(meta.nextAfter).toBe(events.at(-1)?.id);
    after = `&after=${meta.nextAfter}`;
  }
};

/** Inserts an event that occurred at a time. @param idAt the time in its id. */
const inserted = async (at: number, idAt = at, kind: EventKind = 'userBanned'): Promise<string> => {
  const id = `evt_${ulid(idAt)}`;
  const message = {
    id,
    kind,
    occurred_at: new Date(at).toISOString(),
    actor_id: null,
    data: { user_id: 'x', reason: null },
  };
  await transact([inOutbox(message as Message)]);
  return id;
};

/** The start of the month so many months back, in milliseconds since the epoch. */
const monthStart = (back: number): number => {
  const now = new Date();
  return Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - back, 1);
};

describe('the event log', () => {
  it('lists events newest first, without the tasks of the service', async () => {
    const project = await directory.submit(owner);
    await directory.adminOk('PUT', `/api/admin/projects/${project.id}/approve`);
    await directory.adminOk('PUT', `/api/admin/projects/${project.id}`, { name: 'Renamed' });
    const comment = { content: 'Good.' };
    await directory.ok(owner, 'POST', `/api/projects/${project.id}/comments`, comment, 201);
    await directory.adminOk('DELETE', `/api/admin/projects/${project.id}`);
    const { events } = await pageOf('limit=5');
    expect(events.map(({ kind }) => kind)).toEqual([
      'projectDeleted',
      'commentCreated',
      'projectUpdated',
      'projectApproved',
      'projectSubmitted',
    ]);
    expect(events[4]).toEqual({
      id: idOf('evt'),
      kind: 'projectSubmitted',
      occurred_at: TIME,
      actor_id: owner.id,
      data: expect.objectContaining({ project_id: project.id, slug: project.slug, owner_id: owner.id }) as unknown,
    });
    expect(events[3]?.actor_id).toBe(directory.admin.id);
    expect(await pageOf('kind=commentCreated')).toMatchObject({
      events: [{ data: { project_id: project.id, content: 'Good.' } }],
      meta: { nextAfter: null, hasMore: false, pageSize: 40 },
    });
    for (const event of events) expect(LoggedEvent.safeParse(event).error).toBeUndefined();
  });

  longTest('has the same order across months for every page size', async () => {
    const ids: string[] = [];
    for (const back of [1, 0]) {
      const start = monthStart(back);
      for (const offset of [-2, -1, 0, 1]) ids.push(await inserted(start + offset, start + offset, 'userBanned'));
      ids.push(await inserted(start + 2, start + 2));
    }
    const expected = ids.toReversed();
    const isInserted = ({ id }: LoggedEvent) => ids.includes(id);
    const whole = (await readAll('', 100)).filter(isInserted).map(({ id }) => id);
    expect(whole).toEqual(expected);
    for (const limit of [1, 2, 3, 7]) {
      expect((await readAll('', limit)).filter(isInserted).map(({ id }) => id)).toEqual(expected);
      expect((await readAll('kind=userBanned', limit)).map(({ id }) => id)).toEqual(expected);
    }
  });

  longTest('is spread over partitions', async () => {
    const start = Date.now() - 40 * DAY;
    const keys: { pk: string }[] = [];
    for (let n = 0; n < 64; n += 1)
      keys.push(eventKey(new Date(start + n).toISOString(), await inserted(start + n, start + n)));
    expect(new Set(keys.map(({ pk }) => pk)).size).toBe(4);
  });

  longTest('neither repeats nor skips an event whose id is from another month than its time', async () => {
    const start = monthStart(1);
    const early = await inserted(start, start - 1, 'userBanned');
    const before = await inserted(start - 1, start - 1);
    const seen = (await readAll('', 1)).map(({ id }) => id);
    expect(seen.filter((id) => id === early)).toHaveLength(1);
    expect(seen.filter((id) => id === before)).toHaveLength(1);
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen.indexOf(early)).toBeLessThan(seen.indexOf(before));
  });

  it('repeats nothing while new events arrive', async () => {
    for (let age = 4; age > 0; age -= 1) await inserted(Date.now() - age);
    const first = await pageOf('limit=2');
    await inserted(Date.now());
    const second = await pageOf(`limit=2&after=${first.meta.nextAfter}`);
    const ids = [...first.events, ...second.events].map(({ id }) => id);
    expect(new Set(ids).size).toBe(4);
  });

  it('covers 90 days, and continues after an expired event', async () => {
    const kept = await inserted(Date.now() - 89 * DAY, Date.now() - 89 * DAY);
    const old = await inserted(Date.now() - 91 * DAY, Date.now() - 91 * DAY);
    for (const query of ['', 'kind=userBanned']) {
      const ids = (await readAll(query, 50)).map(({ id }) => id);
      expect(ids.at(-1)).toBe(kept);
      expect(ids).not.toContain(old);
    }
    const expired = `evt_${ulid(Date.now() - 88 * DAY)}`;
    expect(idsOf(await directory.get(`${EVENTS}?after=${expired}`, directory.admin))).toEqual([kept]);
    const future = `evt_7${'Z'.repeat(25)}`;
    expect((await pageOf(`limit=3&after=${future}`)).events).toEqual((await pageOf('limit=3')).events);
    expect((await pageOf(`after=evt_${'0'.repeat(26)}`)).events).toEqual([]);
  });

  it.each([
    ['kind', 'kind=userBanned&kind=userBanned'],
    ['after', 'after=evt_short'],
  ])('rejects an invalid %s: %s', async (field, query) => {
    expect(await directory.get(`${EVENTS}?${query}`, directory.admin)).toMatchObject(invalidAt(field));
  });
});

describe('the filters of the event log', () => {
  /** All events of a query, over pages that may be short. */
  const filtered = async (query: string): Promise<LoggedEvent[]> => {
    const all: LoggedEvent[] = [];
    for (let after = ''; ; ) {
      const { events, meta } = await pageOf(`${query}&limit=2${after}`);
      all.push(...events);
      if (meta.nextAfter === null) return all;
      after = `&after=${meta.nextAfter}`;
    }
  };

  longTest('select by subject, actor, kind and time, together and across pages', async () => {
    const project = await directory.submit(owner);
    const other = await directory.submit(owner);
    await directory.adminOk('PUT', `/api/admin/projects/${project.id}/approve`);
    await directory.adminOk('PUT', `/api/admin/projects/${other.id}/approve`);
    await directory.adminOk('PUT', `/api/admin/projects/${project.id}`, { name: 'Renamed once' });
    const comment = { content: 'Good.' };
    const { id: commentId } = dataOf<{ id: string }>(
      await directory.ok(owner, 'POST', `/api/projects/${project.id}/comments`, comment, 201),
    );
    const kindsOf = async (query: string) => (await filtered(query)).map(({ kind }) => kind);
    const subject = `subject=project:${project.id}`;
    const about = ['commentCreated', 'projectUpdated', 'projectApproved', 'projectSubmitted'];
    expect(await kindsOf(subject)).toEqual(about);
    expect(await kindsOf(`${subject}&actor=${owner.id}`)).toEqual(['commentCreated', 'projectSubmitted']);
    expect(await kindsOf(`${subject}&kind=projectApproved`)).toEqual(['projectApproved']);
    expect(await kindsOf(`subject=comment:${commentId}`)).toEqual(['commentCreated']);
    expect(await kindsOf('subject=project:none')).toEqual([]);
    const byOwner = await filtered(`actor=${owner.id}`);
    expect(byOwner.every(({ actor_id }) => actor_id === owner.id)).toBe(true);
    expect(idsOf({ body: { data: byOwner } })).toEqual(
      expect.arrayContaining(idsOf({ body: { data: await filtered(`${subject}&actor=${owner.id}`) } })),
    );

    const [, updated, approved] = await filtered(subject);
    const between = `from=${updated?.occurred_at}&to=${updated?.occurred_at}`;
    expect(await kindsOf(`${subject}&${between}`)).toContain('projectUpdated');
    expect(await kindsOf(`${subject}&${between}`)).not.toContain(
      approved?.occurred_at === updated?.occurred_at ? '' : 'projectApproved',
    );
    const day = new Date(Date.now() - 80 * DAY).toISOString().slice(0, 10);
    const old = await inserted(Date.parse(day) + DAY - 1);
    await inserted(Date.parse(day) + DAY);
    for (const query of ['', 'kind=userBanned&', 'subject=user:x&']) {
      expect((await filtered(`${query}from=${day}&to=${day}`)).map(({ id }) => id)).toEqual([old]);
    }
  });

  longTest(
    'cost the same for a project whatever else is in the event log, and end a page after some hundred events',
    async () => {
      const { id } = await directory.submit(owner);
      const read = () => listEvents({ subject: `project:${id}`, limit: 5 });
      // Subscribers read too.
      await untilEventsDelivered(server, directory);
      const before = await readUnits(read);
      for (let n = 0; n < 30; n += 1) await inserted(Date.now());
      await untilEventsDelivered(server, directory);
      expect(await readUnits(read)).toBeLessThanOrEqual(before);

      async function* entries(after = 0) {
        for (let n = after + 1; n <= 1200; n += 1) yield { id: String(n) };
      }
      const first = await filteredPage(entries(), 10, () => false);
      expect(first).toEqual({ data: [], meta: { pageSize: 10, hasMore: true, nextAfter: '500' } });
      const last = await filteredPage(entries(1000), 10, ({ id: one }) => one === '1200');
      expect(last).toEqual({ data: [{ id: '1200' }], meta: { pageSize: 10, hasMore: false, nextAfter: null } });
    },
  );

  it.each([
    ['to', 'to=2026-02-30'],
    ['subject', 'subject=a&subject=b'],
  ])('reject an invalid %s: %s', async (field, query) => {
    for (const path of [EVENTS, '/api/admin/audit']) {
      expect(await directory.get(`${path}?${query}`, directory.admin)).toMatchObject(invalidAt(field));
    }
  });
});

describe('a single event', () => {
  const read = async (id: string): Promise<EventDetail> => dataOf(await directory.adminOk('GET', `${EVENTS}/${id}`));

  it('has the result of each subscriber of its kind, or that its feature is off', async () => {
    const project = await directory.submit(owner);
    const [event] = (await pageOf(`subject=project:${project.id}`)).events;
    const id = event?.id ?? '';
    await server.until(async () => (await read(id)).subscribers.every(({ state }) => state !== 'none'));
    const off = featureToSwitchOff();
    const result = (feature: Feature) =>
      feature === off ? { state: 'skipped', at: null, error: null } : { state: 'done', at: TIME, error: null };
    expect(await read(id)).toMatchObject({
      ...event,
      subscribers: [
        { id: 'mail.notifySubmitter', ...result('email') },
        { id: 'webhooks.enqueue', ...result('webhooks') },
        { id: 'analytics.countStep', ...result('analytics') },
      ],
      deliveries: [],
    });
  });

  it('has the latest result of each subscriber, and the deliveries to webhooks', async () => {
    const webhook = dataOf<{ id: string }>(
      await directory.adminOk(
        'POST',
        '/api/admin/webhooks',
        { url: 'https://example.com/', kinds: ['projectSubmitted'], is_active: false },
        201,
      ),
    );
    const project = await directory.submit(owner);
    const [event] = (await pageOf(`subject=project:${project.id}`)).events;
    const id = event?.id ?? '';
    const outcome = async () => (await read(id)).subscribers.find((one) => one.id === 'webhooks.enqueue');
    await server.until(async () => (await outcome())?.state === 'done');
    await deleteItem(eventOutcomeKey(id, 'webhooks.enqueue'));
    expect(await outcome()).toMatchObject({ state: 'none', at: null, runs: 0, error: null });
    const run = (work: () => Promise<void>) =>
      subscribe(enqueueWebhooks, work)({ 'detail-type': event?.kind, detail: event } as Delivery);
    const fail = () => run(() => Promise.reject(new TypeError('A secret.')));
    await expect(fail()).rejects.toThrow('webhooks.enqueue failed: TypeError.');
    expect(await outcome()).toMatchObject({ state: 'failed', at: TIME, runs: 1, error: 'TypeError' });
    await run(() => Promise.resolve());
    expect(await outcome()).toMatchObject({ state: 'done', runs: 2, error: null });
    await expect(fail()).rejects.toThrow();
    expect(await outcome()).toMatchObject({ state: 'done', runs: 2, error: null });
    const delivery = newDelivery(webhook.id, event as LoggedEvent, new Date().toISOString());
    await insertDelivery({ ...delivery, state: 'failed', next_attempt_at: null });
    expect((await read(id)).deliveries).toEqual([
      { id: delivery.id, webhook_id: webhook.id, state: 'failed', attempts: 0, next_attempt_at: null },
    ]);
  });

  it('is 404 for an unknown id and for a task of the service', async () => {
    for (const id of ['x', `evt_${ulid()}`, `evt_7${'Z'.repeat(25)}`]) {
      expect(await directory.get(`${EVENTS}/${id}`, directory.admin)).toMatchObject(NOT_FOUND);
    }
    const task = newMessage('refundDue', null, { checkout_id: 'none' });
    await transact([inOutbox(task)]);
    expect(await directory.get(`${EVENTS}/${task.id}`, directory.admin)).toMatchObject(NOT_FOUND);
  });
});

describe('every kind of event', () => {
  it('has a description, and so has each of its members', () => {
    for (const kind of eventKindNames) {
      const schema = eventKinds[kind];
      expect([kind, schema.description]).toEqual([kind, expect.stringMatching(/\.$/)]);
      for (const [name, member] of Object.entries(schema.shape)) {
        expect([kind, name, member.description]).toEqual([kind, name, expect.stringMatching(/\.$/)]);
      }
    }
  });

  it('is documented in docs/events.md as in its schema; if not, run "npm run docs"', () => {
    expect(readFileSync(new URL('../../../docs/events.md', import.meta.url), 'utf8')).toBe(eventsPage());
  });
});
