import { statSync } from 'node:fs';
import { join } from 'node:path';
import { Webhook as ReferenceReceiver } from 'standardwebhooks';
import { afterEach, expect, it, vi } from 'vitest';
import type { LoggedEvent } from '#contract/events.ts';
import type { Attempt, Delivery, Webhook } from '#contract/webhooks.ts';
import { webhookKey } from '#data/keys.ts';
import { dueDeliveries, replaceDelivery, webhooks } from '#data/webhooks.ts';
import { updateItem } from '#data/write.ts';
import { claimed } from '#model/webhook.ts';
import { enqueueDeliveries, restartFailed } from '#services/webhooks/deliveries.ts';
import { runAsHandler } from '#test/support/aws-calls.ts';
import type { CallResponse } from '#test/support/client.ts';
import { untilEventsDelivered } from '#test/support/events.ts';
import { dataOf, idOf, idsOf, invalidAt, NOT_FOUND, person, success, TIME, unique } from '#test/support/fixtures.ts';
import { type JobResult, runJob } from '#test/support/jobs.ts';
import { longTest } from '#test/support/long-test.ts';
import { countValidSignatures, type Received, respond, startReceiver } from '#test/support/receiver.ts';
import { scanTable } from '#test/support/scan-table.ts';
import { ownDirectory, ownReceiver } from '#test/support/with-directory.ts';

type CreatedWebhook = Webhook & { secret: string };

const WEBHOOKS = '/api/admin/webhooks';
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const { server, directory } = await ownDirectory({ env: { WEBHOOK_ALLOW_PRIVATE: 'on' } });
const owner = await person(server);
const receiver = await ownReceiver();

const createdIds = new Set<string>();

afterEach(async () => {
  for (const id of createdIds) await asAdmin('DELETE', `${WEBHOOKS}/${id}`);
  createdIds.clear();
});

const asAdmin = (method: string, path: string, body?: unknown): Promise<CallResponse> =>
  directory.asAdmin(method, path, body);

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

