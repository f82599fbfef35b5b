import { afterEach, expect, it, vi } from 'vitest';
import type { LoggedEvent } from '#contract/events.ts';
import type { Delivery, Webhook } from '#contract/webhooks.ts';
import { removeUserFromLogs } from '#data/erased-users.ts';
import { markFailing } from '#data/webhooks.ts';
import { type ImportHandler, importHandler } from '#local/handlers.ts';
import { now } from '#platform/clock.ts';
import { restartFailed } from '#services/webhooks/deliveries.ts';
import { mailsTo, untilEventsDelivered } from '#test/support/events.ts';
import { dataOf, type Person, person, TIME, unique } from '#test/support/fixtures.ts';
import { runJob } from '#test/support/jobs.ts';
import { countValidSignatures, type Received, respond } from '#test/support/receiver.ts';
import { scanTable } from '#test/support/scan-table.ts';
import { interceptTable } from '#test/support/table-calls.ts';
import { ownDirectory, ownReceiver } from '#test/support/with-directory.ts';

/** What is sent about users who have been erased since: deliveries of events to webhooks, and mail. */

const WEBHOOKS = '/api/admin/webhooks';
const WORDS = 'Unmistakable words.';

/** Subscribers that wait, each until its promise is resolved. */
const held = new Map<string, PromiseWithResolvers<void>>();

/** Holds a subscriber. @returns what releases it. */
const hold = (id: string): (() => void) => {
  const waiting = Promise.withResolvers<void>();
  held.set(id, waiting);
  return () => {
    held.delete(id);
    waiting.resolve();
  };
};

const heldHandler: ImportHandler = async (id) => {
  const handler = await importHandler(id);
  return async (event, context) => {
    await held.get(id)?.promise;
    return await handler(event, context);
  };
};

const { server, directory } = await ownDirectory({
  importHandler: heldHandler,
  env: { WEBHOOK_ALLOW_PRIVATE: 'on' },
});
const receiver = await ownReceiver();
const other = await person(server);
const discussed = await directory.live(other);

const createdIds = new Set<string>();

afterEach(async () => {
  for (const { resolve } of held.values()) resolve();
  held.clear();
  for (const id of createdIds) await directory.adminOk('DELETE', `${WEBHOOKS}/${id}`);
  createdIds.clear();
});

/** A webhook that fails already, so that only the job repeats its deliveries. */
const failingWebhook = async (...kinds: LoggedEvent['kind'][]): Promise<Webhook & { secret: string }> => {
  const created = await directory.adminOk('POST', WEBHOOKS, { url: receiver.url, kinds }, 201);
  const webhook = dataOf<Webhook & { secret: string }>(created);
  createdIds.add(webhook.id);
  await markFailing(webhook.id, now());
  return webhook;
};

const comment = (user: Person) =>
  directory.ok(user, 'POST', `/api/projects/${discussed.id}/comments`, { content: WORDS }, 201);

const erase = (user: Person, query = '') => directory.ok(user, 'DELETE', `/api/user${query}`);

const pathOf = ({ id }: { id: string }) => `${WEBHOOKS}/${id}/deliveries`;

const deliveriesOf = async (webhook: { id: string }): Promise<Delivery[]> =>
  dataOf(await directory.adminOk('GET', pathOf(webhook)));

/** Waits until the newest delivery of a webhook matches. */
const deliveryOf = async (webhook: { id: string }, matches: (delivery: Delivery) => boolean): Promise<Delivery> => {
  let found: Delivery | undefined;
  await server.until(async () => {
    [found] = await deliveriesOf(webhook);
    return found !== undefined && matches(found);
  });
  return found as Delivery;
};

const hasAttempts = (count: number) => (delivery: Delivery) => delivery.attempts.length === count;

/** The items of some type that contain a text. */
const itemsWith = async (type: string, text: string) =>
  (await scanTable(server)).filter((item) => item.type === type && JSON.stringify(item).includes(text));

/** Waits until an erasure has removed the user from events and their deliveries. */
const untilErased = (user: Person): Promise<void> =>
  server.until(async () => (await scanTable(server)).every(({ pk }) => pk !== `MENTIONS#${user.id}`));

/** Runs the retry job when a delivery is due. */
const retry = async ({ next_attempt_at }: Delivery): Promise<void> => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse(next_attempt_at ?? '') });
  try {
    await runJob(server, 'retry-webhooks');
  } finally {
    vi.useRealTimers();
  }
};

