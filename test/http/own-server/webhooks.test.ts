import { statSync } from 'node:fs';
import { join } from 'node:path';
import { Webhook as ReferenceReceiver } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { LedgerEvent } from '#contract/events.ts';
import type { Attempt, Delivery, Webhook } from '#contract/webhooks.ts';
import { webhookKey } from '#data/keys.ts';
import { findWebhook } from '#data/webhooks.ts';
import { updateItem } from '#data/write.ts';
import { now } from '#platform/clock.ts';
import { postOutbound } from '#platform/outbound.ts';
import { enqueueDeliveries, type RetrySummary, retryDueDeliveries } from '#services/webhooks/deliver.ts';
import { restartFailed } from '#services/webhooks/deliveries.ts';
import type { CallResponse } from '#test/support/client.ts';
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
import { longTest } from '#test/support/long-test.ts';
import { countValidSignatures, type Received, type Receiver, respond, startReceiver } from '#test/support/receiver.ts';
import { scanTable } from '#test/support/scan-table.ts';
import { startTestServer, type TestServer } from '#test/support/server.ts';

vi.mock(import('#platform/clock.ts'), { spy: true });
vi.mock(import('#platform/outbound.ts'), { spy: true });

type CreatedWebhook = Webhook & { secret: string };

const WEBHOOKS = '/api/admin/webhooks';
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

let server: TestServer;
let directory: Directory;
let owner: Person;
let receiver: Receiver;

beforeAll(async () => {
  server = await startTestServer({ env: { WEBHOOK_ALLOW_PRIVATE: 'on' } });
  directory = await Directory.create(server);
  owner = await person(server);
  receiver = await startReceiver();
});

afterAll(async () => {
  await server.stop();
  await receiver.stop();
});

beforeEach(() => receiver.reset());

const createdIds = new Set<string>();

afterEach(async () => {
  for (const id of createdIds) await asAdmin('DELETE', `${WEBHOOKS}/${id}`);
  createdIds.clear();
});

const asAdmin = (method: string, path: string, body?: unknown): Promise<CallResponse> =>
  directory.as(directory.admin, method, path, body);

const create = async (fields: Readonly<Record<string, unknown>> = {}): Promise<CreatedWebhook> => {
  const created = await asAdmin('POST', WEBHOOKS, { url: receiver.url, kinds: ['projectSubmitted'], ...fields });
  expect(created).toMatchObject({ status: 201 });
  const webhook = dataOf<CreatedWebhook>(created);
  createdIds.add(webhook.id);
  return webhook;
};

const read = async ({ id }: { id: string }): Promise<Webhook> =>
  dataOf(await directory.get(`${WEBHOOKS}/${id}`, directory.admin));

/** The result of the reference library of Standard Webhooks: the verified content, or the message of its error. */
const verifyWithReference = ({ body, headers }: Received, secret: string): unknown => {
  try {
    return new ReferenceReceiver(secret).verify(body, headers as Record<string, string>);
  } catch (error) {
    return (error as Error).message;
  }
};

const deliveriesOf = async ({ id }: { id: string }): Promise<Delivery[]> =>
  dataOf(await directory.get(`${WEBHOOKS}/${id}/deliveries`, directory.admin));

/** Waits until the only delivery of a webhook matches. */
const deliveryOf = async (webhook: { id: string }, matches: (delivery: Delivery) => boolean): Promise<Delivery> => {
  let found: Delivery | undefined;
  await server.until(async () => {
    const [delivery, ...others] = await deliveriesOf(webhook);
    expect(others).toEqual([]);
    found = delivery;
    return delivery !== undefined && matches(delivery);
  });
  return found as Delivery;
};

/** Stops the clock of the service at a time while `work` runs. */
const atTime = async <T>(timeMs: number, work: () => Promise<T>): Promise<T> => {
  vi.mocked(now).mockReturnValue(new Date(timeMs).toISOString());
  try {
    return await work();
  } finally {
    vi.mocked(now).mockRestore();
  }
};

