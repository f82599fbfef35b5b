import { expect, it } from 'vitest';
import type { Promotion, ShownPromotion } from '#contract/promotions.ts';
import { agents } from '#test/support/analytics.ts';
import { conflict, type Directory, dataOf, idsOf, NOT_FOUND, person } from '#test/support/fixtures.ts';
import { checkoutOf, chooseOutcome, ledgerOf, type StartedCheckout } from '#test/support/payments.ts';
import type { TestServer } from '#test/support/server.ts';
import { withOwnServer } from '#test/support/with-directory.ts';

/** The journey of a promotion: bought, approved, shown on another site, counted and expired. */

const CRON_SECRET = 'secret-of-this-test';

let server: TestServer;
let directory: Directory;

withOwnServer(
  (opened) => {
    ({ server, directory } = opened);
  },
  { env: { CRON_SECRET, ALLOWED_ORIGINS: 'https://shop.example' } },
);

/** An anonymous call from the other site. */
const fromShop = (method: string, path: string, agent: string = agents.chrome) =>
  directory.as(undefined, method, path, undefined, { 'user-agent': agent, origin: 'https://shop.example' });

const shownIn = async (placement: string): Promise<ShownPromotion[]> =>
  dataOf<ShownPromotion[]>(await fromShop('GET', `/api/promotions?placement=${placement}`));

it('a bought promotion is shown from its approval to its end, and its impressions and clicks are counted', async () => {
  const buyer = await person(server);
  const { id: projectId, slug } = await directory.live(buyer, { name: 'Best Bread' });
  const ownPromotions = async (): Promise<Promotion[]> => dataOf(await directory.get('/api/user/promotions', buyer));

  // The banner is bought for two months and paid.
  const order = { kind: 'promotion', project_id: slug, placements: ['banner', 'detail'], months: 2 };
  const tryBuy = () => directory.as(buyer, 'POST', '/api/payments/checkout', order);
  const started = await tryBuy();
  expect(started).toMatchObject({ status: 200 });
  const { checkout_id: checkoutId } = dataOf<StartedCheckout>(started);
  await chooseOutcome(directory, checkoutId, 'paid');
  await server.until(async () => (await checkoutOf(directory, buyer, checkoutId)).status === 'fulfilled');
  expect(await ledgerOf(directory, buyer)).toMatchObject([{ kind: 'promotion', amount: 17_600 }]);
  const [pending] = await ownPromotions();
  expect(pending).toMatchObject({ status: 'pending', placements: ['banner', 'detail'], price: 17_600 });
  const id = pending?.id ?? '';
  expect(await shownIn('banner')).toEqual([]);

  // It holds the only banner slot while it awaits approval.
  expect(await tryBuy()).toMatchObject(conflict('SOLD_OUT'));

  // The buyer sets the call to action; the administrator approves.
  expect(await directory.as(buyer, 'PUT', `/api/user/promotions/${id}`, { cta_text: 'Taste it' })).toMatchObject({
    status: 200,
  });
  await directory.adminOk('PUT', `/api/admin/promotions/${id}`, { action: 'approve' });

  // The public list contains it with the data of its project.
  const list = await fromShop('GET', '/api/promotions?placement=banner');
  expect(list.headers.get('access-control-allow-origin')).toBe('https://shop.example');
  expect(dataOf<ShownPromotion[]>(list)).toMatchObject([
    { id, cta_text: 'Taste it', project: { id: projectId, slug: 'best-bread', name: 'Best Bread', status: 'live' } },
  ]);
  expect(idsOf({ body: { data: await shownIn('detail') } })).toEqual([id]);
  expect(await shownIn('catalog')).toEqual([]);

  // The impressions of three visitors and a click are counted; those of a bot are not.
  for (const agent of [agents.chrome, agents.firefox, agents.iphone]) {
    expect(await fromShop('POST', `/api/promotions/${id}/impressions`, agent)).toMatchObject({ status: 202 });
  }
  expect(await fromShop('POST', `/api/promotions/${id}/clicks`, agents.iphone)).toMatchObject({ status: 202 });
  for (const counter of ['impressions', 'clicks']) {
    const response = await fromShop('POST', `/api/promotions/${id}/${counter}`, agents.googlebot);
    expect(response).toMatchObject({ status: 202, body: { data: { counted: false } } });
  }
  const rolledUp = await server.call('POST', '/api/cron/roll-up-analytics', { token: CRON_SECRET });
  expect(rolledUp).toMatchObject({ status: 200 });
  expect(await ownPromotions()).toMatchObject([{ id, impressions: 3, clicks: 1, status: 'active' }]);

  // After its end it is not shown, before the job has recorded the expiry.
  const moveEnd = async (ms: number): Promise<string | null> => {
    const body = { action: 'set_end_date', ends_at: new Date(Date.now() + ms).toISOString() };
    return dataOf<Promotion>(await directory.adminOk('PUT', `/api/admin/promotions/${id}`, body)).ends_at;
  };
  const laterEnd = await moveEnd(3_600_000);
  expect(await shownIn('banner')).toMatchObject([{ id, ends_at: laterEnd }]);
  const ends_at = await moveEnd(500);
  await server.until(async () => (await shownIn('banner')).length === 0);
  expect(await ownPromotions()).toMatchObject([{ id, status: 'expired', ends_at }]);
  expect(await fromShop('POST', `/api/promotions/${id}/clicks`)).toMatchObject(NOT_FOUND);

  // The job records the expiry once and publishes an event.
  const runJob = () => server.call('POST', '/api/cron/expire-promotions', { token: CRON_SECRET });
  expect(await runJob()).toMatchObject({ status: 200, body: { data: { job: 'expire-promotions', processed: 1 } } });
  expect(await runJob()).toMatchObject({ status: 200, body: { data: { processed: 0 } } });
  const promotionEvents = async () =>
    (await server.events()).filter(({ kind }) => kind.startsWith('promotion')).map(({ kind }) => kind);
  await server.until(async () => (await promotionEvents()).length === 2);
  expect(await promotionEvents()).toEqual(['promotionExpired', 'promotionActivated']);
  const all = dataOf<Promotion[]>(await directory.adminOk('GET', '/api/admin/promotions'));
  expect(all).toMatchObject([{ id, status: 'expired', impressions: 3, clicks: 1 }]);

  // The slot is free again.
  expect(await tryBuy()).toMatchObject({ status: 200 });
});
