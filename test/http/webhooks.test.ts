import { Webhook as ReferenceReceiver } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { LedgerEvent } from '#contract/events.ts';
import type { Attempt, Delivery, Webhook } from '#contract/webhooks.ts';
import { enqueueDeliveries } from '#domain/webhooks/enqueue.ts';
import { type RetrySummary, retryDueDeliveries } from '#domain/webhooks/retry.ts';
import { deliverPorts } from '#ports/webhooks.ts';
import type { CallAnswer } from '#test/support/client.ts';
import {
  Directory,
  dataOf,
  idOf,
  idsOf,
  invalidAt,
  metaOf,
  NOT_FOUND,
  type Person,
  person,
  TIME,
  unique,
} from '#test/support/fixtures.ts';
import { answer, type Received, type Receiver, signaturesThatHold, startReceiver } from '#test/support/receiver.ts';
import { startTestWorld, type TestWorld } from '#test/support/world.ts';

/** What an integrator relies on: every event arrives once its receiver works, signed, at its time, and nothing else does. */

type Secret = Webhook & { secret: string };

const WEBHOOKS = '/api/admin/webhooks';
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

let world: TestWorld;
let directory: Directory;
let owner: Person;
let receiver: Receiver;

beforeAll(async () => {
  world = await startTestWorld({ env: { WEBHOOK_ALLOW_PRIVATE: 'on' } });
  directory = await Directory.open(world);
  owner = await person(world);
  receiver = await startReceiver();
});

afterAll(async () => {
  await world.stop();
  await receiver.stop();
});

beforeEach(() => receiver.forget());

const open = new Set<string>();

afterEach(async () => {
  for (const id of open) await asAdmin('DELETE', `${WEBHOOKS}/${id}`);
  open.clear();
});

const asAdmin = (method: string, path: string, body?: unknown): Promise<CallAnswer> =>
  directory.as(directory.admin, method, path, body);

const create = async (fields: Readonly<Record<string, unknown>> = {}): Promise<Secret> => {
  const made = await asAdmin('POST', WEBHOOKS, { url: receiver.url, kinds: ['projectSubmitted'], ...fields });
  expect(made).toMatchObject({ status: 201 });
  const webhook = dataOf<Secret>(made);
  open.add(webhook.id);
  return webhook;
};

const read = async ({ id }: { id: string }): Promise<Webhook> =>
  dataOf(await directory.get(`${WEBHOOKS}/${id}`, directory.admin));

/** What the reference library of Standard Webhooks says to a message: its content, or why it does not hold. */
const referenceSays = ({ body, headers }: Received, secret: string): unknown => {
  try {
    return new ReferenceReceiver(secret).verify(body, headers as Record<string, string>);
  } catch (error) {
    return (error as Error).message;
  }
};

const deliveriesOf = async ({ id }: { id: string }): Promise<Delivery[]> =>
  dataOf(await directory.get(`${WEBHOOKS}/${id}/deliveries`, directory.admin));

/** The one delivery of a webhook, once it is as wished. */
const deliveryOf = async (webhook: { id: string }, isSo: (delivery: Delivery) => boolean): Promise<Delivery> => {
  let found: Delivery | undefined;
  await world.until(async () => {
    const [delivery, ...others] = await deliveriesOf(webhook);
    expect(others).toEqual([]);
    found = delivery;
    return delivery !== undefined && isSo(delivery);
  });
  return found as Delivery;
};

/** Runs the retries as they run at a time to come. */
const retryAt = (timeMs: number): Promise<RetrySummary> =>
  retryDueDeliveries({ ...deliverPorts, now: () => new Date(timeMs).toISOString() });

const dueOf = (delivery: Delivery): number => Date.parse(delivery.next_attempt_at ?? '');

/** Fails a delivery until its tries are used up. @returns the time of the last attempt. */
const useUp = async (webhook: { id: string }): Promise<number> => {
  let delivery = await deliveryOf(webhook, ({ attempts }) => attempts.length === 1);
  let at = 0;
  while (delivery.state === 'pending') {
    at = dueOf(delivery);
    await retryAt(at);
    delivery = (await deliveriesOf(webhook))[0] as Delivery;
  }
  expect(delivery).toMatchObject({ state: 'failed', next_attempt_at: null });
  return at;
};

