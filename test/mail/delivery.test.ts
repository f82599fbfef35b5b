import { DatabaseSync } from 'node:sqlite';
import { SESClient, SendEmailCommand } from '@aws-sdk/client-ses';
import { mockClient } from 'aws-sdk-client-mock';
import { expect, it } from 'vitest';
import { exists } from '#data/conditions.ts';
import { userKey } from '#data/keys.ts';
import { inOutbox } from '#data/outbox.ts';
import { transact, updateItem } from '#data/write.ts';
import { sendDigest } from '#domain/mail/send-digest.ts';
import { tellPromotionEnding } from '#domain/mail/tell-promotion-ending.ts';
import type { Message } from '#events/catalogue.ts';
import { mailSubmitter } from '#events/subscriptions.ts';
import { openBus } from '#local/bus.ts';
import { importDoor } from '#local/doors.ts';
import { newId } from '#platform/ids.ts';
import { mailPorts } from '#ports/mail.ts';
import { type Directory, type Person, person, unique } from '#test/support/fixtures.ts';
import { eventOf, paidSession, refundedCharge, startPremium, tell } from '#test/support/payments.ts';
import { mailsTo, untilSettled } from '#test/support/settled.ts';
import { withDirectory } from '#test/support/with-directory.ts';
import type { TestWorld } from '#test/support/world.ts';

/** Who is mailed what, and what happens when the mail service does not take it. */

let world: TestWorld;
let directory: Directory;

withDirectory((opened) => {
  ({ world, directory } = opened);
});

const wishes = async (who: Person, notifications: Readonly<Record<string, boolean>>): Promise<void> => {
  const changed = await directory.as(who, 'PUT', '/api/user/settings', { notifications });
  expect(changed).toMatchObject({ status: 200 });
};

