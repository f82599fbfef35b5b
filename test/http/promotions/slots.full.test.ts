import { expect, it } from 'vitest';
import type { Promotion } from '#contract/promotions.ts';
import { agents } from '#test/support/analytics.ts';
import { conflict, dataOf, person } from '#test/support/fixtures.ts';
import { runJob } from '#test/support/jobs.ts';
import { longTest } from '#test/support/long-test.ts';
import { checkoutOf, chooseOutcome, type StartedCheckout } from '#test/support/payments.ts';
import { ownDirectory } from '#test/support/with-directory.ts';

const { server, directory } = await ownDirectory({
  env: {
    PROMOTION_SLOTS_BANNER: 'unlimited',
    PROMOTION_SLOTS_CATALOG: '3',
    PROMOTION_SLOTS_DETAIL: '0',
    PROMOTION_PRICE_BANNER: '101',
    PROMOTION_PRICE_CATALOG: '250',
    CURRENCY: 'EUR',
    FEATURE_ANALYTICS: 'off',
  },
});
const buyer = await person(server);
const project = await directory.live(buyer);

const grant = (placements: readonly string[]) =>
  directory.asAdmin('POST', '/api/admin/promotions', { project_id: project.id, placements, days: 1 });
const revoke = (id: string) => directory.adminOk('PUT', `/api/admin/promotions/${id}`, { action: 'revoke' });
const tryBuy = (placements: readonly string[], months = 1) =>
  directory.as(buyer, 'POST', '/api/payments/checkout', {
    kind: 'promotion',
    project_id: project.id,
    placements,
    months,
  });

const buy = async (placements: readonly string[], months = 1): Promise<string> =>
  dataOf<StartedCheckout>(await tryBuy(placements, months)).checkout_id;

it('concurrent grants of promotions get exactly the configured number of slots', async () => {
  const responses = await Promise.all(Array.from({ length: 14 }, () => grant(['banner', 'catalog'])));
  const won = responses.filter(({ status }) => status === 201).map((response) => dataOf<Promotion>(response).id);
  expect(won).toHaveLength(3);
  for (const response of responses.filter(({ status }) => status !== 201)) {
    expect(response).toMatchObject(conflict('SOLD_OUT'));
  }
  expect(await tryBuy(['catalog'])).toMatchObject(conflict('SOLD_OUT'));
  await revoke(String(won[0]));
  const retries = await Promise.all(Array.from({ length: 5 }, () => grant(['catalog'])));
  expect(retries.filter(({ status }) => status === 201)).toHaveLength(1);
  const { status, body } = await directory.get('/api/promotions?placement=catalog');
  expect(status).toBe(200);
  expect(body).toMatchObject({ meta: { total: 3 } });
  for (const { id } of dataOf<Promotion[]>({ body })) await revoke(id);
});

longTest('concurrent purchases of promotions are fulfilled as far as there are slots, others refunded', async () => {
  const started = await Promise.all(Array.from({ length: 6 }, () => buy(['catalog'])));
  await Promise.all(started.map((id) => chooseOutcome(directory, id, 'paid')));
  const statuses = async () =>
    (await Promise.all(started.map((id) => checkoutOf(directory, buyer, id)))).map((one) => one.status);
  await server.until(async () => (await statuses()).every((one) => one === 'fulfilled' || one === 'refunded'));
  expect((await statuses()).filter((one) => one === 'fulfilled')).toHaveLength(3);
  const { body } = await directory.get('/api/admin/promotions?status=pending', directory.admin);
  expect(body).toMatchObject({ meta: { total: 3 } });
  for (const { id } of dataOf<Promotion[]>({ body })) await revoke(id);
});

it('a placement without slots returns 409, and an unlimited one never does', async () => {
  expect(await grant(['detail'])).toMatchObject(conflict('SOLD_OUT'));
  expect(await tryBuy(['banner', 'detail'])).toMatchObject(conflict('SOLD_OUT'));
  const responses = await Promise.all(Array.from({ length: 8 }, () => grant(['banner'])));
  expect(responses.map(({ status }) => status)).toEqual(Array(8).fill(201));
});

it('the expiry job counts impressions and clicks of promotions', async () => {
  const promotion = dataOf<Promotion>(await grant(['banner']));
  for (const [agent, counter] of [
    [agents.chrome, 'impressions'],
    [agents.firefox, 'impressions'],
    [agents.firefox, 'clicks'],
  ] as const) {
    const path = `/api/promotions/${promotion.id}/${counter}`;
    const response = await directory.as(undefined, 'POST', path, undefined, { 'user-agent': agent });
    expect(response).toMatchObject({ status: 202 });
  }
  expect(await runJob(server, 'expire-promotions')).toMatchObject({ processed: 0, unfinished: false });
  const { body } = await directory.get('/api/admin/promotions?limit=100', directory.admin);
  const stored = dataOf<Promotion[]>({ body }).find(({ id }) => id === promotion.id);
  expect(stored).toMatchObject({ impressions: 2, clicks: 1 });
});

it('a promotion costs the configured price in the configured currency', async () => {
  const checkout = await checkoutOf(directory, buyer, await buy(['banner', 'catalog'], 3));
  expect(checkout).toMatchObject({ amount: 1053, currency: 'eur' });
});