describe('a webhook', () => {
  it('shows its secret when it is made and never again', async () => {
    const made = await create({
      description: '  Our chat\n',
      kinds: ['projectApproved', 'projectSubmitted', 'projectApproved'],
    });
    expect(made).toEqual({
      id: idOf('whk'),
      url: receiver.url,
      kinds: ['projectApproved', 'projectSubmitted'],
      description: 'Our chat',
      is_active: true,
      failing_since: null,
      disabled_at: null,
      previous_secret_expires_at: null,
      created_at: TIME,
      updated_at: TIME,
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/) as unknown,
    });
    const { secret, ...rest } = made;
    expect(await read(made)).toEqual(rest);
    const answers = [
      await directory.get(WEBHOOKS, directory.admin),
      await asAdmin('PUT', `${WEBHOOKS}/${made.id}`, { description: 'Another' }),
      await asAdmin('POST', `${WEBHOOKS}/${made.id}/test`),
      await directory.get(`${WEBHOOKS}/${made.id}/deliveries`, directory.admin),
      await directory.get('/api/admin/events', directory.admin),
      await directory.get('/api/admin/audit', directory.admin),
    ];
    for (const { body } of answers) expect(JSON.stringify(body)).not.toContain(secret);
  });

  it('is changed in part, listed oldest first in pages, and gone when it is deleted', async () => {
    const [first, second, third] = [await create(), await create(), await create({ is_active: false })];
    const path = `${WEBHOOKS}/${second.id}`;
    const changed = await asAdmin('PUT', path, { kinds: ['commentCreated'], is_active: false });
    expect(changed).toMatchObject({
      status: 200,
      body: { data: { kinds: ['commentCreated'], is_active: false, url: receiver.url } },
    });
    expect(await read(second)).toEqual(dataOf(changed));
    expect(await read(third)).toMatchObject({ is_active: false });
    const pages = [
      await directory.get(`${WEBHOOKS}?limit=2`, directory.admin),
      await directory.get(`${WEBHOOKS}?limit=2&page=2`, directory.admin),
      await directory.get(`${WEBHOOKS}?limit=2&page=3`, directory.admin),
    ];
    expect(pages.map(idsOf)).toEqual([[first.id, second.id], [third.id], []]);
    expect(pages.map(metaOf)).toEqual([
      { total: 3, page: 1, pageSize: 2, hasMore: true },
      { total: 3, page: 2, pageSize: 2, hasMore: false },
      { total: 3, page: 3, pageSize: 2, hasMore: false },
    ]);
    expect(await asAdmin('DELETE', path)).toMatchObject({
      status: 200,
      body: { data: { id: second.id, deleted: true } },
    });
    for (const [method, target] of [
      ['GET', path],
      ['PUT', path],
      ['DELETE', path],
      ['POST', `${path}/rotate`],
      ['POST', `${path}/test`],
      ['GET', `${path}/deliveries`],
      ['POST', `${path}/deliveries/dlv_1/replay`],
    ] as const) {
      expect(await asAdmin(method, target, method === 'PUT' ? {} : undefined)).toMatchObject(NOT_FOUND);
    }
  });

  it.each([
    ['url', {}, { kinds: ['projectSubmitted'] }],
    ['url', {}, { url: 'nonsense', kinds: ['projectSubmitted'] }],
    ['url', {}, { url: 'ftp://files.example.com', kinds: ['projectSubmitted'] }],
    ['kinds', {}, { url: 'https://a.example.com' }],
    ['kinds', {}, { url: 'https://a.example.com', kinds: [] }],
    ['kinds', { at: 1 }, { url: 'https://a.example.com', kinds: ['projectSubmitted', 'projectExploded'] }],
    ['kinds', { at: 0 }, { url: 'https://a.example.com', kinds: ['projectPurged'] }],
    ['kinds', { at: 0 }, { url: 'https://a.example.com', kinds: ['ping'] }],
    ['is_active', {}, { url: 'https://a.example.com', kinds: ['projectSubmitted'], is_active: 'yes' }],
    ['description', {}, { url: 'https://a.example.com', kinds: ['projectSubmitted'], description: 'x'.repeat(201) }],
  ])('with a wrong %s is 400 and nothing is stored', async (field, { at }: { at?: number }, body) => {
    const refused = await asAdmin('POST', WEBHOOKS, body);
    expect(refused).toMatchObject(at === undefined ? invalidAt(field) : invalidAt(field, at));
    expect(metaOf(await directory.get(WEBHOOKS, directory.admin)).total).toBe(0);
  });

  it('keeps both of two changes that are made at once', async () => {
    const webhook = await create();
    const path = `${WEBHOOKS}/${webhook.id}`;
    const answers = await Promise.all([
      asAdmin('PUT', path, { description: 'Both' }),
      asAdmin('PUT', path, { kinds: ['userBanned'] }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(await read(webhook)).toMatchObject({ description: 'Both', kinds: ['userBanned'] });
  });
});

describe('an event', () => {
  it('is tried a second time after five seconds without anybody asking', async () => {
    receiver.next(answer(500));
    const webhook = await create();
    await directory.submit(owner);
    await world.until(async () => (await deliveriesOf(webhook))[0]?.state === 'delivered', 9000);
    const [delivery] = await deliveriesOf(webhook);
    const [first, second] = (delivery?.attempts ?? []).map(({ at }) => Date.parse(at));
    expect((second ?? 0) - (first ?? 0)).toBeGreaterThanOrEqual(5 * SECOND);
  }, 15_000);

  it('reaches a receiver that fails twice before it accepts, with one id and good signatures', async () => {
    receiver.next(answer(500, 'broken'), answer(503, 'still broken'), answer(204));
    const webhook = await create();
    const project = await directory.submit(owner, { name: unique('Prüfung') });
    const first = await deliveryOf(webhook, ({ attempts }) => attempts.length === 1);
    expect(first).toEqual({
      id: idOf('dlv'),
      webhook_id: webhook.id,
      event_id: idOf('evt'),
      kind: 'projectSubmitted',
      state: 'pending',
      next_attempt_at: TIME,
      created_at: TIME,
      attempts: [
        {
          at: TIME,
          ok: false,
          status: 500,
          duration_ms: expect.any(Number),
          response: 'broken',
          error: 'It answered 500.',
        },
      ],
    });
    expect((await read(webhook)).failing_since).toBe(first.attempts[0]?.at);

    // Not a moment too early.
    expect(await retryAt(dueOf(first) - 1)).toMatchObject({ processed: 0 });
    expect(await retryAt(dueOf(first))).toMatchObject({ processed: 1, failed: 1 });
    const second = await deliveryOf(webhook, ({ attempts }) => attempts.length === 2);
    expect(await retryAt(dueOf(second))).toMatchObject({ processed: 1, delivered: 1 });
    const third = await deliveryOf(webhook, ({ state }) => state === 'delivered');
    expect(third.attempts.map(({ status }) => status)).toEqual([500, 503, 204]);
    expect(third.next_attempt_at).toBeNull();
    expect((await read(webhook)).failing_since).toBeNull();

    expect(receiver.received).toHaveLength(3);
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id']))).toEqual(new Set([first.event_id]));
    expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
    for (const [position, received] of receiver.received.entries()) {
      expect(await signaturesThatHold(received, webhook.secret)).toBe(1);
      const sentAt = Date.parse(third.attempts[position]?.at ?? '');
      expect(received.headers).toMatchObject({
        'content-type': 'application/json',
        'webhook-timestamp': String(Math.floor(sentAt / 1000)),
      });
    }
    const [event] = (await world.events()).filter(({ id }) => id === first.event_id);
    expect(JSON.parse(receiver.received[0]?.body ?? '')).toEqual({
      type: 'projectSubmitted',
      timestamp: event?.occurred_at,
      id: event?.id,
      actor_id: owner.id,
      data: expect.objectContaining({ project_id: project.id, owner_id: owner.id, status: 'pending' }) as unknown,
    });
    // A signature is of this body, this time and this secret only.
    const [received] = receiver.received;
    if (!received) throw new Error('Nothing came.');
    expect(await signaturesThatHold({ ...received, body: `${received.body} ` }, webhook.secret)).toBe(0);
    expect(await signaturesThatHold(received, `whsec_${btoa('x'.repeat(32))}`)).toBe(0);
    expect(referenceSays(received, webhook.secret)).toEqual(JSON.parse(received.body));
    expect(referenceSays({ ...received, body: `${received.body} ` }, webhook.secret)).toBe(
      'No matching signature found',
    );
  });

  it('is tried again after 5 s, 5 min, 30 min, 2 h and 8 h, and then no more', async () => {
    receiver.always(answer(410, 'gone'));
    const webhook = await create();
    await directory.submit(owner);
    const last = await useUp(webhook);
    const [delivery] = await deliveriesOf(webhook);
    const times = (delivery?.attempts ?? []).map(({ at }) => Date.parse(at));
    const pauses = times.slice(1).map((time, position) => time - (times[position] ?? 0));
    const wanted = [5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 8 * HOUR];
    expect(pauses).toHaveLength(wanted.length);
    // The first pause is counted from the end of a real attempt, which takes a moment.
    for (const [position, pause] of pauses.entries()) {
      expect(pause - (wanted[position] ?? 0)).toBeGreaterThanOrEqual(0);
      expect(pause - (wanted[position] ?? 0)).toBeLessThan(2 * SECOND);
    }
    expect(await retryAt(last + 30 * DAY)).toMatchObject({ processed: 0 });
    expect(receiver.received).toHaveLength(6);
  });

  it('goes to the webhooks that are on and want it, once each however often it comes over the bus', async () => {
    const wanted = await create({ kinds: ['projectSubmitted', 'projectApproved'] });
    const other = await create({ kinds: ['userBanned'] });
    const off = await create({ is_active: false });
    const project = await directory.live(owner);
    await world.until(
      async () => (await deliveriesOf(wanted)).filter(({ state }) => state === 'delivered').length === 2,
    );
    expect((await deliveriesOf(wanted)).map(({ kind }) => kind)).toEqual(['projectApproved', 'projectSubmitted']);
    expect(await deliveriesOf(other)).toEqual([]);
    expect(await deliveriesOf(off)).toEqual([]);
    const event = (await world.events()).find(
      ({ kind, data }) => kind === 'projectApproved' && (data as { project_id: string }).project_id === project.id,
    );
    const again = () => enqueueDeliveries(deliverPorts, event as LedgerEvent);
    await Promise.all([again(), again(), again()]);
    expect(await deliveriesOf(wanted)).toHaveLength(2);
    expect(receiver.received).toHaveLength(2);
  });

  it('is sent by one of several processes that retry at the same moment', async () => {
    receiver.next(answer(500));
    const webhook = await create();
    await directory.submit(owner);
    const delivery = await deliveryOf(webhook, ({ attempts }) => attempts.length === 1);
    receiver.forget();
    const summaries = await Promise.all(Array.from({ length: 8 }, () => retryAt(dueOf(delivery))));
    expect(summaries.map(({ delivered }) => delivered).sort()).toEqual([0, 0, 0, 0, 0, 0, 0, 1]);
    expect(receiver.received).toHaveLength(1);
    expect((await deliveriesOf(webhook))[0]?.attempts).toHaveLength(2);
  });

  it('is taken over when the process that was sending it dies', async () => {
    receiver.next(answer(500));
    const webhook = await create();
    await directory.submit(owner);
    const due = dueOf(await deliveryOf(webhook, ({ attempts }) => attempts.length === 1));
    const dying = {
      ...deliverPorts,
      now: () => new Date(due).toISOString(),
      post: () => Promise.reject(new Error('killed')),
    };
    await expect(retryDueDeliveries(dying)).rejects.toThrow('killed');
    expect(await retryAt(due + 30 * SECOND)).toMatchObject({ processed: 0 });
    expect(await retryAt(due + 61 * SECOND)).toMatchObject({ delivered: 1 });
    expect((await deliveriesOf(webhook))[0]).toMatchObject({ state: 'delivered' });
  });

  it('is not sent any more once the webhook is deleted or switched off', async () => {
    receiver.always(answer(500));
    const [deleted, off] = [await create(), await create()];
    await directory.submit(owner);
    const due = dueOf(await deliveryOf(deleted, ({ attempts }) => attempts.length === 1));
    await deliveryOf(off, ({ attempts }) => attempts.length === 1);
    await asAdmin('DELETE', `${WEBHOOKS}/${deleted.id}`);
    await asAdmin('PUT', `${WEBHOOKS}/${off.id}`, { is_active: false });
    receiver.forget();
    expect(await retryAt(due + MINUTE)).toEqual({
      processed: 0,
      delivered: 0,
      failed: 0,
      cancelled: 1,
      unfinished: false,
    });
    expect((await deliveriesOf(off))[0]).toMatchObject({ state: 'cancelled', next_attempt_at: null });
    expect(await retryAt(due + DAY)).toMatchObject({ processed: 0, cancelled: 0 });
    expect(receiver.received).toEqual([]);
  });
});

describe('an answer', () => {
  it('counts by its status; of its text the first 1024 bytes are kept', async () => {
    receiver.next(answer(201, 'é'.repeat(400_000)));
    const webhook = await create();
    await directory.submit(owner);
    const delivery = await deliveryOf(webhook, ({ state }) => state === 'delivered');
    expect(delivery.attempts[0]?.response).toBe('é'.repeat(512));
  });

  it('that leads elsewhere is a failure and is not followed', async () => {
    const elsewhere = await startReceiver();
    receiver.next(answer(302, '', { location: elsewhere.url }), answer(307, '', { location: elsewhere.url }));
    const webhook = await create();
    await directory.submit(owner);
    const delivery = await deliveryOf(webhook, ({ attempts }) => attempts.length === 1);
    expect(delivery.attempts[0]).toMatchObject({
      ok: false,
      status: 302,
      error: expect.stringContaining('redirect') as unknown,
    });
    await retryAt(dueOf(delivery));
    expect((await deliveriesOf(webhook))[0]?.attempts[1]).toMatchObject({ ok: false, status: 307 });
    expect(elsewhere.connections()).toBe(0);
    await elsewhere.stop();
  });

  it('that never comes, or is no HTTP, is a failure in words', async () => {
    receiver.next(
      (response) => response.destroy(),
      (response) => response.socket?.end('hello\r\n\r\n'),
    );
    const webhook = await create();
    await directory.submit(owner);
    const delivery = await deliveryOf(webhook, ({ attempts }) => attempts.length === 1);
    expect(delivery.attempts[0]).toMatchObject({
      ok: false,
      status: null,
      error: 'The connection broke off.',
      response: null,
    });
    await retryAt(dueOf(delivery));
    expect((await deliveriesOf(webhook))[0]?.attempts[1]).toMatchObject({ error: 'The answer was not HTTP.' });
  });
});

describe('a rotated secret', () => {
  it('signs beside the previous one for 24 hours', async () => {
    const webhook = await create();
    const rotate = async () => {
      const rotated = await asAdmin('POST', `${WEBHOOKS}/${webhook.id}/rotate`);
      expect(rotated).toMatchObject({ status: 200, body: { data: { previous_secret_expires_at: TIME } } });
      return dataOf<Secret>(rotated);
    };
    const rotated = await rotate();
    expect(rotated.secret).not.toBe(webhook.secret);
    const overlap = Date.parse(rotated.previous_secret_expires_at ?? '') - Date.parse(rotated.updated_at);
    expect(overlap).toBe(DAY);
    await asAdmin('POST', `${WEBHOOKS}/${webhook.id}/test`);
    const [ping] = receiver.received;
    if (!ping) throw new Error('Nothing came.');
    expect(String(ping.headers['webhook-signature']).split(' ')).toHaveLength(2);
    expect(await signaturesThatHold(ping, rotated.secret)).toBe(1);
    expect(await signaturesThatHold(ping, webhook.secret)).toBe(1);
    for (const { secret } of [rotated, webhook]) expect(referenceSays(ping, secret)).toMatchObject({ type: 'ping' });

    // A day later only the new one holds.
    receiver.forget();
    receiver.next(answer(500));
    await directory.submit(owner);
    await deliveryOf(webhook, ({ attempts }) => attempts.length === 1);
    await retryAt(Date.now() + DAY + MINUTE);
    const [before, after] = receiver.received;
    if (!before || !after) throw new Error('Not both came.');
    expect(await signaturesThatHold(before, webhook.secret)).toBe(1);
    expect(await signaturesThatHold(after, webhook.secret)).toBe(0);
    expect(String(after.headers['webhook-signature']).split(' ')).toHaveLength(1);
    expect(await signaturesThatHold(after, rotated.secret)).toBe(1);

    // Of several rotations the last two secrets hold, never more.
    const newest = await rotate();
    await asAdmin('POST', `${WEBHOOKS}/${webhook.id}/test`);
    const last = receiver.received.at(-1);
    if (!last) throw new Error('Nothing came.');
    const held = [webhook, rotated, newest].map(({ secret }) => signaturesThatHold(last, secret));
    expect(await Promise.all(held)).toEqual([0, 1, 1]);
  });
});

describe('a test', () => {
  it('sends a ping at once, also to a webhook that is off, and answers how it went', async () => {
    const webhook = await create({ is_active: false });
    const path = `${WEBHOOKS}/${webhook.id}/test`;
    const good = await asAdmin('POST', path);
    expect(good).toMatchObject({
      status: 200,
      body: { data: { at: TIME, ok: true, status: 200, response: 'thanks', error: null, event_id: idOf('evt') } },
    });
    const [ping] = receiver.received;
    if (!ping) throw new Error('Nothing came.');
    const { event_id: id } = dataOf<Attempt & { event_id: string }>(good);
    expect(ping.headers['webhook-id']).toBe(id);
    expect(await signaturesThatHold(ping, webhook.secret)).toBe(1);
    expect(JSON.parse(ping.body)).toEqual({
      type: 'ping',
      timestamp: TIME,
      id,
      actor_id: directory.admin.id,
      data: { webhook_id: webhook.id },
    });
    receiver.next(answer(418, 'short and stout'));
    expect(await asAdmin('POST', path)).toMatchObject({
      status: 200,
      body: { data: { ok: false, status: 418, response: 'short and stout', error: 'It answered 418.' } },
    });
    expect(await deliveriesOf(webhook)).toEqual([]);
    expect((await read(webhook)).failing_since).toBeNull();
  });

  it('of a receiver that is not there says so', async () => {
    const gone = await startReceiver();
    await gone.stop();
    const webhook = await create({ url: gone.url });
    expect(await asAdmin('POST', `${WEBHOOKS}/${webhook.id}/test`)).toMatchObject({
      status: 200,
      body: { data: { ok: false, status: null, error: 'The connection was refused.' } },
    });
  });
});

describe('a replay', () => {
  const replay = (webhook: { id: string }, delivery: { id: string }) =>
    asAdmin('POST', `${WEBHOOKS}/${webhook.id}/deliveries/${delivery.id}/replay`);

  it('sends the same event again at once and answers what has become of the delivery', async () => {
    const webhook = await create();
    await directory.submit(owner);
    const delivery = await deliveryOf(webhook, ({ state }) => state === 'delivered');
    const replayed = await replay(webhook, delivery);
    expect(replayed).toMatchObject({ status: 200, body: { data: { id: delivery.id, state: 'delivered' } } });
    expect(dataOf<Delivery>(replayed).attempts).toHaveLength(2);
    const [first, second] = receiver.received;
    expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
    expect(second?.body).toBe(first?.body);
    expect(await replay(webhook, { id: 'dlv_nonsense' })).toMatchObject(NOT_FOUND);
    expect(await replay(await create(), delivery)).toMatchObject(NOT_FOUND);
  });

  it('of what had failed for good begins the retries anew', async () => {
    receiver.always(answer(500));
    const webhook = await create();
    await directory.submit(owner);
    await useUp(webhook);
    const [failed] = await deliveriesOf(webhook);
    const replayed = dataOf<Delivery>(await replay(webhook, failed as Delivery));
    expect(replayed).toMatchObject({ state: 'pending', next_attempt_at: TIME });
    expect(replayed.attempts).toHaveLength(7);
    receiver.forget();
    expect(await retryAt(dueOf(replayed))).toMatchObject({ delivered: 1 });
    expect((await deliveriesOf(webhook))[0]).toMatchObject({ state: 'delivered' });
  });
});

describe('a webhook that nothing gets through to for five days', () => {
  it('is switched off with a mail to every administrator and an entry in the ledger', async () => {
    const second = await person(world, { admin: true });
    await directory.get('/api/admin/webhooks', second);
    receiver.always(answer(500));
    const webhook = await create();
    await directory.submit(owner);
    await useUp(webhook);
    const since = Date.parse((await read(webhook)).failing_since ?? '');
    expect((await read(webhook)).is_active).toBe(true);

    // Hours before the time is over, an event that fails for good switches nothing off.
    const fail = async (startMs: number): Promise<void> => {
      const before = (await deliveriesOf(webhook)).length;
      await directory.submit(owner);
      await world.until(async () => {
        const [newest, ...others] = await deliveriesOf(webhook);
        return others.length === before && newest?.attempts.length === 1;
      });
      for (const pause of [0, MINUTE, 10 * MINUTE, HOUR, 3 * HOUR, 12 * HOUR]) await retryAt(startMs + pause);
      expect((await deliveriesOf(webhook))[0]?.state).not.toBe('pending');
    };
    await fail(since + 4 * DAY);
    expect(await read(webhook)).toMatchObject({ is_active: true, disabled_at: null });
    await fail(since + 5 * DAY);
    expect(await read(webhook)).toMatchObject({ is_active: false, disabled_at: TIME });

    await world.until(async () => {
      const mails = (await world.mails()).filter(({ subject }) => subject.includes('was switched off'));
      return mails.length === 2;
    });
    const mails = (await world.mails()).filter(({ subject }) => subject.includes('was switched off'));
    expect(mails.map(({ to }) => to).sort()).toEqual([directory.admin.email, second.email].sort());
    expect(mails[0]?.text).toContain(webhook.id);
    expect(mails[0]?.text).not.toContain('/hook');
    const ledger = await directory.get('/api/admin/events?kind=webhookDisabled', directory.admin);
    expect(dataOf<LedgerEvent[]>(ledger)).toEqual([
      expect.objectContaining({
        actor_id: null,
        data: {
          webhook_id: webhook.id,
          host: `127.0.0.1:${receiver.port}`,
          failing_since: expect.any(String) as unknown,
        },
      }),
    ]);

    // Nothing more is sent until somebody switches it on, and then it begins with a clean slate.
    receiver.forget();
    const count = (await deliveriesOf(webhook)).length;
    await directory.submit(owner);
    await world.until(async () => {
      const [newest] = world.world.bus.carried({ tasksToo: false, limit: 1 });
      return newest?.detail.kind === 'projectSubmitted' && newest.deliveries.every(({ state }) => state === 'done');
    });
    expect(await deliveriesOf(webhook)).toHaveLength(count);
    expect(receiver.received).toEqual([]);
    const on = await asAdmin('PUT', `${WEBHOOKS}/${webhook.id}`, { is_active: true });
    expect(on).toMatchObject({ body: { data: { is_active: true, failing_since: null, disabled_at: null } } });
  });
});
