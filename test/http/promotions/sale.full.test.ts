import { expect, it } from 'vitest';
import type { Promotion, ShownPromotion } from '#contract/promotions.ts';
import { findPromotion, insertPromotion } from '#data/promotions.ts';
import { agents, rollUpAll } from '#test/support/analytics.ts';
import { kindsAbout } from '#test/support/events.ts';
import { conflict, dataOf, idsOf, NOT_FOUND, person, TIME } from '#test/support/fixtures.ts';
import { longTest } from '#test/support/long-test.ts';
import { checkoutOf, chooseOutcome, ledgerOf, type StartedCheckout } from '#test/support/payments.ts';
import { ownDirectory } from '#test/support/with-directory.ts';

const { server, directory } = await ownDirectory();
const buyer = await person(server);
const project = await directory.live(buyer);

const ADMIN_PATH = '/api/admin/promotions';

const tryBuy = (body: Record<string, unknown> = {}, who = buyer) =>
  directory.as(who, 'POST', '/api/payments/checkout', {
    kind: 'promotion',
    project_id: project.id,
    placements: ['catalog'],
    months: 1,
    ...body,
  });

const startPurchase = async (body: Record<string, unknown> = {}, who = buyer): Promise<string> =>
  dataOf<StartedCheckout>(await tryBuy(body, who)).checkout_id;

const untilStatus = (checkoutId: string, status: string, who = buyer) =>
  server.until(async () => (await checkoutOf(directory, who, checkoutId)).status === status);

const promotionOf = (checkoutId: string): string => checkoutId.replace('chk_', 'prm_');

const buy = async (body: Record<string, unknown> = {}, who = buyer) => {
  const checkoutId = await startPurchase(body, who);
  await chooseOutcome(directory, checkoutId, 'paid');
  await untilStatus(checkoutId, 'fulfilled', who);
  return { checkoutId, id: promotionOf(checkoutId) };
};

const tryAct = (id: string, body: Record<string, unknown>) => directory.asAdmin('PUT', `${ADMIN_PATH}/${id}`, body);
const tryApprove = (id: string) => tryAct(id, { action: 'approve' });
const approve = async (id: string): Promise<void> => {
  expect(await tryApprove(id)).toMatchObject({ status: 200 });
};
const revoke = async (id: string): Promise<Promotion> => {
  const body = { action: 'revoke', reason: 'Not fitting.' };
  return dataOf<Promotion>(await directory.adminOk('PUT', `${ADMIN_PATH}/${id}`, body));
};

const browse = async (status: string): Promise<Promotion[]> =>
  dataOf<Promotion[]>(await directory.get(`${ADMIN_PATH}?status=${status}&limit=100`, directory.admin));
const findStored = async (id: string) => (await browse('all')).find((one) => one.id === id);

const shownIds = async (): Promise<string[]> => idsOf(await directory.get('/api/promotions?limit=100'));

const eventsOf = (id: string) => kindsAbout(server, id);

it.each([
  [['banner'], 1, 6900],
  [['catalog'], 3, 11_700],
  [['detail'], 12, 22_800],
  [['banner', 'detail'], 2, 17_600],
  [['banner', 'catalog', 'detail'], 1, 8890],
  [['detail', 'catalog', 'banner', 'banner'], 2, 17_780],
])(
  'the price of %s for %i months is %i cents, with 30 percent off for all three placements',
  async (placements, months, amount) => {
    const checkoutId = await startPurchase({ placements, months });
    expect(await checkoutOf(directory, buyer, checkoutId)).toMatchObject({ amount, currency: 'usd', status: 'open' });
    await chooseOutcome(directory, checkoutId, 'expired');
    await untilStatus(checkoutId, 'expired');
    expect(await findStored(promotionOf(checkoutId))).toBeUndefined();
  },
);

