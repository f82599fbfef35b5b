import { setTimeout as wait } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { Promotion, ShownPromotion } from '#contract/promotions.ts';
import { agents } from '#test/support/analytics.ts';
import { conflict, type Directory, dataOf, idsOf, NOT_FOUND, person } from '#test/support/fixtures.ts';
import { checkoutOf, decide, ledgerOf, type Started } from '#test/support/payments.ts';
import { withDirectory } from '#test/support/with-directory.ts';
import type { TestWorld } from '#test/support/world.ts';

/** The shop window: a site elsewhere that shows what is promoted, from the purchase of a place to its end. */

const CRON_SECRET = 'the-secret-of-this-test';

let world: TestWorld;
let directory: Directory;

withDirectory(
  (opened) => {
    ({ world, directory } = opened);
  },
  { env: { CRON_SECRET, ALLOWED_ORIGINS: 'https://shop.example' } },
);

/** What the window does: it is no user, and runs on another origin. */
const fromShop = (method: string, path: string, agent: string = agents.chrome) =>
  directory.as(undefined, method, path, undefined, { 'user-agent': agent, origin: 'https://shop.example' });

const shown = async (placement: string): Promise<ShownPromotion[]> =>
  dataOf<ShownPromotion[]>(await fromShop('GET', `/api/promotions?placement=${placement}`));

it('shows what was bought, reports what was seen and followed, and stops when it ends', async () => {
  const buyer = await person(world);
  const { id: projectId, slug } = await directory.live(buyer, { name: 'Best Bread' });
  const own = async (): Promise<Promotion[]> => dataOf(await directory.get('/api/user/promotions', buyer));

  // The banner is bought for two months and paid.
  const order = { kind: 'promotion', project_id: slug, placements: ['banner', 'detail'], months: 2 };
  const buy = (who = buyer) => directory.as(who, 'POST', '/api/payments/checkout', order);
  const { checkout_id: checkoutId } = dataOf<Started>(await buy());
  await decide(directory, checkoutId, 'paid');
  await world.until(async () => (await checkoutOf(directory, buyer, checkoutId)).status === 'fulfilled');
  expect(await ledgerOf(directory, buyer)).toMatchObject([{ kind: 'promotion', amount: 17_600 }]);
  const [pending] = await own();
  expect(pending).toMatchObject({ status: 'pending', placements: ['banner', 'detail'], price: 17_600 });
  const id = pending?.id ?? '';
  expect(await shown('banner')).toEqual([]);

  // Its place is held while it waits for its approval; there is one banner.
  expect(await buy()).toMatchObject(conflict('SOLD_OUT'));

  // The buyer says what the button says; the administrator lets it run.
  expect(await directory.as(buyer, 'PUT', `/api/user/promotions/${id}`, { cta_text: 'Taste it' })).toMatchObject({
    status: 200,
  });
  await directory.done('PUT', `/api/admin/promotions/${id}`, { action: 'approve' });

  // In the window, with everything that is needed to draw it.
  const answer = await fromShop('GET', '/api/promotions?placement=banner');
  expect(answer.headers.get('access-control-allow-origin')).toBe('https://shop.example');
  expect(dataOf<ShownPromotion[]>(answer)).toMatchObject([
    { id, cta_text: 'Taste it', project: { id: projectId, slug: 'best-bread', name: 'Best Bread', status: 'live' } },
  ]);
  expect(idsOf({ body: { data: await shown('detail') } })).toEqual([id]);
  expect(await shown('catalog')).toEqual([]);

  // Three people see it, one follows it, and a robot does both in vain.
  for (const agent of [agents.chrome, agents.firefox, agents.iphone]) {
    expect(await fromShop('POST', `/api/promotions/${id}/impressions`, agent)).toMatchObject({ status: 202 });
  }
  await fromShop('POST', `/api/promotions/${id}/clicks`, agents.iphone);
  for (const what of ['impressions', 'clicks'])
    await fromShop('POST', `/api/promotions/${id}/${what}`, agents.googlebot);
  await world.until(async () => (await own())[0]?.impressions === 3);
  expect(await own()).toMatchObject([{ id, impressions: 3, clicks: 1, status: 'active' }]);

  // Its end comes nearer; when it is there the window is empty, before any job has looked.
  const ends_at = new Date(Date.now() + 1500).toISOString();
  await directory.done('PUT', `/api/admin/promotions/${id}`, { action: 'set_end_date', ends_at });
  expect(await shown('banner')).toMatchObject([{ id, ends_at }]);
  await wait(Date.parse(ends_at) - Date.now() + 50);
  await world.until(async () => (await shown('banner')).length === 0, 2000);
  expect(await own()).toMatchObject([{ id, status: 'expired', ends_at }]);
  expect(await fromShop('POST', `/api/promotions/${id}/clicks`)).toMatchObject(NOT_FOUND);

  // The job notes it, once, and tells whoever wants to know.
  const job = () => world.call('POST', '/api/cron/expire-promotions', { token: CRON_SECRET });
  expect(await job()).toMatchObject({ status: 200, body: { data: { job: 'expire-promotions', processed: 1 } } });
  expect(await job()).toMatchObject({ status: 200, body: { data: { processed: 0 } } });
  const told = async () =>
    (await world.events()).filter(({ kind }) => kind.startsWith('promotion')).map(({ kind }) => kind);
  await world.until(async () => (await told()).length === 2);
  expect(await told()).toEqual(['promotionExpired', 'promotionActivated']);
  const all = dataOf<Promotion[]>(await directory.done('GET', '/api/admin/promotions'));
  expect(all).toMatchObject([{ id, status: 'expired', impressions: 3, clicks: 1 }]);

  // The place is free again.
  expect(await buy()).toMatchObject({ status: 200 });
});
