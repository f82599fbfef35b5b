import { describe, expect, it, vi } from 'vitest';
import { mailSuppressionKey } from '#data/keys.ts';
import { findSuppression, suppressAddress, unsuppressAddress } from '#data/mail-suppression.ts';
import { findUser } from '#data/users.ts';
import { mailFeedback } from '#events/subscriptions.ts';
import { importHandler } from '#local/handlers.ts';
import { lambdaContext } from '#local/lambda-context.ts';
import { log } from '#platform/log.ts';
import { mailDigest } from '#services/mail/weekly-digest.ts';
import { mailsTo, untilEventsDelivered } from '#test/support/events.ts';
import { type Person, person, subjectOf, TIME, unique } from '#test/support/fixtures.ts';
import { captureMetrics } from '#test/support/metrics.ts';
import { scanTable } from '#test/support/scan-table.ts';
import { ownDirectory } from '#test/support/with-directory.ts';

const { server, directory } = await ownDirectory();

/** A user with an address at the SES mailbox simulator. */
const personAt = async (mailbox: string): Promise<Person> => {
  const email = `${mailbox}+${unique('reader')}@simulator.amazonses.com`;
  const token = await server.token({ email, name: 'Ada' });
  return { id: subjectOf(token), email, name: 'Ada', token };
};

const deliverFeedback = async (detail: object): Promise<unknown> => {
  const handler = await importHandler(mailFeedback.id);
  const event = { source: mailFeedback.source, 'detail-type': 'Email Bounced', detail };
  return await handler(event, lambdaContext(mailFeedback.id, unique('event'), 30));
};

const bounce = (to: string, bounceType: string) => ({
  eventType: 'Bounce',
  bounce: { bounceType, bounceSubType: 'General', bouncedRecipients: [{ emailAddress: to }] },
  mail: { destination: [to] },
});

describe.each([
  ['bounce', 'bounce'],
  ['suppressionlist', 'bounce'],
  ['complaint', 'complaint'],
])('mail to %s@simulator.amazonses.com', (mailbox, reason) => {
  it('is withheld after the feedback of SES', async () => {
    const owner = await personAt(mailbox);
    const project = await directory.submit(owner);
    await server.until(async () => (await mailsTo(server, owner)).length === 1);
    await server.until(async () => (await findSuppression(owner.email))?.reason === reason);

    await directory.adminOk('PUT', `/api/admin/projects/${project.id}/approve`);
    await untilEventsDelivered(server, directory);
    expect(await mailsTo(server, owner)).toHaveLength(1);
  });
});

it('a suppressed email address gets no email of another kind, and the withheld email is counted once', async () => {
  const owner = await person(server);
  await directory.live(owner);
  await untilEventsDelivered(server, directory);
  await suppressAddress(owner.email, 'bounce');
  const before = (await mailsTo(server, owner)).length;
  const user = await findUser(owner.id);
  if (!user) throw new Error('The user does not exist.');
  const project = { name: 'New', slug: 'new', description: 'Something.' };
  const digest = { week: '2026-W01', newCount: 1, projects: [project], own: [] };
  const countOf = captureMetrics();
  const logged = vi.spyOn(log, 'info');
  await expect(mailDigest(user, digest)).resolves.toBe(false);
  await expect(mailDigest(user, digest)).resolves.toBe(false);
  expect(countOf('MailWithheld')).toBe(1);
  expect(logged.mock.calls.filter(([message]) => String(message).startsWith('email withheld'))).toEqual([
    ['email withheld: the address is suppressed', { subscription: 'mail.weeklyDigest' }],
  ]);
  expect(await mailsTo(server, owner)).toHaveLength(before);
});

it('a suppressed email address gets email again after the suppression is removed, but not the withheld emails', async () => {
  const owner = await personAt('bounce');
  const project = await directory.submit(owner);
  await server.until(async () => (await mailsTo(server, owner)).length === 1);
  await server.until(async () => (await findSuppression(owner.email)) !== undefined);
  await expect(unsuppressAddress(owner.email)).resolves.toBe(true);
  await expect(unsuppressAddress(owner.email)).resolves.toBe(false);
  await directory.adminOk('PUT', `/api/admin/projects/${project.id}/approve`);
  await server.until(async () => (await mailsTo(server, owner)).length === 2);
});

it('a suppressed email address is stored as a digest, exported with its owner and deleted with its owner', async () => {
  const owner = await personAt('complaint');
  await directory.submit(owner);
  await server.until(async () => (await mailsTo(server, owner)).length === 1);
  await server.until(async () => (await findSuppression(owner.email)) !== undefined);
  const suppressions = (await scanTable(server)).filter(({ type }) => type === 'mailSuppression');
  expect(suppressions.map(({ pk }) => pk)).toContain(mailSuppressionKey(owner.email).pk);
  expect(JSON.stringify(suppressions)).not.toContain('@');
  expect((await directory.get('/api/user/export', owner)).body).toMatchObject({
    data: { mail_stops: [{ reason: 'complaint', since: TIME }] },
  });

  await directory.ok(owner, 'DELETE', '/api/user');
  const left = await scanTable(server);
  expect(left.filter(({ pk }) => pk === mailSuppressionKey(owner.email).pk)).toEqual([]);
  expect(JSON.stringify(left)).not.toContain(owner.email);
});

it('SES feedback suppresses nothing when it is temporary or not spam', async () => {
  const address = `${unique('reader')}@example.com`;
  await deliverFeedback(bounce(address, 'Transient'));
  await deliverFeedback(bounce(address, 'Undetermined'));
  await deliverFeedback({
    eventType: 'Complaint',
    complaint: { complaintFeedbackType: 'not-spam', complainedRecipients: [{ emailAddress: address }] },
    mail: { destination: [address] },
  });
  await expect(findSuppression(address)).resolves.toBeUndefined();
});

it('SES feedback suppresses the destination of a forwarded email, not the final recipient', async () => {
  const [destination, forwarded] = [`${unique('reader')}@example.com`, `${unique('reader')}@example.org`];
  await deliverFeedback({ ...bounce(forwarded, 'Permanent'), mail: { destination: [`Ada <${destination}>`] } });
  await expect(findSuppression(destination)).resolves.toMatchObject({ reason: 'bounce' });
  await expect(findSuppression(forwarded)).resolves.toBeUndefined();
});

it('SES feedback is idempotent, and a bounce does not replace a complaint', async () => {
  const address = `${unique('reader')}@example.com`;
  await suppressAddress(address, 'complaint');
  for (const _ of [1, 2]) await deliverFeedback(bounce(address.toUpperCase(), 'Permanent'));
  await expect(findSuppression(address)).resolves.toMatchObject({ reason: 'complaint' });
});

it('SES feedback fails when it is malformed, with an error that contains no personal data', async () => {
  const failure = await deliverFeedback({
    eventType: 'Bounce',
    mail: { destination: ['ada@private.example'] },
  }).catch(String);
  expect(failure).toContain('mail.recordFeedback failed: ZodError');
  expect(failure).not.toContain('ada@private.example');
});