const received = (position: number): Received => {
  const one = receiver.received.at(position);
  if (!one) throw new Error('No request was received.');
  return one;
};

const bodyAt = (position: number) => JSON.parse(received(position).body) as Record<string, unknown>;

const WITHOUT_USER = { actor_id: null, data: { user_id: 'erased', content: '' } };

it('an event of an erased user is sent by retries and replays without the user, also before the erasure has reached it', async () => {
  const user = await person(server);
  const webhook = await failingWebhook('commentCreated');
  receiver.respondAlways(respond(500, `What is ${WORDS}`));
  await comment(user);
  const first = await deliveryOf(webhook, hasAttempts(1));
  expect(bodyAt(0)).toMatchObject({ actor_id: user.id, data: { user_id: user.id, content: WORDS } });
  expect(first.attempts[0]?.response).toContain(WORDS);

  const release = hold('users.finishErasure');
  await erase(user);
  await retry(first);
  const second = await deliveryOf(webhook, hasAttempts(2));
  const replayed = await directory.adminOk('POST', `${pathOf(webhook)}/${first.id}/replay`);
  expect(receiver.received).toHaveLength(3);
  for (const position of [1, 2]) {
    expect(bodyAt(position)).toMatchObject({ ...WITHOUT_USER, id: first.event_id, type: 'commentCreated' });
    expect(received(position).body).not.toContain(user.id);
    expect(received(position).headers['webhook-id']).toBe(first.event_id);
    expect(await countValidSignatures(received(position), webhook.secret)).toBe(1);
  }
  // What the first attempt sent and got is no longer stored. What the receiver answers to the others goes with the erasure.
  expect(second.attempts[0]).toMatchObject({ status: 500, request: null, response: null });
  expect(second.attempts[1]?.request?.body).toBe(received(1).body);
  expect(dataOf<Delivery>(replayed).attempts).toHaveLength(3);
  expect(await itemsWith('delivery', user.id)).toEqual([]);
  expect(await itemsWith('delivery', WORDS)).toHaveLength(1);
  release();
  await untilErased(user);
  expect(await itemsWith('delivery', WORDS)).toEqual([]);
});

it('an event of an erased user stays failed and is restarted by a requested replay that runs during the erasure', async () => {
  const user = await person(server);
  const webhook = await failingWebhook('commentCreated');
  receiver.respondAlways(respond(500));
  await comment(user);
  for (let count = 1; count <= 6; count += 1) {
    const delivery = await deliveryOf(webhook, hasAttempts(count));
    if (count < 6) await retry(delivery);
  }
  await deliveryOf(webhook, ({ state }) => state === 'failed');
  const release = hold('users.finishErasure');
  await erase(user);
  // The replay has read the delivery when the erasure changes it.
  let isErasing = false;
  const recover = interceptTable(async ({ operation, written }, send) => {
    const isRestart = !isErasing && operation === 'PutItem' && written.some((key) => key.includes(webhook.id));
    if (isRestart) {
      isErasing = true;
      await removeUserFromLogs(user.id, true, Number.POSITIVE_INFINITY);
    }
    return await send();
  });
  await restartFailed(webhook.id, new Date(0).toISOString());
  recover();
  release();
  expect(await deliveryOf(webhook, ({ state }) => state === 'pending')).toMatchObject({ next_attempt_at: TIME });
});

it('an event of an erased user that reaches the webhooks after the erasure is sent without the user', async () => {
  const user = await person(server);
  const webhook = await failingWebhook('commentCreated');
  const release = hold('webhooks.enqueue');
  await comment(user);
  await erase(user);
  await untilErased(user);
  release();
  await deliveryOf(webhook, hasAttempts(1));
  expect(bodyAt(0)).toMatchObject(WITHOUT_USER);
  expect(await itemsWith('delivery', user.id)).toEqual([]);
});

it('an event of an erased user leaves no words in deliveries that have ended', async () => {
  const user = await person(server);
  const [webhook, inactive] = [await failingWebhook('commentCreated'), await failingWebhook('commentCreated')];
  receiver.respondAlways(respond(200, `Thanks for ${WORDS}`));
  await comment(user);
  await comment(other);
  for (const one of [webhook, inactive]) {
    await server.until(async () => (await deliveriesOf(one)).filter(hasAttempts(1)).length === 2);
  }
  await directory.adminOk('PUT', `${WEBHOOKS}/${inactive.id}`, { is_active: false });
  await erase(user);
  await untilErased(user);
  expect(await itemsWith('delivery', user.id)).toEqual([]);
  for (const one of [webhook, inactive]) {
    const deliveries = await deliveriesOf(one);
    const ofUser = deliveries.find(({ attempts }) => attempts[0]?.request === null);
    const ofOther = deliveries.find(({ id }) => id !== ofUser?.id);
    expect(ofUser).toMatchObject({ state: 'delivered', attempts: [{ status: 200, request: null, response: null }] });
    expect(ofOther?.attempts[0]?.request?.body).toContain(WORDS);
    expect(ofOther?.attempts[0]?.response).toContain(WORDS);
  }
});

