import { expect, it } from 'vitest';
import type { Delivery, Webhook } from '#contract/webhooks.ts';
import { beginRun } from '#data/jobs.ts';
import { checkoutKey, importKey, projectKey } from '#data/keys.ts';
import { findItem } from '#data/read.ts';
import { findDelivery, replaceDelivery } from '#data/webhooks.ts';
import { updateItem } from '#data/write.ts';
import { DAY_MS } from '#model/days.ts';
import type { DeliveryRecord } from '#model/webhook.ts';
import { now, secondsFromNow, timeAfter } from '#platform/clock.ts';
import { newId } from '#platform/ids.ts';
import { mailsTo } from '#test/support/events.ts';
import { dataOf, idsOf, type Person, person, unique } from '#test/support/fixtures.ts';
import { IMPORTS, importIn, uploadFile } from '#test/support/imports.ts';
import { runJob } from '#test/support/jobs.ts';
import {
  checkoutOf,
  chooseOutcome,
  type StartedCheckout,
  startPremium,
  withoutStripeEvents,
} from '#test/support/payments.ts';
import { respond } from '#test/support/receiver.ts';
import { withClockAhead, YEARS_AHEAD_MS } from '#test/support/virtual-time.ts';
import { ownDirectory, ownReceiver } from '#test/support/with-directory.ts';
import { needsFeature } from '#test/support/without-feature.ts';

/** The clock of a machine was years ahead while the service ran, and is set back: nothing waits for that time to come. */

const { server, directory } = await ownDirectory({ env: { WEBHOOK_ALLOW_PRIVATE: 'on' } });
const owner = await person(server);
const receiver = await ownReceiver();

const yearsAhead = <T>(work: () => Promise<T>): Promise<T> => withClockAhead(YEARS_AHEAD_MS, work);

const newestListings = async (): Promise<string[]> => idsOf(await directory.get('/api/projects?sort=newest&limit=100'));
const usersNamed = async (who: Person, { email }: Person): Promise<string[]> =>
  idsOf(await directory.get(`/api/admin/users?q=${encodeURIComponent(email)}`, who));

it('lists have what was published before and after it', async () => {
  const before = await yearsAhead(async () => {
    const admin = await person(server, { admin: true });
    const { id } = await directory.submit(admin);
    await directory.ok(admin, 'PUT', `/api/admin/projects/${id}/approve`);
    expect(await newestListings()).toContain(id);
    return id;
  });
  const { id: after } = await directory.live(owner);
  expect(await newestListings()).toEqual(expect.arrayContaining([before, after]));
});

it('the list of users has who joined before and after it', async () => {
  const before = await yearsAhead(async () => {
    const admin = await person(server, { admin: true });
    expect(await usersNamed(admin, admin)).toEqual([admin.id]);
    return admin;
  });
  const after = await person(server);
  await directory.ok(after, 'GET', '/api/user/profile');
  // The list is not read meanwhile.
  const between = await yearsAhead(async () => {
    const user = await person(server);
    await directory.ok(user, 'GET', '/api/user/profile');
    return user;
  });
  for (const user of [before, between, after]) expect(await usersNamed(directory.admin, user)).toEqual([user.id]);
});

it('changes are not read again with each refresh until that time', async () => {
  const { id } = await yearsAhead(async () => await directory.submit(await person(server)));
  const isAhead = async () => String((await findItem(projectKey(id)))?.feed_sk) > now();
  expect(await isAhead()).toBe(true);
  await runJob(server, 'snapshot-catalog');
  expect(await isAhead()).toBe(false);
  await directory.adminOk('PUT', `/api/admin/projects/${id}/approve`);
  expect(await newestListings()).toContain(id);
});

it('the number of users has who joined before and after it', async () => {
  const join = async () => directory.ok(await person(server), 'GET', '/api/user/profile');
  const counted = async () => dataOf<{ users: number }>(await directory.adminOk('GET', '/api/admin/summary')).users;
  await yearsAhead(async () => {
    await join();
    await withClockAhead(120_000, () => runJob(server, 'snapshot-catalog'));
  });
  await join();
  const total = await counted();
  await withClockAhead(120_000, () => runJob(server, 'snapshot-catalog'));
  expect(await counted()).toBe(total + 1);
  await withClockAhead(240_000, () => runJob(server, 'snapshot-catalog'));
  expect(await counted()).toBe(total + 1);
});

it('the event log has what happens afterwards', async () => {
  await yearsAhead(async () => newId('run'));
  const { id } = await directory.submit(owner);
  const events = dataOf<{ id: string; data: { project_id?: string } }[]>(
    await directory.adminOk('GET', '/api/admin/events?kind=projectSubmitted'),
  );
  const event = events.find(({ data }) => data.project_id === id);
  expect(event).toBeDefined();
  await directory.adminOk('GET', `/api/admin/events/${event?.id}`);
});

