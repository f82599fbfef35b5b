import { expect, it } from 'vitest';
import type { AdminPayment } from '#contract/payments.ts';
import { checkoutSubmissionKey } from '#data/keys.ts';
import { findItem } from '#data/read.ts';
import { DAY_MS } from '#model/days.ts';
import { reconcilePayments } from '#services/payments/receive.ts';
import { runAsHandler } from '#test/support/aws-calls.ts';
import { conflict, dataOf, type Person, person, submission, success, TIME, unique } from '#test/support/fixtures.ts';
import {
  checkoutOf,
  chooseOutcome,
  ledgerOf,
  paidSession,
  type StartedCheckout,
  sendStripeEvent,
  startPremium,
  stripeEvent,
  withoutStripeEvents,
} from '#test/support/payments.ts';
import { ownDirectory } from '#test/support/with-directory.ts';
import { needsFeature } from '#test/support/without-feature.ts';

const { server, directory } = await ownDirectory();

const IN_PROGRESS = conflict('IN_PROGRESS');

const tryBuy = (buyer: Person, body: object) => directory.as(buyer, 'POST', '/api/payments/checkout', body);

const buy = async (buyer: Person, body: object): Promise<string> => {
  const response = await tryBuy(buyer, body);
  expect(response).toMatchObject({ status: 200 });
  return dataOf<StartedCheckout>(response).checkout_id;
};

const listed = async (query: string) =>
  (await directory.adminOk('GET', `/api/admin/payments?limit=100&${query}`)).body as {
    data: AdminPayment[];
    meta: { total: number; unreconciled: number; totals: object };
  };

it('a payment under way leaves the checkout without an address, and nothing is delivered until it arrives', async () => {
  const buyer = await person(server);
  const project = await directory.live(buyer);
  const before = await listed('');
  const id = await buy(buyer, { kind: 'upgrade', project_id: project.id });
  await chooseOutcome(directory, id, 'processing');
  expect(await checkoutOf(directory, buyer, id)).toMatchObject({
    status: 'processing',
    checkoutUrl: null,
    paid_at: null,
  });
  expect((await directory.read(project.id)).plan).toBe('standard');
  expect(await ledgerOf(directory, buyer)).toEqual([]);

  const { data, meta } = await listed('state=processing');
  expect(data[0]).toMatchObject({ id, state: 'processing', paid_at: null, problem: null, user: { id: buyer.id } });
  const { totals, unreconciled } = before.meta;
  expect(meta).toMatchObject({ totals, unreconciled });
  expect((await listed('')).meta.total).toBe(before.meta.total + 1);

  await chooseOutcome(directory, id, 'paid');
  expect(await checkoutOf(directory, buyer, id)).toMatchObject({ status: 'fulfilled', paid_at: TIME });
  expect(await directory.read(project.id)).toMatchObject({ plan: 'premium' });
  expect((await listed('state=processing')).data.map((one) => one.id)).not.toContain(id);
  expect((await listed('')).meta.total).toBe(before.meta.total + 1);
});

it('a payment under way that fails ends the checkout, which is listed no longer', async () => {
  const buyer = await person(server);
  const { checkout_id: id } = await startPremium(directory, buyer);
  await chooseOutcome(directory, id, 'processing');
  const { total } = (await listed('state=processing')).meta;
  expect((await listed('state=processing')).data[0]).toMatchObject({ id, kind: 'submission' });
  await chooseOutcome(directory, id, 'failed');
  expect(await checkoutOf(directory, buyer, id)).toMatchObject({ status: 'failed', checkoutUrl: null, project: null });
  const left = await listed('state=processing');
  expect([left.meta.total, left.data.map((one) => one.id)]).toEqual([total - 1, expect.not.arrayContaining([id])]);
});