/** Runs several retry jobs concurrently at a simulated time. */
const retriesAt = (timeMs: number, runs: number): Promise<RetrySummary[]> =>
  atTime(timeMs, () => Promise.all(Array.from({ length: runs }, () => retryDueDeliveries())));

/** Runs the retry job at a simulated time. */
const retryAt = async (timeMs: number): Promise<RetrySummary> => (await retriesAt(timeMs, 1))[0] as RetrySummary;

const dueOf = (delivery: Delivery): number => Date.parse(delivery.next_attempt_at ?? '');

/** Runs all retries of a failing delivery. @returns the time of the last attempt. */
const exhaustRetries = async (webhook: { id: string }): Promise<number> => {
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
  longTest('is returned with its secret on creation and without it afterwards', async () => {
    const created = await create({
      description: '  Our chat\n',
      kinds: ['projectApproved', 'projectSubmitted', 'projectApproved'],
    });
    expect(created).toEqual({
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
    const { secret, ...rest } = created;
    expect(await read(created)).toEqual(rest);
    const responses = [
      await directory.get(WEBHOOKS, directory.admin),
      await asAdmin('PUT', `${WEBHOOKS}/${created.id}`, { description: 'Another' }),
      await asAdmin('POST', `${WEBHOOKS}/${created.id}/test`),
      await directory.get(`${WEBHOOKS}/${created.id}/deliveries`, directory.admin),
      await directory.get('/api/admin/events', directory.admin),
      await directory.get('/api/admin/audit', directory.admin),
    ];
    for (const { body } of responses) expect(JSON.stringify(body)).not.toContain(secret);
  });

  it('can be updated partially, listed oldest first and deleted, after which its routes return 404', async () => {
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
  ])('with an invalid %s is rejected with 400 and not stored', async (field, { at }: { at?: number }, body) => {
    const rejected = await asAdmin('POST', WEBHOOKS, body);
    expect(rejected).toMatchObject(at === undefined ? invalidAt(field) : invalidAt(field, at));
    expect(metaOf(await directory.get(WEBHOOKS, directory.admin)).total).toBe(0);
  });

  it('keeps both of two concurrent updates', async () => {
    const webhook = await create();
    const path = `${WEBHOOKS}/${webhook.id}`;
    const responses = await Promise.all([
      asAdmin('PUT', path, { description: 'Both' }),
      asAdmin('PUT', path, { kinds: ['userBanned'] }),
    ]);
    expect(responses.map(({ status }) => status)).toEqual([200, 200]);
    expect(await read(webhook)).toMatchObject({ description: 'Both', kinds: ['userBanned'] });
  });
});

describe('an event', () => {
  it('reaches a receiver that fails twice, with the same id and body and valid signatures', async () => {
    receiver.respondNext(respond(500, 'broken'), respond(503, 'still broken'), respond(204));
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
          request: { headers: expect.objectContaining({ 'webhook-id': idOf('evt') }), body: expect.any(String) },
          response: 'broken',
          error: 'Responded with status 500.',
        },
      ],
    });
    expect((await read(webhook)).failing_since).toBe(first.attempts[0]?.at);

    // One millisecond early.
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
      expect(await countValidSignatures(received, webhook.secret)).toBe(1);
      const sentAt = Date.parse(third.attempts[position]?.at ?? '');
      expect(received.headers).toMatchObject({
        'content-type': 'application/json',
        'webhook-timestamp': String(Math.floor(sentAt / 1000)),
      });
    }
    const [event] = (await server.events()).filter(({ id }) => id === first.event_id);
    expect(JSON.parse(receiver.received[0]?.body ?? '')).toEqual({
      type: 'projectSubmitted',
      timestamp: event?.occurred_at,
      id: event?.id,
      actor_id: owner.id,
      data: expect.objectContaining({ project_id: project.id, owner_id: owner.id, status: 'pending' }) as unknown,
    });
    // A signature is valid for this body and this secret only.
    const [received] = receiver.received;
    if (!received) throw new Error('No request was received.');
    expect(await countValidSignatures({ ...received, body: `${received.body} ` }, webhook.secret)).toBe(0);
    expect(await countValidSignatures(received, `whsec_${btoa('x'.repeat(32))}`)).toBe(0);
    expect(verifyWithReference(received, webhook.secret)).toEqual(JSON.parse(received.body));
    expect(verifyWithReference({ ...received, body: `${received.body} ` }, webhook.secret)).toBe(
      'No matching signature found',
    );
  });

  longTest('is retried after 5 s, 5 min, 30 min, 2 h and 8 h, and then fails', async () => {
    receiver.respondAlways(respond(410, 'gone'));
    const webhook = await create();
    await atTime(Date.now(), async () => {
      await directory.submit(owner);
      await deliveryOf(webhook, ({ attempts }) => attempts.length === 1);
    });
    const last = await exhaustRetries(webhook);
    const [delivery] = await deliveriesOf(webhook);
    const times = (delivery?.attempts ?? []).map(({ at }) => Date.parse(at));
    const pauses = times.slice(1).map((time, position) => time - (times[position] ?? 0));
    expect(pauses).toEqual([5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 8 * HOUR]);
    expect(await retryAt(last + 30 * DAY)).toMatchObject({ processed: 0 });
    expect(receiver.received).toHaveLength(6);
  });

  it('is listed newest first in pages of any size, each once', async () => {
    const webhook = await create();
    for (let count = 0; count < 3; count += 1) await directory.submit(owner);
    await server.until(async () => (await deliveriesOf(webhook)).length === 3);
    const ids = (await deliveriesOf(webhook)).map(({ id }) => id);
    expect(ids).toEqual(ids.toSorted().toReversed());
    for (const limit of [1, 2, 3]) {
      const pages: string[][] = [];
      for (let after: string | null = ''; after !== null; ) {
        const query: string = `limit=${limit}${after && `&after=${after}`}`;
        const page = await directory.get(`${WEBHOOKS}/${webhook.id}/deliveries?${query}`, directory.admin);
        pages.push(idsOf(page));
        const last: string | undefined = pages.at(-1)?.at(-1);
        after = pages.flat().length < ids.length ? (last ?? null) : null;
        expect(page.body).toMatchObject({ meta: { pageSize: limit, hasMore: after !== null, nextAfter: after } });
      }
      expect(pages.flat()).toEqual(ids);
    }
  });

  it('is sent once to each active webhook with its kind, however often the bus delivers it', async () => {
    const subscribed = await create({ kinds: ['projectSubmitted', 'projectApproved'] });
    const other = await create({ kinds: ['userBanned'] });
    const inactive = await create({ is_active: false });
    const project = await directory.live(owner);
    await server.until(
      async () => (await deliveriesOf(subscribed)).filter(({ state }) => state === 'delivered').length === 2,
    );
    expect((await deliveriesOf(subscribed)).map(({ kind }) => kind)).toEqual(['projectApproved', 'projectSubmitted']);
    expect(await deliveriesOf(other)).toEqual([]);
    expect(await deliveriesOf(inactive)).toEqual([]);
    const event = (await server.events()).find(
      ({ kind, data }) => kind === 'projectApproved' && (data as { project_id: string }).project_id === project.id,
    );
    await Promise.all([1, 2, 3].map(() => enqueueDeliveries(event as LedgerEvent)));
    expect(await deliveriesOf(subscribed)).toHaveLength(2);
    expect(receiver.received).toHaveLength(2);
  });

  longTest('is sent by one of several concurrent retry jobs', async () => {
    receiver.respondNext(respond(500));
    const webhook = await create();
    await directory.submit(owner);
    const delivery = await deliveryOf(webhook, ({ attempts }) => attempts.length === 1);
    receiver.reset();
    const summaries = await retriesAt(dueOf(delivery), 8);
    expect(summaries.map(({ delivered }) => delivered).sort()).toEqual([0, 0, 0, 0, 0, 0, 0, 1]);
    expect(receiver.received).toHaveLength(1);
    expect((await deliveriesOf(webhook))[0]?.attempts).toHaveLength(2);
  });

  it('is retried by another process a minute after the sending process died', async () => {
    receiver.respondNext(respond(500));
    const webhook = await create();
    await directory.submit(owner);
    const due = dueOf(await deliveryOf(webhook, ({ attempts }) => attempts.length === 1));
    vi.mocked(postOutbound).mockRejectedValueOnce(new Error('killed'));
    await expect(retryAt(due)).rejects.toThrow('killed');
    expect(await retryAt(due + 30 * SECOND)).toMatchObject({ processed: 0 });
    expect(await retryAt(due + 61 * SECOND)).toMatchObject({ delivered: 1 });
    expect((await deliveriesOf(webhook))[0]).toMatchObject({ state: 'delivered' });
  });

  it('is not retried after the webhook is deleted or switched off', async () => {
    receiver.respondAlways(respond(500));
    const [deleted, inactive] = [await create(), await create()];
    await directory.submit(owner);
    const due = dueOf(await deliveryOf(deleted, ({ attempts }) => attempts.length === 1));
    await deliveryOf(inactive, ({ attempts }) => attempts.length === 1);
    await directory.adminOk('DELETE', `${WEBHOOKS}/${deleted.id}`);
    await directory.adminOk('PUT', `${WEBHOOKS}/${inactive.id}`, { is_active: false });
    receiver.reset();
    expect(await retryAt(due + MINUTE)).toEqual({
      processed: 0,
      delivered: 0,
      failed: 0,
      cancelled: 1,
      unfinished: false,
    });
    expect((await deliveriesOf(inactive))[0]).toMatchObject({ state: 'cancelled', next_attempt_at: null });
    expect(await retryAt(due + DAY)).toMatchObject({ processed: 0, cancelled: 0 });
    expect(receiver.received).toEqual([]);
  });
});