it('a job can be started whose process died', async () => {
  const running = await yearsAhead(async () => ({ run_id: 'killed', started_at: now(), until: secondsFromNow(600) }));
  await beginRun('purge-deleted', running, false);
  await directory.adminOk('POST', '/api/admin/jobs/purge-deleted/run', undefined, 202);
});

it('an import can be cancelled whose process died', async () => {
  const id = await uploadFile(directory, Buffer.from('name,url\nA,https://a.example/\n'));
  const seen_at = await yearsAhead(async () => now());
  const started = { state: 'checking', run: 'killed', started_at: seen_at, seen_at, mapping: null };
  await updateItem(importKey(id), { set: started });
  await directory.adminOk('POST', `${IMPORTS}/${id}/cancel`);
  await importIn(directory, id, 'cancelled');
});

it('a webhook gets the retries that are due', async () => {
  needsFeature('webhooks');
  const path = '/api/admin/webhooks';
  const body = { url: receiver.url, kinds: ['projectSubmitted'] };
  const { id } = dataOf<Webhook>(await directory.adminOk('POST', path, body, 201));
  const deliveries = async () => dataOf<Delivery[]>(await directory.adminOk('GET', `${path}/${id}/deliveries`));
  receiver.respondNext(respond(500));
  await directory.submit(owner);
  await server.until(async () => (await deliveries())[0]?.attempts.length === 1);
  const stored = (await findDelivery(id, String((await deliveries())[0]?.id))) as DeliveryRecord;
  const next_attempt_at = await yearsAhead(async () => timeAfter(60_000));
  // The claim of a further attempt is of this version, so that none is made meanwhile.
  expect(await replaceDelivery(stored, { ...stored, next_attempt_at, version: stored.version + 1 })).toBe(true);
  await runJob(server, 'retry-webhooks');
  expect(await deliveries()).toMatchObject([{ state: 'delivered', attempts: [{ ok: false }, { ok: true }] }]);
  await directory.adminOk('DELETE', `${path}/${id}`);
});

it('a payment is found whose event was lost', async () => {
  const { buyer, id } = await yearsAhead(async () => {
    const early = await person(server, { email: `${unique('buyer')}@example.com` });
    return { buyer: early, id: (await startPremium(directory, early)).checkout_id };
  });
  await withoutStripeEvents(async () => {
    await chooseOutcome(directory, id, 'paid');
    expect(await runJob(server, 'reconcile-payments')).toMatchObject({ settled: 1 });
  });
  const again = { ...buyer, token: await server.token({ email: buyer.email, name: buyer.name }) };
  expect(await checkoutOf(directory, again, id)).toMatchObject({ status: 'fulfilled' });
});

it('a checkout expires whose payment page was never opened', async () => {
  const id = await yearsAhead(async () => (await startPremium(directory, await person(server))).checkout_id);
  await updateItem(checkoutKey(id), { set: { session_id: null } });
  expect(await runJob(server, 'reconcile-payments')).toMatchObject({ ended: 1 });
  expect(await findItem(checkoutKey(id))).toMatchObject({ status: 'expired' });
});

it('a promotion that waits for its payment is listed once', async () => {
  needsFeature('promotions');
  const id = await yearsAhead(async () => {
    const buyer = await person(server);
    const project = await directory.submit(buyer);
    const admin = await person(server, { admin: true });
    await directory.ok(admin, 'PUT', `/api/admin/projects/${project.id}/approve`);
    const body = { kind: 'promotion', project_id: project.id, placements: ['detail'], months: 1 };
    return dataOf<StartedCheckout>(await directory.ok(buyer, 'POST', '/api/payments/checkout', body)).checkout_id;
  });
  expect(idsOf(await directory.adminOk('GET', '/api/admin/promotions?status=pending_payment'))).toEqual([
    id.replace('chk_', 'prm_'),
  ]);
});

it('a follower gets what is published afterwards, each listing once', async () => {
  needsFeature('follows');
  const { slug } = await directory.addCategory();
  const follower = await person(server);
  const follow = { query: { category: slug }, frequency: 'daily' };
  await directory.ok(follower, 'POST', '/api/me/follows', follow, 201);
  /** Publishes a listing at a time from now, and sends the digest of that day. */
  const expectDigest = async (aheadMs: number): Promise<void> => {
    const published = await withClockAhead(aheadMs - 60_000, async () => {
      const admin = await person(server, { admin: true });
      const project = await directory.submit(admin, { categories: [slug] });
      await directory.ok(admin, 'PUT', `/api/admin/projects/${project.id}/approve`);
      return project;
    });
    await withClockAhead(aheadMs, () => runJob(server, 'follow-digest'));
    const mails = (await mailsTo(server, follower)).filter(({ subject }) => /new listings? on/.test(subject));
    expect(mails[0]?.text.match(/\/projects\/\S+/g)).toEqual([`/projects/${published.slug}`]);
  };
  await expectDigest(YEARS_AHEAD_MS);
  for (const day of [2, 3, 4]) await expectDigest(day * DAY_MS);
});