longTest('a bought promotion awaits payment and approval, is shown, and ends with a full refund', async () => {
  const checkoutId = await startPurchase({ placements: ['banner', 'catalog'], months: 2 });
  const id = promotionOf(checkoutId);

  // Unpaid.
  expect(await findStored(id)).toMatchObject({
    ...{ status: 'pending_payment', project_id: project.id, user_id: buyer.id, placements: ['banner', 'catalog'] },
    ...{ months: 2, price: 21_600, starts_at: null },
  });
  expect((await browse('pending_payment')).map((one) => one.id)).toContain(id);
  expect(await tryApprove(id)).toMatchObject(conflict('INVALID_TRANSITION'));

  // Paid, awaiting approval.
  await chooseOutcome(directory, checkoutId, 'paid');
  await untilStatus(checkoutId, 'fulfilled');
  expect(await checkoutOf(directory, buyer, checkoutId)).toMatchObject({ promotion_id: id });
  expect((await ledgerOf(directory, buyer))[0]).toMatchObject({ type: 'payment', kind: 'promotion', amount: 21_600 });
  const pending = await findStored(id);
  expect(pending).toMatchObject({
    status: 'pending',
    starts_at: null,
    ends_at: null,
    price: 21_600,
    currency: 'usd',
  });
  expect(await browse('pending')).toEqual([pending]);
  expect(idsOf(await directory.get('/api/user/promotions', buyer))).toEqual([id]);
  expect(await shownIds()).not.toContain(id);
  expect(await directory.as(undefined, 'POST', `/api/promotions/${id}/clicks`)).toMatchObject(NOT_FOUND);
  expect(await tryAct(id, { action: 'extend', days: 3 })).toMatchObject(conflict('INVALID_TRANSITION'));
  await directory.ok(buyer, 'PUT', `/api/user/promotions/${id}`, { cta_text: 'Taste it' });

  // Approved by one of two concurrent requests.
  const responses = await Promise.all([tryApprove(id), tryApprove(id)]);
  expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 409]);
  const active = dataOf<Promotion>(responses.find(({ status }) => status === 200) as { body: unknown });
  expect(active).toMatchObject({ status: 'active', starts_at: TIME, ends_at: TIME });
  const start = new Date(String(active.starts_at));
  const end = new Date(String(active.ends_at));
  expect((end.getUTCMonth() - start.getUTCMonth() + 12) % 12).toBe(2);
  await server.until(async () => (await eventsOf(id)).length > 0);

  // Shown publicly.
  const banners = dataOf<ShownPromotion[]>(await directory.get('/api/promotions?placement=banner'));
  expect(banners).toMatchObject([{ id, cta_text: 'Taste it', project: { id: project.id, slug: project.slug } }]);
  for (const [agent, counter] of [
    [agents.firefox, 'impressions'],
    [agents.chrome, 'impressions'],
    [agents.chrome, 'clicks'],
  ] as const) {
    const headers = { 'user-agent': agent };
    const path = `/api/promotions/${banners[0]?.id}/${counter}`;
    expect(await directory.as(undefined, 'POST', path, undefined, headers)).toMatchObject({ status: 202 });
  }
  await rollUpAll();
  const [own] = dataOf<Promotion[]>(await directory.get('/api/user/promotions', buyer));
  expect(own).toMatchObject({ id, status: 'active', impressions: 2, clicks: 1 });

  // Refunded in part, then in full.
  await chooseOutcome(directory, checkoutId, 'refunded', 1000);
  await server.until(async () => (await checkoutOf(directory, buyer, checkoutId)).amount_refunded === 1000);
  expect(await shownIds()).toContain(id);
  await chooseOutcome(directory, checkoutId, 'refunded');
  await untilStatus(checkoutId, 'refunded');
  expect(await shownIds()).not.toContain(id);
  expect(await findStored(id)).toMatchObject({ status: 'revoked', reason: 'The payment was refunded.' });
  await server.until(async () => (await eventsOf(id)).includes('promotionRevoked'));
  expect(await eventsOf(id)).toEqual(['promotionActivated', 'promotionRevoked']);
});

it('a bought promotion holds its slot while it awaits approval, and is refunded when it is revoked before', async () => {
  const { id, checkoutId } = await buy({ placements: ['banner'] });
  expect(await tryBuy({ placements: ['banner', 'detail'] })).toMatchObject(conflict('SOLD_OUT'));
  const grant = { project_id: project.id, placements: ['banner'], days: 1 };
  expect(await directory.asAdmin('POST', ADMIN_PATH, grant)).toMatchObject(conflict('SOLD_OUT'));

  expect(await revoke(id)).toMatchObject({ status: 'revoked', starts_at: null });
  // It was never shown, so its price is refunded and no promotion event is published.
  await untilStatus(checkoutId, 'refunded');
  expect((await ledgerOf(directory, buyer)).filter((line) => line.checkout_id === checkoutId)).toMatchObject([
    { type: 'refund', amount: 6900 },
    { type: 'payment', amount: 6900 },
  ]);
  expect(await eventsOf(id)).toEqual([]);
  expect(await findStored(id)).toMatchObject({ status: 'revoked', reason: 'Not fitting.' });
  const next = await startPurchase({ placements: ['banner'] });
  await chooseOutcome(directory, next, 'expired');
});