describe('a response', () => {
  it('counts by its status, and the first 16 KB of its body are stored', async () => {
    receiver.respondNext(respond(201, `.${'é'.repeat(400_000)}`));
    const webhook = await create();
    await directory.submit(owner);
    const delivery = await deliveryOf(webhook, ({ state }) => state === 'delivered');
    expect(delivery.attempts[0]?.response).toBe(`.${'é'.repeat(8191)}`);
  });

  it('is stored with the request, without secrets and signatures, also where the receiver repeats them', async () => {
    const webhook = await create();
    const key = webhook.secret.slice('whsec_'.length);
    receiver.respondNext((response, { headers }) => {
      const signature = String(headers['webhook-signature']);
      const forms = [signature, signature.replaceAll('/', '\\/'), encodeURIComponent(signature), webhook.secret, key];
      response.end(forms.join('\n'));
    });
    const project = await directory.submit(owner);
    const { attempts } = await deliveryOf(webhook, ({ state }) => state === 'delivered');
    const [sent] = receiver.received;
    expect(attempts[0]?.request).toEqual({
      headers: {
        'content-type': 'application/json',
        'user-agent': sent?.headers['user-agent'],
        'webhook-id': sent?.headers['webhook-id'],
        'webhook-timestamp': sent?.headers['webhook-timestamp'],
        'webhook-signature': '[redacted]',
      },
      body: sent?.body,
    });
    expect(JSON.parse(attempts[0]?.request?.body ?? '')).toMatchObject({ data: { project_id: project.id } });
    expect(attempts[0]?.response?.match(/\[redacted\]/g)).toHaveLength(5);
    const stored = JSON.stringify(await scanTable(server));
    const signature = String(sent?.headers['webhook-signature']).slice('v1,'.length);
    for (const value of [signature, key]) expect(stored).not.toContain(value);
  });

  longTest('of many attempts is stored as far as an item has room, the newest ones', async () => {
    receiver.respondAlways(respond(500, 'x'.repeat(20_000)));
    const webhook = await create();
    await directory.submit(owner);
    const delivery = await deliveryOf(webhook, ({ attempts }) => attempts.length === 1);
    for (let attempt = 1; attempt < 21; attempt += 1) {
      await asAdmin('POST', `${WEBHOOKS}/${webhook.id}/deliveries/${delivery.id}/replay`);
    }
    const [{ attempts } = { attempts: [] }] = await deliveriesOf(webhook);
    expect(attempts).toHaveLength(20);
    const kept = attempts.filter(({ response }) => response !== null);
    expect(attempts.slice(-kept.length)).toEqual(kept);
    expect(kept.length).toBeGreaterThan(10);
    expect(kept.length).toBeLessThan(20);
    expect(kept.every(({ request, response }) => request !== null && response?.length === 16_384)).toBe(true);
  });

  it('that is a redirect is a failure and is not followed', async () => {
    const target = await startReceiver();
    receiver.respondNext(respond(302, '', { location: target.url }), respond(307, '', { location: target.url }));
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
    expect(target.connections()).toBe(0);
    await target.stop();
  });

  it('that is missing or not HTTP is a failure with a description', async () => {
    receiver.respondNext(
      (response) => response.destroy(),
      (response) => response.socket?.end('hello\r\n\r\n'),
    );
    const webhook = await create();
    await directory.submit(owner);
    const delivery = await deliveryOf(webhook, ({ attempts }) => attempts.length === 1);
    expect(delivery.attempts[0]).toMatchObject({
      ok: false,
      status: null,
      error: 'The connection was closed.',
      response: null,
    });
    await retryAt(dueOf(delivery));
    expect((await deliveriesOf(webhook))[0]?.attempts[1]).toMatchObject({ error: 'The response was not HTTP.' });
  });
});

