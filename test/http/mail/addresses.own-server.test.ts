import { expect, it } from 'vitest';
import { findSuppression, suppressAddress } from '#data/mail-suppression.ts';
import { mailsTo, untilEventsDelivered } from '#test/support/events.ts';
import { type Person, subjectOf, unique } from '#test/support/fixtures.ts';
import { ownDirectory } from '#test/support/with-directory.ts';

const { server, directory } = await ownDirectory();

/** A user with a verified address. */
const personWith = async (email: string): Promise<Person> => {
  const name = unique('Ada');
  const token = await server.token({ email, name });
  return { id: subjectOf(token), email, name, token };
};

it('mail to a domain beyond ASCII goes to its Punycode form, by which it is suppressed too', async () => {
  const local = unique('reader');
  const owner = await personWith(`${local}@bücher.example`);
  const sent = { ...owner, email: `${local}@xn--bcher-kva.example` };
  const project = await directory.submit(owner);
  await untilEventsDelivered(server, directory);
  const [mail, ...more] = await mailsTo(server, sent);
  expect(mail?.headers).toMatchObject({ To: sent.email });
  // Mails address their recipient by name.
  expect(mail?.text).toContain(owner.name);
  expect(more).toEqual([]);

  // SES reports the address that it was given.
  await suppressAddress(sent.email, 'bounce');
  expect(await findSuppression(owner.email)).toMatchObject({ reason: 'bounce' });
  await directory.adminOk('PUT', `/api/admin/projects/${project.id}/approve`);
  await untilEventsDelivered(server, directory);
  expect(await mailsTo(server, sent)).toHaveLength(1);
  await directory.ok(owner, 'DELETE', '/api/user', { confirm: true });
  expect(await findSuppression(sent.email)).toBeUndefined();
});

it.each(['jörg@example.org', '.ada@example.org', 'a..da@example.org', 'ada.@example.org', 'a,da@example.org'])(
  'a user with the address %s, which SES never takes, gets no mail, and nothing is retried',
  async (email) => {
    const owner = await personWith(email);
    const { id } = await directory.live(owner);
    await untilEventsDelivered(server, directory);
    const deliveries = server.server.bus
      .events({ includeTasks: true, limit: 50 })
      .filter(({ detail }) => (detail.data as { project_id?: string }).project_id === id)
      .flatMap((event) => event.deliveries);
    expect(deliveries.some(({ subscription }) => subscription === 'mail.notifySubmitter')).toBe(true);
    expect(deliveries.filter(({ tries, error }) => tries !== 1 || error !== null)).toEqual([]);
    expect((await server.mails()).filter(({ text }) => text.includes(owner.name))).toEqual([]);
  },
);