longTest('a bought promotion is fulfilled for one of two concurrent payments for the last slot', async () => {
  const rival = await person(server);
  const rivalProject = await directory.live(rival);
  const mine = await startPurchase({ placements: ['banner'] });
  const theirs = await startPurchase(
    { placements: ['banner', 'catalog', 'detail'], project_id: rivalProject.id },
    rival,
  );
  await Promise.all([chooseOutcome(directory, mine, 'paid'), chooseOutcome(directory, theirs, 'paid')]);
  const statuses = async () =>
    [await checkoutOf(directory, buyer, mine), await checkoutOf(directory, rival, theirs)].map(({ status }) => status);
  await server.until(async () => (await statuses()).toSorted().join() === 'fulfilled,refunded');
  const [lost, loser] = (await statuses())[0] === 'refunded' ? [mine, buyer] : [theirs, rival];
  const won = lost === mine ? theirs : mine;
  expect(await findStored(promotionOf(lost))).toBeUndefined();
  expect(await findStored(promotionOf(won))).toMatchObject({ status: 'pending' });
  const lines = (await ledgerOf(directory, loser)).filter((line) => line.checkout_id === lost);
  expect(lines.map(({ type }) => type)).toEqual(['refund', 'payment']);
  expect(lines[0]?.amount).toBe(lines[1]?.amount);
  await revoke(promotionOf(won));
});

it('a bought promotion ends when the payment is disputed', async () => {
  const { id, checkoutId } = await buy({ placements: ['detail'] });
  await approve(id);
  expect(await shownIds()).toContain(id);
  await chooseOutcome(directory, checkoutId, 'disputed');
  await untilStatus(checkoutId, 'refunded');
  expect(await shownIds()).not.toContain(id);
  expect(await findStored(id)).toMatchObject({ status: 'revoked' });
});

it('a bought promotion is sold and approved for a live project only', async () => {
  const waiting = await directory.submit(buyer);
  expect(await tryBuy({ project_id: waiting.id })).toMatchObject(conflict('NOT_LIVE'));
  const setStatus = (status: string) => directory.adminOk('PUT', `/api/admin/projects/${waiting.id}`, { status });
  await setStatus('live');
  const { id } = await buy({ project_id: waiting.id });
  for (const status of ['rejected', 'pending']) {
    await setStatus(status);
    expect(await tryApprove(id)).toMatchObject(conflict('NOT_LIVE'));
    expect(await findStored(id)).toMatchObject({ status: 'pending' });
  }
  await setStatus('live');
  await approve(id);
  // It can be extended only while it can be shown, and ended at any time.
  await setStatus('rejected');
  expect(await tryAct(id, { action: 'extend', days: 1 })).toMatchObject(conflict('NOT_LIVE'));
  const later = new Date(Date.now() + 300 * 86_400_000).toISOString();
  expect(await tryAct(id, { action: 'set_end_date', ends_at: later })).toMatchObject(conflict('NOT_LIVE'));
  expect(await revoke(id)).toMatchObject({ status: 'revoked' });
});

it('a bought promotion is refunded when its project is no longer live at the payment', async () => {
  const other = await directory.live(buyer);
  const checkoutId = await startPurchase({ project_id: other.id });
  await directory.adminOk('PUT', `/api/admin/projects/${other.id}`, { status: 'rejected' });
  await chooseOutcome(directory, checkoutId, 'paid');
  await untilStatus(checkoutId, 'refunded');
  expect(await findStored(promotionOf(checkoutId))).toBeUndefined();
  const lines = (await ledgerOf(directory, buyer)).filter((line) => line.checkout_id === checkoutId);
  expect(lines.map(({ type, note }) => [type, note])).toEqual([
    ['refund', null],
    ['payment', 'The project is not live.'],
  ]);
});

it('a bought promotion cannot be approved while its slot is taken', async () => {
  const { id } = await buy({ placements: ['banner'] });
  const pending = await findPromotion(id);
  if (!pending) throw new Error('The promotion was not stored.');
  // Two promotions can hold one slot after the configured number was reduced.
  const other = { ...pending, id: 'prm_01KAAAAAAAAAAAAAAAAAAAAAAA', checkout_id: null, status: 'active' } as const;
  const dates = { starts_at: '2026-01-01T00:00:00.000Z', ends_at: '2099-01-01T00:00:00.000Z' };
  await insertPromotion({ ...other, ...dates }, {}, []);
  expect(await tryApprove(id)).toMatchObject(conflict('SOLD_OUT'));
  expect(await findStored(id)).toMatchObject({ status: 'pending' });
  await revoke(other.id);
  await approve(id);
  await revoke(id);
});