it('another checkout for the same upgrade or submission is refused while a payment is under way', async () => {
  const buyer = await person(server);
  const [project, other] = [await directory.live(buyer), await directory.live(buyer)];
  const id = await buy(buyer, { kind: 'upgrade', project_id: project.id });
  // An open checkout does not block another one.
  await buy(buyer, { kind: 'upgrade', project_id: project.slug });
  await chooseOutcome(directory, id, 'processing');
  expect(await tryBuy(buyer, { kind: 'upgrade', project_id: project.slug })).toMatchObject(IN_PROGRESS);
  await buy(buyer, { kind: 'upgrade', project_id: other.id });
  await chooseOutcome(directory, id, 'failed');
  await buy(buyer, { kind: 'upgrade', project_id: project.id });

  const url = `https://${unique('debit')}.example.com/`;
  const { checkout_id: submitted } = await startPremium(directory, buyer, { url });
  await chooseOutcome(directory, submitted, 'processing');
  const again = (who: Person, more: object) =>
    directory.as(
      who,
      'POST',
      '/api/projects',
      submission({ plan: 'premium', categories: [directory.category], url, ...more }),
    );
  expect(await again(buyer, { name: 'Another name' })).toMatchObject(IN_PROGRESS);
  expect(await again(buyer, { url: url.toUpperCase().replace('HTTPS', 'https') })).toMatchObject(IN_PROGRESS);
  expect(await again(buyer, { url: `${url}other` })).toMatchObject(success({}));
  // The payment of another user does not block a purchase.
  expect(await again(await person(server), {})).toMatchObject(success({}));
});

it('another checkout for a promotion is refused while one for a placement in common is under way', async () => {
  needsFeature('promotions');
  const buyer = await person(server);
  const project = await directory.live(buyer);
  const promote = (placements: readonly string[], project_id = project.id) =>
    tryBuy(buyer, { kind: 'promotion', project_id, placements, months: 1 });
  const started = await promote(['banner', 'detail', 'detail']);
  await chooseOutcome(directory, dataOf<StartedCheckout>(started).checkout_id, 'processing');
  expect(await promote(['detail'])).toMatchObject(IN_PROGRESS);
  expect(await promote(['catalog', 'banner'])).toMatchObject(IN_PROGRESS);
  expect(await promote(['catalog'])).toMatchObject({ status: 200 });
  expect(await promote(['detail'], (await directory.live(buyer)).id)).toMatchObject({ status: 200 });
  const { data } = (await directory.adminOk('GET', '/api/admin/promotions?status=pending_payment')).body as {
    data: { placements: string[] }[];
  };
  expect(data).toContainEqual(expect.objectContaining({ placements: ['banner', 'detail'] }));
});

it.each([
  ['the success before the begin', ['async_payment_succeeded', 'completed'], 'fulfilled'],
  ['the failure before the begin', ['async_payment_failed', 'completed'], 'failed'],
  ['the begin twice, and the success', ['completed', 'completed', 'async_payment_succeeded'], 'fulfilled'],
  ['the success after the failure', ['completed', 'async_payment_failed', 'async_payment_succeeded'], 'fulfilled'],
])('a payment under way ends the same when %s arrives', async (_, events, status) => {
  const buyer = await person(server);
  const { checkout_id: id } = await startPremium(directory, buyer);
  for (const event of events) {
    const session = paidSession(id, event.endsWith('succeeded') ? {} : { payment_status: 'unpaid' });
    expect(await sendStripeEvent(server, stripeEvent(`checkout.session.${event}`, session))).toMatchObject({
      status: 200,
    });
  }
  expect(await checkoutOf(directory, buyer, id)).toMatchObject({ status });
  expect((await listed('state=processing')).data.map((one) => one.id)).not.toContain(id);
});

it('a payment under way keeps its submission for longer than a bank takes', async () => {
  const { checkout_id: id } = await startPremium(directory, await person(server));
  const daysLeft = async () => {
    const item = await findItem(checkoutSubmissionKey(id));
    return (Number(item?.ttl) * 1000 - Date.now()) / DAY_MS;
  };
  expect(await daysLeft()).toBeLessThan(9);
  await chooseOutcome(directory, id, 'processing');
  expect(await daysLeft()).toBeGreaterThan(40);
});

it('the reconciliation of payments finds payments under way, and what became of them', async () => {
  const buyer = await person(server);
  const { checkout_id: id } = await startPremium(directory, buyer);
  const reconcile = () =>
    runAsHandler('cron.reconcilePayments', () => reconcilePayments(new Date(Date.now() + DAY_MS).toISOString()));
  await withoutStripeEvents(async () => {
    await chooseOutcome(directory, id, 'processing');
    await reconcile();
    expect(await checkoutOf(directory, buyer, id)).toMatchObject({ status: 'processing' });
    await chooseOutcome(directory, id, 'paid');
    await reconcile();
    expect(await checkoutOf(directory, buyer, id)).toMatchObject({ status: 'fulfilled' });
  });
});