describe('a stored secret', () => {
  const stored = async ({ id }: { id: string }) => {
    const found = await findWebhook(id);
    if (!found) throw new Error('The webhook is not stored.');
    return found;
  };

  /** The signatures of a ping that are valid for a secret. */
  const validSignatures = async ({ id, secret }: CreatedWebhook): Promise<number> => {
    receiver.reset();
    const pinged = await asAdmin('POST', `${WEBHOOKS}/${id}/test`);
    expect(pinged).toMatchObject({ status: 200, body: { data: { ok: true } } });
    const [ping] = receiver.received;
    if (!ping) throw new Error('No request was received.');
    return await countValidSignatures(ping, secret);
  };

  /** Stores the secrets as before they were encrypted. */
  const storePlain = async (webhook: CreatedWebhook): Promise<void> => {
    const { version } = await stored(webhook);
    const secrets = [{ secret: webhook.secret, expires_at: null }];
    await updateItem(webhookKey(webhook.id), { set: { secrets, version: version + 1 } });
  };

  const plainInTable = async (): Promise<boolean> => JSON.stringify(await scanTable(server)).includes('whsec_');

  it('is encrypted, also after a rotation and in the delivery of an event', async () => {
    const webhook = await create();
    const rotated = dataOf<CreatedWebhook>(await asAdmin('POST', `${WEBHOOKS}/${webhook.id}/rotate`));
    await directory.submit(owner);
    await deliveryOf(webhook, ({ state }) => state === 'delivered');
    expect(await validSignatures(rotated)).toBe(1);
    expect(await validSignatures(webhook)).toBe(1);
    expect(await plainInTable()).toBe(false);
    expect(statSync(join(server.server.dataDir, 'secrets-key.json')).mode & 0o777).toBe(0o600);
  });

  it.each<[string, (webhook: CreatedWebhook) => Promise<unknown>]>([
    ['a delivery', async (webhook) => await deliveryOf(webhook, ({ state }) => state === 'delivered')],
    ['an update', async ({ id }) => await asAdmin('PUT', `${WEBHOOKS}/${id}`, { description: 'Another' })],
  ])('from before encryption signs, and is encrypted by %s', async (_, use) => {
    const webhook = await create();
    await storePlain(webhook);
    expect(await validSignatures(webhook)).toBe(1);
    await directory.submit(owner);
    await use(webhook);
    expect(await plainInTable()).toBe(false);
    expect(await validSignatures(webhook)).toBe(1);
  });

  it('is valid in the record of its webhook only', async () => {
    const [webhook, other] = [await create(), await create()];
    const { secrets, version } = await stored(webhook);
    await updateItem(webhookKey(other.id), { set: { secrets, version: version + 1 } });
    receiver.reset();
    const pinged = await asAdmin('POST', `${WEBHOOKS}/${other.id}/test`);
    expect(pinged).toMatchObject({
      status: 200,
      body: { data: { ok: false, status: null, error: 'The secret is unreadable: rotate it.' } },
    });
    // Events of earlier tests may still arrive.
    expect(receiver.received.filter(({ body }) => body.includes('"type":"ping"'))).toEqual([]);
    const rotated = dataOf<CreatedWebhook>(await asAdmin('POST', `${WEBHOOKS}/${other.id}/rotate`));
    expect(await validSignatures(rotated)).toBe(1);
  });
});