it('an event of an erased user whose attempt is under way is sent again without the user, and the attempt is not stored', async () => {
  const user = await person(server);
  const webhook = await failingWebhook('commentCreated');
  const answer = Promise.withResolvers<void>();
  receiver.respondNext((response) => {
    void answer.promise.then(() => response.writeHead(200).end(WORDS));
  });
  await comment(user);
  await server.until(() => Promise.resolve(receiver.received.length === 1));
  await erase(user);
  await untilErased(user);
  answer.resolve();
  await untilEventsDelivered(server, directory);
  const [delivery] = await deliveriesOf(webhook);
  expect(delivery).toMatchObject({ state: 'pending', attempts: [] });
  await retry(delivery as Delivery);
  expect(bodyAt(1)).toMatchObject(WITHOUT_USER);
  expect(received(1).headers['webhook-id']).toBe(received(0).headers['webhook-id']);
  expect(await deliveryOf(webhook, hasAttempts(1))).toMatchObject({ state: 'delivered' });
});

it('an event about a project that was deleted with its owner is sent with the id of the project only', async () => {
  const user = await person(server);
  const webhook = await failingWebhook('projectSubmitted', 'projectDeleted');
  receiver.respondNext(respond(500));
  const name = unique('Distinctive project');
  const { id, slug } = await directory.submit(user, { name });
  const first = await deliveryOf(webhook, hasAttempts(1));
  expect(bodyAt(0)).toMatchObject({ data: { project_id: id, name, slug, owner_id: user.id } });
  await erase(user, '?projects=delete');
  await untilErased(user);
  const later = () => receiver.received.slice(1).map(({ body }) => JSON.parse(body) as { type: string });
  // The erasure may change the second delivery as it begins, which then waits for the job.
  await server.until(async () => {
    await runJob(server, 'retry-webhooks');
    return later().some(({ type }) => type === 'projectDeleted');
  });
  await retry(first);
  const data = { project_id: id, owner_id: 'erased', name: '', slug: '', url: '' };
  expect(
    later()
      .map(({ type }) => type)
      .toSorted(),
  ).toEqual(['projectDeleted', 'projectSubmitted']);
  for (const sent of later()) expect(sent).toMatchObject({ actor_id: null, data });
  for (const trace of [user.id, name, slug]) expect(await itemsWith('delivery', trace)).toEqual([]);
});

it('an event about a project that stays keeps its name, without the former owner', async () => {
  const user = await person(server);
  const webhook = await failingWebhook('projectUpdated');
  const name = unique('Project that stays');
  const project = await directory.live(user, { name });
  await erase(user);
  await untilErased(user);
  await directory.adminOk('PUT', `/api/admin/projects/${project.id}`, { description: 'Another description.' });
  await deliveryOf(webhook, hasAttempts(1));
  expect(bodyAt(0)).toMatchObject({
    type: 'projectUpdated',
    actor_id: directory.admin.id,
    data: { project_id: project.id, name, slug: project.slug, owner_id: 'erased' },
  });
  expect(await itemsWith('delivery', user.id)).toEqual([]);
});

it('a mail about a decision of an erased administrator is sent without the reason', async () => {
  const reviewer = await person(server, { admin: true });
  const submitter = await person(server);
  const { id } = await directory.submit(submitter);
  const release = hold('mail.notifySubmitter');
  await directory.ok(reviewer, 'PUT', `/api/admin/projects/${id}/reject`, { reason: WORDS });
  await erase(reviewer);
  await untilErased(reviewer);
  release();
  const isRejection = ({ subject }: { subject: string }) => subject.includes('was not accepted');
  await server.until(async () => (await mailsTo(server, submitter)).some(isRejection));
  const mail = (await mailsTo(server, submitter)).find(isRejection);
  expect(JSON.stringify(mail)).not.toContain(WORDS);
  expect(JSON.stringify(mail)).not.toContain('The reviewer wrote');
});
