import { DatabaseSync } from 'node:sqlite';
import { SESClient, SendEmailCommand } from '@aws-sdk/client-ses';
import { mockClient } from 'aws-sdk-client-mock';
import { expect, it } from 'vitest';
import { userKey } from '#data/keys.ts';
import { inOutbox } from '#data/outbox.ts';
import { findUser } from '#data/users.ts';
import { exists, transact, updateItem } from '#data/write.ts';
import type { Message } from '#events/catalogue.ts';
import { mailSubmitter } from '#events/subscriptions.ts';
import { openBus } from '#local/bus.ts';
import { importHandler } from '#local/handlers.ts';
import { watchStorage } from '#local/storage.ts';
import { newId } from '#platform/ids.ts';
import { mailPromotionEnding } from '#services/mail/notifications.ts';
import { mailDigest } from '#services/mail/weekly-digest.ts';
import { mailsTo, untilEventsDelivered } from '#test/support/events.ts';
import { type Directory, type Person, person, unique } from '#test/support/fixtures.ts';
import { longTest } from '#test/support/long-test.ts';
import { paidSession, refundedCharge, sendStripeEvent, startPremium, stripeEvent } from '#test/support/payments.ts';
import type { TestServer } from '#test/support/server.ts';
import { withOwnServer } from '#test/support/with-directory.ts';

let server: TestServer;
let directory: Directory;

withOwnServer((opened) => {
  ({ server, directory } = opened);
});

/** The first request creates the user. */
const signIn = async (who: Person): Promise<void> => {
  expect(await directory.get('/api/user/profile', who)).toMatchObject({ status: 200 });
};

const setNotifications = async (who: Person, notifications: Readonly<Record<string, boolean>>): Promise<void> => {
  const changed = await directory.as(who, 'PUT', '/api/user/settings', { notifications });
  expect(changed).toMatchObject({ status: 200 });
};

const publishPayment = async (who: Person, fields: object = {}): Promise<void> => {
  const data = {
    checkout_id: 'chk_1',
    purpose: 'promotion',
    project_id: null,
    user_id: who.id,
    amount: 6900,
    currency: 'usd',
  };
  const event = {
    id: newId('evt'),
    kind: 'paymentSettled',
    occurred_at: new Date().toISOString(),
    actor_id: who.id,
    data: { ...data, ...fields },
  };
  await transact([inOutbox(event as Message)]);
};

it('mails the submitter when a project is received, approved or rejected, with the reason', async () => {
  const owner = await person(server, { name: 'Ada <b>' });
  const name = unique('Lovely <i>thing</i>');
  await directory.live(owner, { name });
  const rejected = await directory.submit(owner, { name: 'Second' });
  await directory.adminOk('PUT', `/api/admin/projects/${rejected.id}/reject`, {
    reason: 'Too short.\nToo <b>loud</b>.',
  });
  await server.until(async () => (await mailsTo(server, owner)).length === 4);
  const mails = await mailsTo(server, owner);
  expect(mails.map(({ subject }) => subject).sort()).toEqual(
    ['Second was not accepted', 'We have received Second', `We have received ${name}`, `${name} is live`].sort(),
  );
  const rejection = mails.find(({ subject }) => subject === 'Second was not accepted');
  expect(rejection?.text).toContain('Hello Ada <b>,');
  expect(rejection?.text).toContain('The reviewer wrote:\n\n> Too short.\n> Too <b>loud</b>.\n\nYou can edit');
  expect(rejection?.html).toContain('Too short.<br>Too &lt;b&gt;loud&lt;/b&gt;.');
  expect(rejection?.html).toContain('Hello Ada &lt;b&gt;,');
});

it('sends no emails that the user turned off, except the result of moderation', async () => {
  const owner = await person(server);
  await setNotifications(owner, { submission_received: false, payment_received: false });
  const project = await directory.submit(owner);
  await directory.adminOk('PUT', `/api/admin/projects/${project.id}/reject`, {});
  await publishPayment(owner);
  await server.until(async () => (await mailsTo(server, owner)).length > 0);
  await untilEventsDelivered(server, directory);
  expect((await mailsTo(server, owner)).map(({ subject }) => subject)).toEqual([
    expect.stringContaining('was not accepted') as unknown,
  ]);
});

it('mails the buyer the amount and order number of a payment', async () => {
  const buyer = await person(server);
  await signIn(buyer);
  await publishPayment(buyer, { amount: 2900, currency: 'eur' });
  await server.until(async () => (await mailsTo(server, buyer)).length === 1);
  const [mail] = await mailsTo(server, buyer);
  expect(mail).toMatchObject({ subject: 'We have received your payment of EUR 29.00' });
  expect(mail?.text).toContain('chk_1');
});

it('sends no payment email for a payment that was refunded before the event is processed', async () => {
  const buyer = await person(server);
  const { checkout_id: id } = await startPremium(directory, buyer, { name: 'A listing' });
  await sendStripeEvent(server, stripeEvent('charge.refunded', refundedCharge(id, 4900)));
  await sendStripeEvent(server, stripeEvent('checkout.session.completed', paidSession(id)));
  await untilEventsDelivered(server, directory);
  expect((await mailsTo(server, buyer)).map(({ subject }) => subject)).toEqual(['We have received A listing']);
});