describe('a rotated secret', () => {
  it('signs together with the previous one for 24 hours', async () => {
    const webhook = await create();
    const rotate = async () => {
      const rotated = await asAdmin('POST', `${WEBHOOKS}/${webhook.id}/rotate`);
      expect(rotated).toMatchObject({ status: 200, body: { data: { previous_secret_expires_at: TIME } } });
      return dataOf<CreatedWebhook>(rotated);
    };
    const rotated = await rotate();
    expect(rotated.secret).not.toBe(webhook.secret);
    const overlap = Date.parse(rotated.previous_secret_expires_at ?? '') - Date.parse(rotated.updated_at);
    expect(overlap).toBe(DAY);
    await directory.adminOk('POST', `${WEBHOOKS}/${webhook.id}/test`);
    const [ping] = receiver.received;
    if (!ping) throw new Error('No request was received.');
    expect(String(ping.headers['webhook-signature']).split(' ')).toHaveLength(2);
    expect(await countValidSignatures(ping, rotated.secret)).toBe(1);
    expect(await countValidSignatures(ping, webhook.secret)).toBe(1);
    for (const { secret } of [rotated, webhook])
      expect(verifyWithReference(ping, secret)).toMatchObject({ type: 'ping' });

    // After a day only the new secret signs.
    receiver.reset();
    receiver.respondNext(respond(500));
    await directory.submit(owner);
    await deliveryOf(webhook, ({ attempts }) => attempts.length === 1);
    await retryAt(Date.now() + DAY + MINUTE);
    const [before, after] = receiver.received;
    if (!before || !after) throw new Error('Two requests were expected.');
    expect(await countValidSignatures(before, webhook.secret)).toBe(1);
    expect(await countValidSignatures(after, webhook.secret)).toBe(0);
    expect(String(after.headers['webhook-signature']).split(' ')).toHaveLength(1);
    expect(await countValidSignatures(after, rotated.secret)).toBe(1);

    // After several rotations only the last two secrets sign.
    const newest = await rotate();
    await directory.adminOk('POST', `${WEBHOOKS}/${webhook.id}/test`);
    const last = receiver.received.at(-1);
    if (!last) throw new Error('No request was received.');
    const valid = [webhook, rotated, newest].map(({ secret }) => countValidSignatures(last, secret));
    expect(await Promise.all(valid)).toEqual([0, 1, 1]);
  });
});

