import { Webhook as StandardWebhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { Delivery, Webhook } from '#contract/webhooks.ts';
import { now } from '#platform/clock.ts';
import { Directory, dataOf, person } from '#test/support/fixtures.ts';
import { answer, type Received, type Receiver, startReceiver } from '#test/support/receiver.ts';
import { startTestWorld, type TestWorld } from '#test/support/world.ts';

/** The integrator: somebody who has another system told what happens here, on a server that is not always well. */

vi.mock(import('#platform/clock.ts'), { spy: true });

const CRON_SECRET = 'the-secret-of-this-test';
const WEBHOOKS = '/api/admin/webhooks';

let world: TestWorld;
let directory: Directory;
let receiver: Receiver;

beforeAll(async () => {
  world = await startTestWorld({ env: { CRON_SECRET, WEBHOOK_ALLOW_PRIVATE: 'on' } });
  directory = await Directory.open(world);
  receiver = await startReceiver();
});

afterAll(async () => {
  await world.stop();
  await receiver.stop();
});

/** Lets the service think that it is later, and has the job run that is due by then. */
const retryLater = async (seconds: number): Promise<void> => {
  vi.mocked(now).mockImplementation(() => new Date(Date.now() + seconds * 1000).toISOString());
  const ran = await world.call('POST', '/api/cron/retry-webhooks', { token: CRON_SECRET });
  vi.mocked(now).mockRestore();
  expect(ran).toMatchObject({ status: 200, body: { data: { job: 'retry-webhooks', processed: 1 } } });
};

it('is told everything once his server works, and can check that it came from here', async () => {
  // He gives his address and is shown the secret, this once.
  const made = await directory.as(directory.admin, 'POST', WEBHOOKS, {
    url: receiver.url,
    kinds: ['projectSubmitted', 'projectApproved'],
    description: 'Our chat',
  });
  const { id, secret } = dataOf<Webhook & { secret: string }>(made);
  expect(made.status).toBe(201);
  expect(await directory.done('GET', `${WEBHOOKS}/${id}`)).not.toHaveProperty('body.data.secret');
  const reference = new StandardWebhook(secret);
  const checked = ({ body, headers }: Received) => reference.verify(body, headers as Record<string, string>);

  // A ping shows that the way is free.
  expect(await directory.done('POST', `${WEBHOOKS}/${id}/test`)).toMatchObject({
    body: { data: { ok: true, status: 200 } },
  });
  expect(checked(receiver.received[0] as Received)).toMatchObject({ type: 'ping' });

  // His server fails twice. Whoever submits does not notice.
  receiver.forget();
  receiver.next(answer(500, 'out of memory'), answer(503, 'restarting'));
  const project = await directory.submit(await person(world), { name: 'Worth Telling' });
  const delivery = async (): Promise<Delivery | undefined> =>
    dataOf<Delivery[]>(await directory.done('GET', `${WEBHOOKS}/${id}/deliveries`)).find(
      (one) => one.kind === 'projectSubmitted',
    );
  await world.until(async () => (await delivery())?.attempts.length === 1);
  expect(await delivery()).toMatchObject({
    state: 'pending',
    attempts: [{ ok: false, status: 500, response: 'out of memory' }],
  });
  // Five seconds later it is tried again, without anybody asking.
  await world.until(async () => (await delivery())?.attempts.length === 2, 9000);
  expect(await delivery()).toMatchObject({ state: 'pending', attempts: [{ status: 500 }, { status: 503 }] });
  expect(await directory.done('GET', `${WEBHOOKS}/${id}`)).not.toHaveProperty('body.data.failing_since', null);

  // Five minutes later it accepts: the same message, under the same id, signed each time anew.
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
  expect(await directory.done('GET', `${WEBHOOKS}/${id}`)).toMatchObject({ body: { data: { failing_since: null } } });

  // What comes next comes at once; what he lost he has sent again.
  receiver.forget();
  await directory.done('PUT', `/api/admin/projects/${project.id}/approve`);
  await world.until(async () => receiver.received.length === 1);
  expect(checked(receiver.received[0] as Received)).toMatchObject({ type: 'projectApproved' });
  const { id: lost, event_id } = (await delivery()) as Delivery;
  await directory.done('POST', `${WEBHOOKS}/${id}/deliveries/${lost}/replay`);
  expect(receiver.received[1]?.headers['webhook-id']).toBe(event_id);

  // A new secret: for a while messages are signed with both, so that nothing is lost in between.
  const rotated = await directory.done('POST', `${WEBHOOKS}/${id}/rotate`);
  const next = new StandardWebhook(dataOf<{ secret: string }>(rotated).secret);
  await directory.done('POST', `${WEBHOOKS}/${id}/test`);
  const last = receiver.received.at(-1) as Received;
  expect(checked(last)).toEqual(next.verify(last.body, last.headers as Record<string, string>));

  // The ledger tells an administrator the same story.
  const events = dataOf<{ kind: string; data: object }[]>(await directory.done('GET', '/api/admin/events'));
  expect(events.map(({ kind }) => kind)).toEqual(['projectApproved', 'projectSubmitted']);
});
