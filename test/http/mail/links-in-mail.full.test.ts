import { expect, it } from 'vitest';
import { person } from '#test/support/fixtures.ts';
import { startPremium } from '#test/support/payments.ts';
import { ownDirectory } from '#test/support/with-directory.ts';

/** Someone who follows every link of every mail, and every address to which a payment leads. */

const CRON_SECRET = 'the-secret-of-this-test';
const HTML = { accept: 'text/html' };

const { server, directory } = await ownDirectory({ env: { CRON_SECRET } });

const statusOf = async (address: string): Promise<number> => {
  const { origin, pathname, search } = new URL(address);
  expect(origin).toBe(`http://localhost:${server.server.port}`);
  const { status, headers } = await server.call('GET', `${pathname}${search}`, { headers: HTML });
  expect(headers.get('content-type')).toContain('text/html');
  return status;
};

it('every link of every mail and of every payment leads to a page', async () => {
  const owner = await person(server, { name: 'Lea Linker' });
  const subjects = async () => (await server.mails()).map(({ subject }) => subject);

  // Two premium submissions: one is paid, one is cancelled.
  const [paid, cancelled] = [
    await startPremium(directory, owner, { name: 'Paid One' }),
    await startPremium(directory, owner, { name: 'Cancelled One' }),
  ];
  for (const [checkout, outcome] of [
    [paid, 'paid'],
    [cancelled, 'expired'],
  ] as const) {
    expect(await statusOf(checkout.checkoutUrl)).toBe(200);
    const decided = await server.call('POST', new URL(checkout.checkoutUrl).pathname, {
      rawBody: `outcome=${outcome}`,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect(decided.status).toBe(303);
    expect(await statusOf(decided.headers.get('location') ?? '')).toBe(200);
  }

  // The links of mails about a listing that is pending, live and rejected.
  await server.until(async () => (await subjects()).includes('We have received Paid One'));
  await server.until(async () => (await subjects()).some((subject) => subject.includes('your payment of')));
  const follow = async (): Promise<number> => {
    const links = (await server.mails()).flatMap(({ text, html }) => [
      ...text.matchAll(/https?:\/\/\S+/g),
      ...html.matchAll(/(?<=href=")[^"]+/g),
    ]);
    for (const link of new Set(links.map(([address]) => address))) {
      expect([link, await statusOf(link)]).toEqual([link, 200]);
    }
    return new Set(links.map(([address]) => address)).size;
  };
  // Listings that are not public have no page, and so no link.
  expect(await follow()).toBeGreaterThan(0);

  const live = await directory.live(owner, { name: 'Live One' });
  const rejected = await directory.submit(owner, { name: 'Rejected One' });
  await directory.adminOk('PUT', `/api/admin/projects/${rejected.id}/reject`, { reason: 'No.' });
  await server.until(async () => (await subjects()).includes('Live One is live'));
  await server.until(async () => (await subjects()).includes('Rejected One was not accepted'));
  expect(await server.call('POST', '/api/cron/weekly-digest', { token: CRON_SECRET })).toMatchObject({ status: 200 });
  await server.until(async () => (await subjects()).some((subject) => subject.endsWith('this week')));
  expect(await follow()).toBeGreaterThan(1);

  // A public listing is shown; unknown and deleted ones are not found.
  const shown = await server.call('GET', `/projects/${live.slug}`, { headers: HTML });
  expect(shown.body).toContain('Live One');
  expect((await server.call('GET', `/projects/${rejected.slug}`, { headers: HTML })).body).not.toContain(
    'Rejected One',
  );
  await directory.adminOk('DELETE', `/api/admin/projects/${rejected.id}`);
  for (const path of [`/projects/${rejected.slug}`, '/projects/none'])
    expect((await server.call('GET', path, { headers: HTML })).status).toBe(404);
});

it('the default addresses to which Stripe itself returns lead to a page', async () => {
  for (const path of ['/checkout/success?checkout=chk_1', '/checkout/cancel?checkout=chk_1'])
    expect([path, await statusOf(`http://localhost:${server.server.port}${path}`)]).toEqual([path, 200]);
});