describe('a test', () => {
  it('sends a ping immediately, even to an inactive webhook, and returns the result', async () => {
    const webhook = await create({ is_active: false });
    const path = `${WEBHOOKS}/${webhook.id}/test`;
    const succeeded = await asAdmin('POST', path);
    expect(succeeded).toMatchObject({
      status: 200,
      body: { data: { at: TIME, ok: true, status: 200, response: 'thanks', error: null, event_id: idOf('evt') } },
    });
    const [ping] = receiver.received;
    if (!ping) throw new Error('No request was received.');
    const { event_id: id } = dataOf<Attempt & { event_id: string }>(succeeded);
    expect(ping.headers['webhook-id']).toBe(id);
    expect(await countValidSignatures(ping, webhook.secret)).toBe(1);
    expect(JSON.parse(ping.body)).toEqual({
      type: 'ping',
      timestamp: TIME,
      id,
      actor_id: directory.admin.id,
      data: { webhook_id: webhook.id },
    });
    receiver.respondNext(respond(418, 'short and stout'));
    expect(await asAdmin('POST', path)).toMatchObject({
      status: 200,
      body: { data: { ok: false, status: 418, response: 'short and stout', error: 'Responded with status 418.' } },
    });
    expect(await deliveriesOf(webhook)).toEqual([]);
    expect((await read(webhook)).failing_since).toBeNull();
  });

  it('of an unreachable receiver returns the connection error', async () => {
    const stopped = await startReceiver();
    await stopped.stop();
    const webhook = await create({ url: stopped.url });
    expect(await asAdmin('POST', `${WEBHOOKS}/${webhook.id}/test`)).toMatchObject({
      status: 200,
      body: { data: { ok: false, status: null, error: 'The connection was refused.' } },
    });
  });
});