const paid = async (who: Person, fields: object = {}): Promise<void> => {
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

it('tells the submitter that his project was received, approved, rejected and why', async () => {
  const owner = await person(world, { name: 'Ada <b>' });
  const name = unique('Lovely <i>thing</i>');
  await directory.live(owner, { name });
  const rejected = await directory.submit(owner, { name: 'Second' });
  await directory.done('PUT', `/api/admin/projects/${rejected.id}/reject`, { reason: 'Too short.\nToo <b>loud</b>.' });
  await world.until(async () => (await mailsTo(world, owner)).length === 4);
  const mails = await mailsTo(world, owner);
  expect(mails.map(({ subject }) => subject).sort()).toEqual(
    ['Second was not accepted', 'We have received Second', `We have received ${name}`, `${name} is live`].sort(),
  );
  const rejection = mails.find(({ subject }) => subject === 'Second was not accepted');
  expect(rejection?.text).toContain('Hello Ada <b>,');
  expect(rejection?.text).toContain('> Too short.\n> Too <b>loud</b>.');
  expect(rejection?.html).toContain('Too short.<br>Too &lt;b&gt;loud&lt;/b&gt;.');
  expect(rejection?.html).toContain('Hello Ada &lt;b&gt;,');
});

it('leaves out what somebody does not want, but tells him what moderation decided', async () => {
  const owner = await person(world);
  await wishes(owner, { submission_received: false, payment_received: false });
  const project = await directory.submit(owner);
  await directory.done('PUT', `/api/admin/projects/${project.id}/reject`, {});
  await paid(owner);
  await world.until(async () => (await mailsTo(world, owner)).length > 0);
  await untilSettled(world, directory);
  expect((await mailsTo(world, owner)).map(({ subject }) => subject)).toEqual([
    expect.stringContaining('was not accepted') as unknown,
  ]);
});

it('tells whoever paid what has arrived', async () => {
  const buyer = await person(world);
  await directory.get('/api/user/profile', buyer);
  await paid(buyer, { amount: 2900, currency: 'eur' });
  await world.until(async () => (await mailsTo(world, buyer)).length === 1);
  const [mail] = await mailsTo(world, buyer);
  expect(mail).toMatchObject({ subject: 'We have received your payment of EUR 29.00' });
  expect(mail?.text).toContain('chk_1');
});

it('does not thank for what went back before anybody told of it', async () => {
  const buyer = await person(world);
  const { checkout_id: id } = await startPremium(directory, buyer, { name: 'A listing' });
  await tell(world, eventOf('charge.refunded', refundedCharge(id, 4900)));
  await tell(world, eventOf('checkout.session.completed', paidSession(id)));
  await untilSettled(world, directory);
  expect((await mailsTo(world, buyer)).map(({ subject }) => subject)).toEqual(['We have received A listing']);
});

it('tells once that a promotion ends, and again when it ends at another time', async () => {
  const buyer = await person(world);
  await directory.get('/api/user/profile', buyer);
  const promotion = {
    promotion_id: newId('prm'),
    project_slug: 'a-tool',
    project_name: 'A Tool',
    user_id: buyer.id,
    ends_at: '2026-11-20T12:00:00.000Z',
  };
  const told = await Promise.allSettled([1, 2, 3].map(() => tellPromotionEnding(mailPorts, promotion)));
  expect(told.filter((one) => one.status === 'fulfilled' && one.value)).toHaveLength(1);
  expect(await tellPromotionEnding(mailPorts, promotion)).toBe(false);
  expect(await tellPromotionEnding(mailPorts, { ...promotion, ends_at: '2026-12-20T12:00:00.000Z' })).toBe(true);
  expect((await mailsTo(world, buyer)).map(({ subject }) => subject)).toEqual([
    'The promotion of A Tool ends on 20 December 2026',
    'The promotion of A Tool ends on 20 November 2026',
  ]);
  await wishes(buyer, { promotion_ending: false });
  expect(await tellPromotionEnding(mailPorts, { ...promotion, promotion_id: newId('prm') })).toBe(false);
});

it('writes about a week once, to those who want it, and not about a week without news', async () => {
  const reader = await person(world);
  await directory.get('/api/user/profile', reader);
  const user = await mailPorts.findUser(reader.id);
  if (!user) throw new Error('Nobody is there.');
  const digest = {
    week: '2026-W47',
    newCount: 1,
    projects: [{ name: 'A Tool', slug: 'a-tool', description: 'Good.' }],
  };
  expect(await sendDigest(mailPorts, user, digest)).toBe(true);
  expect(await sendDigest(mailPorts, user, digest)).toBe(false);
  expect(await sendDigest(mailPorts, user, { week: '2026-W48', newCount: 0, projects: [] })).toBe(false);
  await wishes(reader, { weekly_digest: false });
  const other = await mailPorts.findUser(reader.id);
  expect(other && (await sendDigest(mailPorts, other, { ...digest, week: '2026-W49' }))).toBe(false);
  expect(await mailsTo(world, reader)).toHaveLength(1);
});

it.each([
  'nobody',
  'a@b.example\r\nBcc: c@d.example',
  'a@b.example, c@d.example',
  '<a@b.example>',
  'A <a@b.example>',
  'a@@b.example',
])('writes to no address such as %j', async (email) => {
  const odd = await person(world);
  await directory.get('/api/user/profile', odd);
  await updateItem(userKey(odd.id), { set: { email } }, exists);
  const user = await mailPorts.findUser(odd.id);
  const digest = { week: '2026-W47', newCount: 1, projects: [{ name: 'A', slug: 'a', description: 'B' }] };
  const before = (await world.mails()).length;
  expect(user && (await sendDigest(mailPorts, user, digest))).toBe(false);
  expect((await world.mails()).length).toBe(before);
});

it('approves while the mail service fails, and mails once when it works again', async () => {
  const owner = await person(world);
  const project = await directory.submit(owner);
  await world.until(async () => (await mailsTo(world, owner)).length === 1);
  const broken = mockClient(SESClient);
  broken.on(SendEmailCommand).rejects(new Error('The service is not there.'));
  expect(await directory.done('PUT', `/api/admin/projects/${project.id}/approve`)).toMatchObject({
    body: { data: { status: 'live' } },
  });
  await world.until(async () => broken.commandCalls(SendEmailCommand).length >= 2);
  expect(await mailsTo(world, owner)).toHaveLength(1);
  broken.restore();
  await world.until(async () => (await mailsTo(world, owner)).length === 2);
  await untilSettled(world, directory);
  expect(await mailsTo(world, owner)).toHaveLength(2);
});

it('leaves a mail that cannot be sent at all as a dead letter, with everything that is needed to send it later', async () => {
  const owner = await person(world);
  const project = await directory.submit(owner);
  const broken = mockClient(SESClient);
  broken.on(SendEmailCommand).rejects(new Error('The service is not there.'));
  const journal = new DatabaseSync(':memory:');
  const bus = openBus({ journal, subscriptions: [mailSubmitter], importDoor, firstPauseMs: 1, triesMax: 3 });
  bus.start();
  const [event] = (await world.events()).filter(({ kind }) => kind === 'projectSubmitted');
  const detail = {
    ...event,
    id: newId('evt'),
    data: { ...(event?.data as object), project_id: project.id, owner_id: owner.id },
  };
  bus.putEvents({ Entries: [{ Source: 'directory', DetailType: 'projectSubmitted', Detail: JSON.stringify(detail) }] });
  await world.until(async () => bus.deadLetters().length === 1);
  expect(bus.deadLetters()).toEqual([
    {
      subscription: 'mail.tellSubmitter',
      kind: 'projectSubmitted',
      tries: 3,
      error: 'mail.tellSubmitter failed: Error.',
      detail,
    },
  ]);
  broken.restore();
  await bus.stop();
  journal.close();
});
