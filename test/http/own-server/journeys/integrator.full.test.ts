import { Webhook as StandardWebhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { Delivery, Webhook } from '#contract/webhooks.ts';
import { now } from '#platform/clock.ts';
import { Directory, dataOf, person } from '#test/support/fixtures.ts';
import { type Received, type Receiver, respond, startReceiver } from '#test/support/receiver.ts';
import { startTestServer, type TestServer } from '#test/support/server.ts';

vi.mock(import('#platform/clock.ts'), { spy: true });

const CRON_SECRET = 'the-secret-of-this-test';
const WEBHOOKS = '/api/admin/webhooks';

let server: TestServer;
let directory: Directory;
let receiver: Receiver;

beforeAll(async () => {
  server = await startTestServer({ env: { CRON_SECRET, WEBHOOK_ALLOW_PRIVATE: 'on' } });
  directory = await Directory.create(server);
  receiver = await startReceiver();
});

afterAll(async () => {
  await server.stop();
  await receiver.stop();
});

/** Moves the clock of the service forward for one run of the retry job. */
const retryLater = async (seconds: number): Promise<void> => {
  vi.mocked(now).mockImplementation(() => new Date(Date.now() + seconds * 1000).toISOString());
  const ran = await server.call('POST', '/api/cron/retry-webhooks', { token: CRON_SECRET });
  vi.mocked(now).mockRestore();
  expect(ran).toMatchObject({ status: 200, body: { data: { job: 'retry-webhooks', processed: 1 } } });
};

it('a webhook receives every event once its server recovers, and can verify the signatures', async () => {
  // The secret is returned only when the webhook is created.
  const made = await directory.as(directory.admin, 'POST', WEBHOOKS, {
    url: receiver.url,
    kinds: ['projectSubmitted', 'projectApproved'],
    description: 'Our chat',
  });
  const { id, secret } = dataOf<Webhook & { secret: string }>(made);
  expect(made.status).toBe(201);
  expect(await directory.adminOk('GET', `${WEBHOOKS}/${id}`)).not.toHaveProperty('body.data.secret');
  const reference = new StandardWebhook(secret);
  const checked = ({ body, headers }: Received) => reference.verify(body, headers as Record<string, string>);

  // A test delivery reaches the server.
  expect(await directory.adminOk('POST', `${WEBHOOKS}/${id}/test`)).toMatchObject({
    body: { data: { ok: true, status: 200 } },
  });
  expect(checked(receiver.received[0] as Received)).toMatchObject({ type: 'ping' });

  // The server fails twice; the submission succeeds.
  receiver.reset();
  receiver.respondNext(respond(500, 'out of memory'), respond(503, 'restarting'));
  const project = await directory.submit(await person(server), { name: 'Worth Telling' });
  const delivery = async (): Promise<Delivery | undefined> =>
    dataOf<Delivery[]>(await directory.adminOk('GET', `${WEBHOOKS}/${id}/deliveries`)).find(
      (one) => one.kind === 'projectSubmitted',
    );
  await server.until(async () => (await delivery())?.attempts.length === 1);
  expect(await delivery()).toMatchObject({
    state: 'pending',
    attempts: [{ ok: false, status: 500, response: 'out of memory' }],
  });
  // The first retry follows after five seconds, without the job.
  await server.until(async () => (await delivery())?.attempts.length === 2, 9000);
  expect(await delivery()).toMatchObject({ state: 'pending', attempts: [{ status: 500 }, { status: 503 }] });
  expect(await directory.adminOk('GET', `${WEBHOOKS}/${id}`)).not.toHaveProperty('body.data.failing_since', null);

  // The retry after five minutes succeeds, with the same body and id and a new signature.
  await retryLater(5 * 60 + 1);
  expect(await delivery()).toMatchObject({
    state: 'delivered',
    next_attempt_at: null,
    attempts: [{}, {}, { ok: true, status: 200 }],
  });
  expect(receiver.received).toHaveLength(3);
  expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
  const [first] = receiver.received as [Received];
  expect(checked(first)).toMatchObject({
    type: 'projectSubmitted',
    data: { project_id: project.id, name: 'Worth Telling', status: 'pending' },
  });
  expect(() => checked({ ...first, body: first.body.replace('Worth', 'Not worth') })).toThrow(/signature/);
  expect(await directory.adminOk('GET', `${WEBHOOKS}/${id}`)).toMatchObject({
    body: { data: { failing_since: null } },
  });

  // The next event is delivered immediately; an earlier one can be replayed.
  receiver.reset();
  await directory.adminOk('PUT', `/api/admin/projects/${project.id}/approve`);
  await server.until(async () => receiver.received.length === 1);
  expect(checked(receiver.received[0] as Received)).toMatchObject({ type: 'projectApproved' });
  const { id: earlier, event_id } = (await delivery()) as Delivery;
  await directory.adminOk('POST', `${WEBHOOKS}/${id}/deliveries/${earlier}/replay`);
  expect(receiver.received[1]?.headers['webhook-id']).toBe(event_id);

  // After a rotation messages are signed with both secrets for a while.
  const rotated = await directory.adminOk('POST', `${WEBHOOKS}/${id}/rotate`);
  const next = new StandardWebhook(dataOf<{ secret: string }>(rotated).secret);
  await directory.adminOk('POST', `${WEBHOOKS}/${id}/test`);
  const last = receiver.received.at(-1) as Received;
  expect(checked(last)).toEqual(next.verify(last.body, last.headers as Record<string, string>));

  // The ledger contains the same events.
  const events = dataOf<{ kind: string; data: object }[]>(await directory.adminOk('GET', '/api/admin/events'));
  expect(events.map(({ kind }) => kind)).toEqual(['projectApproved', 'projectSubmitted']);
});