/** The last request that the receiver got. */
const latest = (): Received => {
  const last = receiver.received.at(-1);
  if (!last) throw new Error('No request was received.');
  return last;
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

/** Runs work with a clock that stands still at a time. */
const atTime = async <T>(timeMs: number, work: () => Promise<T>): Promise<T> => {
  vi.useFakeTimers({ toFake: ['Date'], now: timeMs });
  try {
    return await work();
  } finally {
    vi.useRealTimers();
  }
};

/** Runs the retry job at a simulated time, several times concurrently. */
const retriesAt = (timeMs: number, runs: number): Promise<JobResult[]> =>
  atTime(timeMs, () => Promise.all(Array.from({ length: runs }, () => runJob(server, 'retry-webhooks'))));

const retryAt = async (timeMs: number): Promise<JobResult> => (await retriesAt(timeMs, 1))[0] as JobResult;

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

longTest('a webhook is returned with its secret on creation only', async () => {
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

it('a webhook can be updated partially, listed oldest first and deleted, after which it is not found', async () => {
  const [first, second, third] = [await create(), await create(), await create({ is_active: false })];
  const path = `${WEBHOOKS}/${second.id}`;
  const changed = await asAdmin('PUT', path, { kinds: ['commentCreated'], is_active: false });
  expect(changed).toMatchObject(success({ kinds: ['commentCreated'], is_active: false, url: receiver.url }));
  expect(await read(second)).toEqual(dataOf(changed));
  expect(await read(third)).toMatchObject({ is_active: false });
  expect(idsOf(await directory.adminOk('GET', WEBHOOKS))).toEqual([first.id, second.id, third.id]);
  expect(await asAdmin('DELETE', path)).toMatchObject(success({ id: second.id, deleted: true }));
  expect(await asAdmin('GET', path)).toMatchObject(NOT_FOUND);
});

it('a webhook keeps both of two concurrent updates', async () => {
  const webhook = await create();
  const path = `${WEBHOOKS}/${webhook.id}`;
  const responses = await Promise.all([
    asAdmin('PUT', path, { description: 'Both' }),
    asAdmin('PUT', path, { kinds: ['userBanned'] }),
  ]);
  expect(responses.map(({ status }) => status)).toEqual([200, 200]);
  expect(await read(webhook)).toMatchObject({ description: 'Both', kinds: ['userBanned'] });
});

it('an event for a webhook reaches a receiver that fails twice, with the same id and body and valid signatures', async () => {
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

longTest('an event for a webhook is retried after 5 s, 5 min, 30 min, 2 h and 8 h, and then fails', async () => {
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

it('an event for a webhook is sent once to each active webhook with its kind, however often the bus delivers it', async () => {
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
  await Promise.all([1, 2, 3].map(() => enqueueDeliveries(event as LoggedEvent)));
  expect(await deliveriesOf(subscribed)).toHaveLength(2);
  expect(receiver.received).toHaveLength(2);
});

longTest('an event for a webhook is sent again after five seconds without a run of the retry job', async () => {
  // One delivery at a time per process waits for its first retry: those of earlier tests end first.
  await untilEventsDelivered(server, directory);
  receiver.respondNext(respond(500));
  const webhook = await create();
  await directory.submit(owner);
  const { attempts } = await deliveryOf(webhook, ({ state }) => state === 'delivered');
  const [first = 0, second = 0] = attempts.map(({ at }) => Date.parse(at));
  expect(second - first).toBeGreaterThanOrEqual(5 * SECOND);
});

longTest('an event for a webhook is sent by one of several concurrent retry jobs', async () => {
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

it('an event for a webhook is retried by another process a minute after the sending process died', async () => {
  receiver.respondNext(respond(500));
  const webhook = await create();
  await directory.submit(owner);
  const due = dueOf(await deliveryOf(webhook, ({ attempts }) => attempts.length === 1));
  // As the process leaves the delivery that dies while it sends.
  const at = new Date(due).toISOString();
  const [delivery] = (await dueDeliveries(at, 100)).filter(({ webhook_id }) => webhook_id === webhook.id);
  if (!delivery) throw new Error('No delivery is due.');
  expect(await replaceDelivery(delivery, claimed(delivery, at))).toBeTruthy();
  expect(await retryAt(due + 30 * SECOND)).toMatchObject({ processed: 0 });
  expect(await retryAt(due + 61 * SECOND)).toMatchObject({ delivered: 1 });
  expect((await deliveriesOf(webhook))[0]).toMatchObject({ state: 'delivered' });
});

it('an event for a webhook is not retried after the webhook is deleted or switched off', async () => {
  receiver.respondAlways(respond(500));
  const [deleted, inactive] = [await create(), await create()];
  await directory.submit(owner);
  const due = dueOf(await deliveryOf(deleted, ({ attempts }) => attempts.length === 1));
  await deliveryOf(inactive, ({ attempts }) => attempts.length === 1);
  await directory.adminOk('DELETE', `${WEBHOOKS}/${deleted.id}`);
  await directory.adminOk('PUT', `${WEBHOOKS}/${inactive.id}`, { is_active: false });
  receiver.reset();
  const counts = { processed: 0, delivered: 0, failed: 0, cancelled: 1, unfinished: false };
  expect(await retryAt(due + MINUTE)).toMatchObject(counts);
  expect((await deliveriesOf(inactive))[0]).toMatchObject({ state: 'cancelled', next_attempt_at: null });
  expect(await retryAt(due + DAY)).toMatchObject({ processed: 0, cancelled: 0 });
  expect(receiver.received).toEqual([]);
});

it('a response to a delivery counts by its status, and the first 16 KB of its body are stored', async () => {
  receiver.respondNext(respond(201, `.${'é'.repeat(400_000)}`));
  const webhook = await create();
  await directory.submit(owner);
  const delivery = await deliveryOf(webhook, ({ state }) => state === 'delivered');
  expect(delivery.attempts[0]?.response).toBe(`.${'é'.repeat(8191)}`);
});

it('a response to a delivery is stored with the request, without secrets and signatures, also where the receiver repeats them', async () => {
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

longTest('a response to a delivery is stored for the newest attempts, as far as an item has room', async () => {
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

it('a response to a delivery that is a redirect counts as a failure and is not followed', async () => {
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

it('a response to a delivery that is missing or not HTTP counts as a failure with a description', async () => {
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

const stored = async ({ id }: { id: string }) => {
  const found = await webhooks.find(id);
  if (!found) throw new Error('The webhook is not stored.');
  return found;
};

/** The signatures of a ping that are valid for a secret. */
const validSignatures = async ({ id, secret }: CreatedWebhook): Promise<number> => {
  receiver.reset();
  expect(await asAdmin('POST', `${WEBHOOKS}/${id}/test`)).toMatchObject(success({ ok: true }));
  return await countValidSignatures(latest(), secret);
};

const plainInTable = async (): Promise<boolean> => JSON.stringify(await scanTable(server)).includes('whsec_');

it('a stored secret of a webhook is encrypted in the table, also after a rotation, and signs deliveries', async () => {
  const webhook = await create();
  const rotated = dataOf<CreatedWebhook>(await asAdmin('POST', `${WEBHOOKS}/${webhook.id}/rotate`));
  await directory.submit(owner);
  await deliveryOf(webhook, ({ state }) => state === 'delivered');
  expect(await validSignatures(rotated)).toBe(1);
  expect(await validSignatures(webhook)).toBe(1);
  expect(await plainInTable()).toBe(false);
  expect(statSync(join(server.server.dataDir, 'secrets-key.json')).mode & 0o777).toBe(0o600);
});

it('a stored secret of a webhook is readable in the record of its webhook only', async () => {
  const [webhook, other] = [await create(), await create()];
  const { secrets, version } = await stored(webhook);
  await updateItem(webhookKey(other.id), { set: { secrets, version: version + 1 } });
  receiver.reset();
  const pinged = await asAdmin('POST', `${WEBHOOKS}/${other.id}/test`);
  expect(pinged).toMatchObject(success({ ok: false, status: null, error: 'The secret is unreadable: rotate it.' }));
  // Events of earlier tests may still arrive.
  expect(receiver.received.filter(({ body }) => body.includes('"type":"ping"'))).toEqual([]);
  const rotated = dataOf<CreatedWebhook>(await asAdmin('POST', `${WEBHOOKS}/${other.id}/rotate`));
  expect(await validSignatures(rotated)).toBe(1);
});

it('a rotated secret of a webhook signs together with the previous one for 24 hours', async () => {
  const webhook = await create();
  const rotate = async () => {
    const rotated = await asAdmin('POST', `${WEBHOOKS}/${webhook.id}/rotate`);
    expect(rotated).toMatchObject(success({ previous_secret_expires_at: TIME }));
    return dataOf<CreatedWebhook>(rotated);
  };
  const rotated = await rotate();
  expect(rotated.secret).not.toBe(webhook.secret);
  const overlap = Date.parse(rotated.previous_secret_expires_at ?? '') - Date.parse(rotated.updated_at);
  expect(overlap).toBe(DAY);
  await directory.adminOk('POST', `${WEBHOOKS}/${webhook.id}/test`);
  const ping = latest();
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
  const valid = [webhook, rotated, newest].map(({ secret }) => countValidSignatures(latest(), secret));
  expect(await Promise.all(valid)).toEqual([0, 1, 1]);
});

it('a test request to a webhook sends a ping immediately, even to an inactive webhook, and returns the result', async () => {
  const webhook = await create({ is_active: false });
  const path = `${WEBHOOKS}/${webhook.id}/test`;
  const succeeded = await asAdmin('POST', path);
  expect(succeeded).toMatchObject(
    success({ at: TIME, ok: true, status: 200, response: 'thanks', error: null, event_id: idOf('evt') }),
  );
  const ping = latest();
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
  expect(await asAdmin('POST', path)).toMatchObject(
    success({ ok: false, status: 418, response: 'short and stout', error: 'Responded with status 418.' }),
  );
  expect(await deliveriesOf(webhook)).toEqual([]);
  expect((await read(webhook)).failing_since).toBeNull();
});

it('a test request to a webhook of an unreachable receiver returns the connection error', async () => {
  const stopped = await startReceiver();
  await stopped.stop();
  const webhook = await create({ url: stopped.url });
  expect(await asAdmin('POST', `${WEBHOOKS}/${webhook.id}/test`)).toMatchObject(
    success({ ok: false, status: null, error: 'The connection was refused.' }),
  );
});

const replayAll = (webhook: { id: string }, since: unknown) =>
  asAdmin('POST', `${WEBHOOKS}/${webhook.id}/replay`, { since });
const failedOf = async (webhook: { id: string }, query = ''): Promise<Delivery[]> =>
  dataOf(await directory.get(`${WEBHOOKS}/${webhook.id}/deliveries?state=failed${query}`, directory.admin));

longTest('the failed deliveries of a webhook are listed by their state, and all restarted since a time', async () => {
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

it('the failed deliveries of a webhook are not restarted while their webhook is disabled, nor without a time', async () => {
  const webhook = await create({ is_active: false });
  const refused = { status: 409, body: { code: 'INVALID_TRANSITION' } };
  expect(await replayAll(webhook, new Date().toISOString())).toMatchObject(refused);
  for (const since of [undefined, 'yesterday', 5]) {
    expect(await replayAll(webhook, since)).toMatchObject(invalidAt('since'));
  }
});

longTest('the failed deliveries of a webhook are restarted by a task that continues after its time', async () => {
  receiver.respondAlways(respond(500));
  const webhook = await create();
  await directory.submit(owner);
  await exhaustRetries(webhook);
  const since = new Date(Date.now() - HOUR).toISOString();
  await runAsHandler('webhooks.restartFailed', () => restartFailed(webhook.id, since, 0));
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

const replay = (webhook: { id: string }, delivery: { id: string }) =>
  asAdmin('POST', `${WEBHOOKS}/${webhook.id}/deliveries/${delivery.id}/replay`);

it('a replay of a delivery sends the same event again immediately and returns the delivery', async () => {
  const webhook = await create();
  await directory.submit(owner);
  const delivery = await deliveryOf(webhook, ({ state }) => state === 'delivered');
  const replayed = await replay(webhook, delivery);
  expect(replayed).toMatchObject(success({ id: delivery.id, state: 'delivered' }));
  expect(dataOf<Delivery>(replayed).attempts).toHaveLength(2);
  const [first, second] = receiver.received;
  expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
  expect(second?.body).toBe(first?.body);
  expect(await replay(await create(), delivery)).toMatchObject(NOT_FOUND);
});

it('a replay of a delivery that succeeds ends the failure of its webhook', async () => {
  receiver.respondNext(respond(500));
  const webhook = await create();
  await directory.submit(owner);
  const delivery = await deliveryOf(webhook, ({ attempts }) => attempts.length === 1);
  expect(await read(webhook)).toMatchObject({ failing_since: TIME });
  expect(await replay(webhook, delivery)).toMatchObject(success({ state: 'delivered' }));
  expect(await read(webhook)).toMatchObject({ failing_since: null });
});

longTest('a replay of a delivery of a failed delivery starts its retries again', async () => {
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

longTest('a webhook that has failed for five days is switched off, with emails and an event', async () => {
  const second = await person(server, { admin: true });
  await directory.ok(second, 'GET', '/api/admin/webhooks');
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
    // Only the last attempt of a delivery decides.
    for (const pause of [0, MINUTE, 10 * MINUTE, HOUR, 3 * HOUR, 12 * HOUR]) {
      expect(await read(webhook)).toMatchObject({ is_active: true });
      await retryAt(startMs + pause);
    }
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
  const disabled = (await server.events()).filter(({ kind }) => kind === 'webhookDisabled');
  const host = `127.0.0.1:${receiver.port}`;
  expect(disabled).toMatchObject([
    { actor_id: null, data: { webhook_id: webhook.id, host, failing_since: new Date(since).toISOString() } },
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
  expect(switchedOn).toMatchObject(success({ is_active: true, failing_since: null, disabled_at: null }));
});