it('announces the end of a promotion once per end date', async () => {
  const buyer = await person(server);
  await signIn(buyer);
  const promotion = {
    promotion_id: newId('prm'),
    project_slug: 'a-tool',
    project_name: 'A Tool',
    user_id: buyer.id,
    ends_at: '2026-11-20T12:00:00.000Z',
  };
  const results = await Promise.allSettled([1, 2, 3].map(() => mailPromotionEnding(promotion)));
  expect(results.filter((result) => result.status === 'fulfilled' && result.value)).toHaveLength(1);
  expect(await mailPromotionEnding(promotion)).toBe(false);
  expect(await mailPromotionEnding({ ...promotion, ends_at: '2026-12-20T12:00:00.000Z' })).toBe(true);
  expect((await mailsTo(server, buyer)).map(({ subject }) => subject)).toEqual([
    'The promotion of A Tool ends on 20 December 2026',
    'The promotion of A Tool ends on 20 November 2026',
  ]);
  await setNotifications(buyer, { promotion_ending: false });
  expect(await mailPromotionEnding({ ...promotion, promotion_id: newId('prm') })).toBe(false);
});

it('mails the digest of a week once, to users who have it turned on, and no empty digest', async () => {
  const reader = await person(server);
  await signIn(reader);
  const user = await findUser(reader.id);
  if (!user) throw new Error('The user does not exist.');
  const digest = {
    week: '2026-W47',
    newCount: 1,
    projects: [{ name: 'A Tool', slug: 'a-tool', description: 'Good.' }],
  };
  expect(await mailDigest(user, digest)).toBe(true);
  expect(await mailDigest(user, digest)).toBe(false);
  expect(await mailDigest(user, { week: '2026-W48', newCount: 0, projects: [] })).toBe(false);
  await setNotifications(reader, { weekly_digest: false });
  const updated = await findUser(reader.id);
  expect(updated && (await mailDigest(updated, { ...digest, week: '2026-W49' }))).toBe(false);
  expect(await mailsTo(server, reader)).toHaveLength(1);
});

it.each([
  'no-at-sign',
  'a@b.example\r\nBcc: c@d.example',
  'a@b.example, c@d.example',
  '<a@b.example>',
  'A <a@b.example>',
  'a@@b.example',
])('sends nothing to the address %j', async (email) => {
  const reader = await person(server);
  await signIn(reader);
  await updateItem(userKey(reader.id), { set: { email } }, exists);
  const user = await findUser(reader.id);
  const digest = { week: '2026-W47', newCount: 1, projects: [{ name: 'A', slug: 'a', description: 'B' }] };
  const before = (await server.mails()).length;
  expect(user && (await mailDigest(user, digest))).toBe(false);
  expect((await server.mails()).length).toBe(before);
});

longTest('approves a project while SES fails, and mails the submitter once when SES works again', async () => {
  const owner = await person(server);
  const project = await directory.submit(owner);
  await server.until(async () => (await mailsTo(server, owner)).length === 1);
  const failingSes = mockClient(SESClient);
  failingSes.on(SendEmailCommand).rejects(new Error('SES is unavailable.'));
  expect(await directory.adminOk('PUT', `/api/admin/projects/${project.id}/approve`)).toMatchObject({
    body: { data: { status: 'live' } },
  });
  await server.until(async () => failingSes.commandCalls(SendEmailCommand).length >= 2);
  expect(await mailsTo(server, owner)).toHaveLength(1);
  failingSes.restore();
  await server.until(async () => (await mailsTo(server, owner)).length === 2);
  await untilEventsDelivered(server, directory);
  expect(await mailsTo(server, owner)).toHaveLength(2);
});

it('moves an event to the dead-letter queue after the last failed attempt, complete enough to redrive it', async () => {
  const owner = await person(server);
  const project = await directory.submit(owner);
  const failingSes = mockClient(SESClient);
  failingSes.on(SendEmailCommand).rejects(new Error('SES is unavailable.'));
  const journal = new DatabaseSync(':memory:');
  const bus = openBus({
    journal,
    storage: watchStorage(journal, '.'),
    subscriptions: [mailSubmitter],
    importHandler,
    firstPauseMs: 1,
    triesMax: 3,
  });
  bus.start();
  const [event] = (await server.events()).filter(({ kind }) => kind === 'projectSubmitted');
  const detail = {
    ...event,
    id: newId('evt'),
    data: { ...(event?.data as object), project_id: project.id, owner_id: owner.id },
  };
  bus.putEvents({ Entries: [{ Source: 'directory', DetailType: 'projectSubmitted', Detail: JSON.stringify(detail) }] });
  await server.until(async () => bus.deadLetters().length === 1);
  expect(bus.deadLetters()).toEqual([
    {
      subscription: 'mail.tellSubmitter',
      kind: 'projectSubmitted',
      tries: 3,
      error: 'mail.tellSubmitter failed: Error.',
      detail,
    },
  ]);
  failingSes.restore();
  await bus.stop();
  journal.close();
});
