import { SESClient, SendRawEmailCommand } from '@aws-sdk/client-ses';
import { mockClient } from 'aws-sdk-client-mock';
import { expect, it } from 'vitest';
import { inOutbox } from '#data/event-log.ts';
import { userKey } from '#data/keys.ts';
import { findUser } from '#data/users.ts';
import { exists, transact, updateItem } from '#data/write.ts';
import type { Message } from '#events/catalogue.ts';
import { newId } from '#platform/ids.ts';
import { mailPromotionEnding } from '#services/mail/notifications.ts';
import { mailDigest } from '#services/mail/weekly-digest.ts';
import { mailsTo, untilEventsDelivered } from '#test/support/events.ts';
import { type Person, person } from '#test/support/fixtures.ts';
import { longTest } from '#test/support/long-test.ts';
import { paidSession, refundedCharge, sendStripeEvent, startPremium, stripeEvent } from '#test/support/payments.ts';
import { ownDirectory } from '#test/support/with-directory.ts';

const { server, directory } = await ownDirectory();

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

it('the service sends no emails that the user turned off, except the result of moderation', async () => {
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

it('the service mails the buyer the amount and order number of a payment', async () => {
  const buyer = await person(server);
  await signIn(buyer);
  await publishPayment(buyer, { amount: 2900, currency: 'eur' });
  await server.until(async () => (await mailsTo(server, buyer)).length === 1);
  const [mail] = await mailsTo(server, buyer);
  expect(mail).toMatchObject({ subject: 'We have received your payment of EUR 29.00' });
  expect(mail?.text).toContain('chk_1');
});

it('the service sends no payment email for a payment that was refunded before the event is processed', async () => {
  const buyer = await person(server);
  const { checkout_id: id } = await startPremium(directory, buyer, { name: 'A listing' });
  await sendStripeEvent(server, stripeEvent('charge.refunded', refundedCharge(id, 4900)));
  await sendStripeEvent(server, stripeEvent('checkout.session.completed', paidSession(id)));
  await untilEventsDelivered(server, directory);
  expect((await mailsTo(server, buyer)).map(({ subject }) => subject)).toEqual(['We have received A listing']);
});

it('the service announces the end of a promotion once per end date', async () => {
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
    'The promotion of A Tool ends on 20 December 2026 (UTC)',
    'The promotion of A Tool ends on 20 November 2026 (UTC)',
  ]);
  await setNotifications(buyer, { promotion_ending: false });
  expect(await mailPromotionEnding({ ...promotion, promotion_id: newId('prm') })).toBe(false);
});

it.each([
  'no-at-sign',
  'a@b.example\r\nBcc: c@d.example',
  'a@b.example, c@d.example',
  '<a@b.example>',
  'A <a@b.example>',
  'a@@b.example',
])('the service sends nothing to the address %j', async (email) => {
  const reader = await person(server);
  await signIn(reader);
  await updateItem(userKey(reader.id), { set: { email } }, exists);
  const user = await findUser(reader.id);
  const digest = { week: '2026-W47', newCount: 1, projects: [{ name: 'A', slug: 'a', description: 'B' }] };
  await untilEventsDelivered(server, directory);
  const before = (await server.mails()).length;
  expect(user && (await mailDigest(user, digest))).toBe(false);
  expect((await server.mails()).length).toBe(before);
});

longTest(
  'the service approves a project while SES fails, and mails the submitter once when SES works again',
  async () => {
    const owner = await person(server);
    const project = await directory.submit(owner);
    await server.until(async () => (await mailsTo(server, owner)).length === 1);
    const failingSes = mockClient(SESClient);
    failingSes.on(SendRawEmailCommand).rejects(new Error('SES is unavailable.'));
    expect(await directory.adminOk('PUT', `/api/admin/projects/${project.id}/approve`)).toMatchObject({
      body: { data: { status: 'live' } },
    });
    await server.until(async () => failingSes.commandCalls(SendRawEmailCommand).length >= 2);
    expect(await mailsTo(server, owner)).toHaveLength(1);
    failingSes.restore();
    await server.until(async () => (await mailsTo(server, owner)).length === 2);
    await untilEventsDelivered(server, directory);
    expect(await mailsTo(server, owner)).toHaveLength(2);
  },
);