describe('the failed deliveries', () => {
  const replayAll = (webhook: { id: string }, since: unknown) =>
    asAdmin('POST', `${WEBHOOKS}/${webhook.id}/replay`, { since });
  const failedOf = async (webhook: { id: string }, query = ''): Promise<Delivery[]> =>
    dataOf(await directory.get(`${WEBHOOKS}/${webhook.id}/deliveries?state=failed${query}`, directory.admin));

  longTest('are listed by their state, and all restarted since a time', async () => {
    receiver.respondAlways(respond(500));
    const webhook = await create();
    await directory.submit(owner);
    const last = await exhaustRetries(webhook);
    const [early] = await deliveriesOf(webhook);
    await directory.submit(owner);
    await server.until(async () => (await deliveriesOf(webhook)).length === 2);
    expect(await failedOf(webhook)).toEqual([early]);
    expect(await failedOf(webhook, '&limit=1')).toHaveLength(1);
    const path = `${WEBHOOKS}/${webhook.id}/deliveries`;
    expect(await directory.get(`${path}?state=lost`, directory.admin)).toMatchObject(invalidAt('state'));

    const since = new Date(Date.parse(early?.created_at ?? '') - MINUTE).toISOString();
    expect(await replayAll(webhook, new Date(last + DAY).toISOString())).toMatchObject({ status: 202 });
    expect(await replayAll(webhook, since)).toEqual(
      expect.objectContaining({
        status: 202,
        body: { data: { webhook_id: webhook.id, since, requested_at: TIME } },
      }),
    );
    await server.until(async () => (await failedOf(webhook)).length === 0);
    const restarted = (await deliveriesOf(webhook)).at(-1) as Delivery;
    expect(restarted).toMatchObject({ id: early?.id, state: 'pending', next_attempt_at: TIME });
    receiver.respondAlways(respond(200));
    await retryAt(dueOf(restarted));
    expect((await deliveriesOf(webhook)).at(-1)).toMatchObject({ state: 'delivered' });
    const audit = await directory.get('/api/admin/audit', directory.admin);
    const actions = dataOf<{ action: string }[]>(audit).map(({ action }) => action);
    expect(actions.filter((action) => action === 'webhooks.replayFailed')).toHaveLength(2);
  });

  it('are not restarted while their webhook is disabled, nor without a time', async () => {
    const webhook = await create({ is_active: false });
    const refused = { status: 409, body: { code: 'INVALID_TRANSITION' } };
    expect(await replayAll(webhook, new Date().toISOString())).toMatchObject(refused);
    for (const since of [undefined, 'yesterday', 5]) {
      expect(await replayAll(webhook, since)).toMatchObject(invalidAt('since'));
    }
    expect(await replayAll({ id: 'whk_nonsense' }, new Date().toISOString())).toMatchObject(NOT_FOUND);
  });

  longTest('are restarted by a task that continues where its time ended, and may be repeated', async () => {
    receiver.respondAlways(respond(500));
    const webhook = await create();
    await directory.submit(owner);
    await exhaustRetries(webhook);
    const since = new Date(Date.now() - HOUR).toISOString();
    await restartFailed(webhook.id, since, 0);
    const isContinued = (): boolean =>
      server.server.bus
        .events({ includeTasks: true, limit: 200 })
        .map(({ detail }) => detail as { kind: string; data: { webhook_id?: string } })
        .some(({ kind, data }) => kind === 'webhookReplayDue' && data.webhook_id === webhook.id);
    await server.until(async () => isContinued());
    await server.until(async () => (await failedOf(webhook)).length === 0);
    const [before] = await deliveriesOf(webhook);
    await restartFailed(webhook.id, since);
    expect(await deliveriesOf(webhook)).toEqual([before]);
  });
});

