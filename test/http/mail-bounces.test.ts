import { describe, expect, it } from 'vitest';
import { mailStopKey } from '#data/keys.ts';
import { allowMail, stopMail } from '#data/mail-returns.ts';
import { findMailStop } from '#data/mail-stops.ts';
import { findUser } from '#data/users.ts';
import { sendDigest } from '#domain/mail/send-digest.ts';
import { mailReturns } from '#events/mail-returns.ts';
import { importDoor } from '#local/doors.ts';
import { lambdaContext } from '#local/lambda-context.ts';
import { mailPorts } from '#ports/mail.ts';
import { type Directory, type Person, person, subjectOf, TIME, unique } from '#test/support/fixtures.ts';
import { mailsTo, untilSettled } from '#test/support/settled.ts';
import { wholeTable } from '#test/support/whole-table.ts';
import { withDirectory } from '#test/support/with-directory.ts';
import type { TestWorld } from '#test/support/world.ts';

/** What becomes of people whose mail comes back or who complain of it: they get no more. */

let world: TestWorld;
let directory: Directory;

withDirectory((opened) => {
  ({ world, directory } = opened);
});

/** Somebody with an address at the mailboxes for rehearsals. */
const personAt = async (mailbox: string): Promise<Person> => {
  const email = `${mailbox}+${unique('reader')}@simulator.amazonses.com`;
  const token = await world.token({ email, name: 'Ada' });
  return { id: subjectOf(token), email, name: 'Ada', token };
};

const returned = async (detail: object): Promise<unknown> => {
  const handler = await importDoor(mailReturns.id);
  const event = { source: mailReturns.source, 'detail-type': 'Email Bounced', detail };
  return await handler(event, lambdaContext(mailReturns.id, unique('event'), 30));
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
  it('is sent once, and never again once it is known what became of it', async () => {
    const owner = await personAt(mailbox);
    const project = await directory.submit(owner);
    await world.until(async () => (await mailsTo(world, owner)).length === 1);
    await world.until(async () => (await findMailStop(owner.email))?.reason === reason);

    await directory.done('PUT', `/api/admin/projects/${project.id}/approve`);
    await untilSettled(world, directory);
    expect(await mailsTo(world, owner)).toHaveLength(1);
  });
});

describe('an address that takes no mail', () => {
  it('gets none of another kind either, which is counted once', async () => {
    const owner = await person(world);
    await directory.live(owner);
    await untilSettled(world, directory);
    await stopMail(owner.email, 'bounce');
    const before = (await mailsTo(world, owner)).length;
    const user = await findUser(owner.id);
    if (!user) throw new Error('He is not there.');
    const project = { name: 'New', slug: 'new', description: 'Something.' };
    const digest = { week: '2026-W01', newCount: 1, projects: [project], own: [] };
    const withheld: string[] = [];
    const office = { ...mailPorts, reportWithheld: (subscriber: string) => withheld.push(subscriber) };
    await expect(sendDigest(office, user, digest)).resolves.toBe(false);
    await expect(sendDigest(office, user, digest)).resolves.toBe(false);
    expect(withheld).toEqual(['mail.weeklyDigest']);
    expect(await mailsTo(world, owner)).toHaveLength(before);
  });

  it('is the same in capital letters', async () => {
    const address = `${unique('Reader')}@Example.com`;
    await stopMail(address, 'bounce');
    expect(await mailPorts.takesMail(address.toLowerCase())).toBe(false);
  });

  it('is written to again when its owner asks for it, and nothing is made up for', async () => {
    const owner = await personAt('bounce');
    const project = await directory.submit(owner);
    await world.until(async () => (await findMailStop(owner.email)) !== undefined);
    await expect(allowMail(owner.email)).resolves.toBe(true);
    await expect(allowMail(owner.email)).resolves.toBe(false);
    await directory.done('PUT', `/api/admin/projects/${project.id}/approve`);
    await world.until(async () => (await mailsTo(world, owner)).length === 2);
  });

  it('stands in the table as a digest only, in the export of its owner, and nowhere when its owner has been erased', async () => {
    const owner = await personAt('complaint');
    await directory.submit(owner);
    await world.until(async () => (await findMailStop(owner.email)) !== undefined);
    const stops = (await wholeTable(world)).filter(({ type }) => type === 'mailStop');
    expect(stops.map(({ pk }) => pk)).toContain(mailStopKey(owner.email).pk);
    expect(JSON.stringify(stops)).not.toContain('@');
    expect((await directory.get('/api/user/export', owner)).body).toMatchObject({
      mail_stops: [{ reason: 'complaint', since: TIME }],
    });

    expect(await directory.as(owner, 'DELETE', '/api/user')).toMatchObject({ status: 200 });
    const left = await wholeTable(world);
    expect(left.filter(({ pk }) => pk === mailStopKey(owner.email).pk)).toEqual([]);
    expect(JSON.stringify(left)).not.toContain(owner.email);
  });
});

describe('what the mail service tells', () => {
  it('stops nothing where the next mail may arrive', async () => {
    const address = `${unique('reader')}@example.com`;
    await returned(bounce(address, 'Transient'));
    await returned(bounce(address, 'Undetermined'));
    await returned({
      eventType: 'Complaint',
      complaint: { complaintFeedbackType: 'not-spam', complainedRecipients: [{ emailAddress: address }] },
      mail: { destination: [address] },
    });
    await expect(findMailStop(address)).resolves.toBeUndefined();
  });

  it('is about who was written to, whoever the mail was forwarded to', async () => {
    const [written, forwarded] = [`${unique('reader')}@example.com`, `${unique('reader')}@example.org`];
    await returned({ ...bounce(forwarded, 'Permanent'), mail: { destination: [`Ada <${written}>`] } });
    await expect(findMailStop(written)).resolves.toMatchObject({ reason: 'bounce' });
    await expect(findMailStop(forwarded)).resolves.toBeUndefined();
  });

  it('may come twice and in any order: a complaint outweighs a bounce', async () => {
    const address = `${unique('reader')}@example.com`;
    await stopMail(address, 'complaint');
    await returned(bounce(address, 'Permanent'));
    await returned(bounce(address, 'Permanent'));
    await expect(findMailStop(address)).resolves.toMatchObject({ reason: 'complaint' });
  });

  it('is not swallowed when it cannot be read, and does not repeat what it says', async () => {
    const failure = await returned({ eventType: 'Bounce', mail: { destination: ['ada@private.example'] } }).catch(
      String,
    );
    expect(failure).toContain('mail.noteReturn failed: ZodError');
    expect(failure).not.toContain('ada@private.example');
  });
});