describe('a replay', () => {
  const replay = (webhook: { id: string }, delivery: { id: string }) =>
    asAdmin('POST', `${WEBHOOKS}/${webhook.id}/deliveries/${delivery.id}/replay`);

  it('sends the same event again immediately and returns the delivery', async () => {
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

  it('of a failed delivery starts its retries again', async () => {
    receiver.respondAlways(respond(500));
    const webhook = await create();
    await directory.submit(owner);
    await exhaustRetries(webhook);
    const [failed] = await deliveriesOf(webhook);
    const replayed = dataOf<Delivery>(await replay(webhook, failed as Delivery));
    expect(replayed).toMatchObject({ state: 'pending', next_attempt_at: TIME });
    expect(replayed.attempts).toHaveLength(7);
    receiver.reset();
    expect(await retryAt(dueOf(replayed))).toMatchObject({ delivered: 1 });
    expect((await deliveriesOf(webhook))[0]).toMatchObject({ state: 'delivered' });
  });
});

describe('a webhook that has failed for five days', () => {
  longTest('is switched off, with an email to every administrator and an event in the ledger', async () => {
    const second = await person(server, { admin: true });
    expect(await directory.get('/api/admin/webhooks', second)).toMatchObject({ status: 200 });
    receiver.respondAlways(respond(500));
    const webhook = await create();
    await directory.submit(owner);
    await exhaustRetries(webhook);
    const since = Date.parse((await read(webhook)).failing_since ?? '');
    expect((await read(webhook)).is_active).toBe(true);

    const failDelivery = async (startMs: number): Promise<void> => {
      const before = (await deliveriesOf(webhook)).length;
      await directory.submit(owner);
      await server.until(async () => {
        const [newest, ...others] = await deliveriesOf(webhook);
        return others.length === before && newest?.attempts.length === 1;
      });
      for (const pause of [0, MINUTE, 10 * MINUTE, HOUR, 3 * HOUR, 12 * HOUR]) await retryAt(startMs + pause);
      expect((await deliveriesOf(webhook))[0]?.state).not.toBe('pending');
    };
    // After four days, a failed delivery does not switch the webhook off.
    await failDelivery(since + 4 * DAY);
    expect(await read(webhook)).toMatchObject({ is_active: true, disabled_at: null });
    await failDelivery(since + 5 * DAY);
    expect(await read(webhook)).toMatchObject({ is_active: false, disabled_at: TIME });

    await server.until(async () => {
      const mails = (await server.mails()).filter(({ subject }) => subject.includes('was switched off'));
      return mails.length === 2;
    });
    const mails = (await server.mails()).filter(({ subject }) => subject.includes('was switched off'));
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

    // Nothing is sent until the webhook is switched on, which clears its failures.
    receiver.reset();
    const count = (await deliveriesOf(webhook)).length;
    await directory.submit(owner);
    await server.until(async () => {
      const [newest] = server.server.bus.events({ includeTasks: false, limit: 1 });
      return newest?.detail.kind === 'projectSubmitted' && newest.deliveries.every(({ state }) => state === 'done');
    });
    expect(await deliveriesOf(webhook)).toHaveLength(count);
    expect(receiver.received).toEqual([]);
    const switchedOn = await asAdmin('PUT', `${WEBHOOKS}/${webhook.id}`, { is_active: true });
    expect(switchedOn).toMatchObject({ body: { data: { is_active: true, failing_since: null, disabled_at: null } } });
  });
});
