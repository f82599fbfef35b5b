import * as fc from 'fast-check';
import { expect, it, vi } from 'vitest';
import type { AdminPayment, LedgerEntry } from '#contract/payments.ts';
import type { Promotion } from '#contract/promotions.ts';
import { checkoutKey, type Key } from '#data/keys.ts';
import { findPromotion, replacePromotion } from '#data/promotions.ts';
import { findItem, type Item } from '#data/read.ts';
import { transact } from '#data/write.ts';
import { parseMessage } from '#events/catalogue.ts';
import { DAY_MS } from '#model/days.ts';
import type { PromotionRecord } from '#model/promotion.ts';
import { refundCheckout } from '#services/payments/fulfil.ts';
import { untilEventsDelivered, untilEventsPublished } from '#test/support/events.ts';
import { dataOf, metaOf, type Person, person } from '#test/support/fixtures.ts';
import { longTest } from '#test/support/long-test.ts';
import {
  checkoutOf,
  chooseOutcome,
  disputeOf,
  failedRefund,
  ledgerOf,
  paidSession,
  refundedCharge,
  type StartedCheckout,
  sendStripeEvent,
  stripeEvent,
  stripeEventAt,
} from '#test/support/payments.ts';
import { ownDirectory } from '#test/support/with-directory.ts';
import { needsFeature } from '#test/support/without-feature.ts';

const { server, directory } = await ownDirectory();

const send = async (...events: readonly object[]): Promise<void> => {
  for (const event of events) expect(await sendStripeEvent(server, event)).toMatchObject({ status: 200 });
};

const startUpgrade = async () => {
  const buyer = await person(server);
  const project = await directory.live(buyer);
  const body = { kind: 'upgrade', project_id: project.id };
  const { checkout_id: id } = dataOf<StartedCheckout>(
    await directory.ok(buyer, 'POST', '/api/payments/checkout', body),
  );
  return { buyer, project, id };
};

const startPromotion = async (placements: readonly string[], months = 1) => {
  const buyer = await person(server);
  const project = await directory.live(buyer);
  const body = { kind: 'promotion', project_id: project.id, placements, months };
  const { checkout_id: id } = dataOf<StartedCheckout>(
    await directory.ok(buyer, 'POST', '/api/payments/checkout', body),
  );
  return { buyer, project, id };
};

const buyUpgrade = async () => {
  const bought = await startUpgrade();
  await send(stripeEvent('checkout.session.completed', paidSession(bought.id)));
  return bought;
};

const movesOf = async (buyer: Person): Promise<string[]> =>
  (await ledgerOf(directory, buyer)).map(({ type, amount, currency }) => `${type} ${amount} ${currency}`).toReversed();

const inConsole = async (id: string): Promise<AdminPayment> => {
  const { data } = (await directory.adminOk('GET', '/api/admin/payments?limit=100')).body as { data: AdminPayment[] };
  return data.find((one) => one.id === id) as AdminPayment;
};

const totals = async () =>
  (
    metaOf(await directory.get('/api/admin/payments?limit=1', directory.admin)) as unknown as {
      totals: Record<string, { paid: number; refunded: number }>;
    }
  ).totals;

const dispute = (id: string, event: string, status: string, more: object = {}) =>
  stripeEvent(`charge.dispute.${event}`, disputeOf(id, { status, ...more }));

it('an inquiry of the bank is entered in the ledger and takes nothing away', async () => {
  const { buyer, project, id } = await buyUpgrade();
  await send(dispute(id, 'created', 'warning_needs_response'), dispute(id, 'updated', 'warning_under_review'));
  expect(await checkoutOf(directory, buyer, id)).toMatchObject({ status: 'fulfilled' });
  expect(await directory.read(project.id, buyer)).toMatchObject({ plan: 'premium' });
  expect(await movesOf(buyer)).toEqual(['payment 4900 usd', 'inquiry 4900 usd']);
  expect((await ledgerOf(directory, buyer))[0]?.note).toMatch(/bank asks/);
  expect(await inConsole(id)).toMatchObject({ state: 'fulfilled', has_inquiry: true, is_disputed: false });
  await send(dispute(id, 'closed', 'warning_closed'));
  expect(await inConsole(id)).toMatchObject({ state: 'fulfilled', has_inquiry: false, is_disputed: false });
  expect(await movesOf(buyer)).toHaveLength(2);
});

it.each(['updated', 'funds_withdrawn', 'closed'])(
  'an inquiry that becomes a dispute takes the plan away once, also when that is reported by %s first',
  async (event) => {
    const { buyer, project, id } = await buyUpgrade();
    const status = event === 'closed' ? 'lost' : 'needs_response';
    await send(dispute(id, 'created', 'warning_needs_response'), dispute(id, event, status));
    await send(dispute(id, 'updated', 'needs_response'), dispute(id, 'funds_withdrawn', 'needs_response'));
    expect(await directory.read(project.id, buyer)).toMatchObject({ plan: 'standard', paid_at: null });
    expect(await movesOf(buyer)).toEqual(['payment 4900 usd', 'inquiry 4900 usd', 'dispute 4900 usd']);
    expect(await inConsole(id)).toMatchObject({ state: 'refunded', has_inquiry: false, is_disputed: true });
  },
);

it('refunds and disputes are booked in their own currency', async () => {
  const before = await totals();
  const { buyer, id } = await buyUpgrade();
  await send(stripeEvent('charge.refunded', { ...refundedCharge(id, 800), currency: 'eur' }));
  expect(await checkoutOf(directory, buyer, id)).toMatchObject({ amount_refunded: 800, refund_currency: 'eur' });
  await send(dispute(id, 'created', 'needs_response', { amount: 4521, currency: 'EUR' }));
  expect(await movesOf(buyer)).toEqual(['payment 4900 usd', 'refund 800 eur', 'dispute 4521 eur']);
  const after = await totals();
  expect(after.eur).toMatchObject({ paid: 0, refunded: (before.eur?.refunded ?? 0) + 5321 });
  expect(after.usd?.refunded).toBe(before.usd?.refunded ?? 0);
  // What comes back is what was taken, whatever amount the closing names.
  await send(dispute(id, 'closed', 'won', { amount: 1, currency: 'usd' }));
  expect(await movesOf(buyer)).toContain('dispute_won 4521 eur');
  expect((await totals()).eur?.refunded).toBe((before.eur?.refunded ?? 0) + 800);
});

it('a failed refund gives back the plan that it took, and is taken out of the totals', async () => {
  const before = await totals();
  const { buyer, project, id } = await buyUpgrade();
  const { paid_at } = await checkoutOf(directory, buyer, id);
  await send(stripeEventAt(10, 'charge.refunded', refundedCharge(id, 4900)));
  expect(await directory.read(project.id, buyer)).toMatchObject({ plan: 'standard', paid_at: null });
  const failed = failedRefund(id, { created: 10 });
  await send(stripeEventAt(20, 'refund.updated', failed), stripeEventAt(20, 'refund.failed', failed));
  expect(await checkoutOf(directory, buyer, id)).toMatchObject({ status: 'fulfilled', amount_refunded: 0 });
  expect(await directory.read(project.id, buyer)).toMatchObject({ plan: 'premium', paid_at });
  expect(await movesOf(buyer)).toEqual(['payment 4900 usd', 'refund 4900 usd', 'refund_failed 4900 usd']);
  expect((await totals()).usd?.refunded).toBe(before.usd?.refunded ?? 0);
  // A later update of the same refund changes nothing, nor does one that does not fail.
  await send(stripeEventAt(40, 'refund.updated', failed));
  await send(
    stripeEventAt(41, 'refund.updated', failedRefund(id, { id: 're_other', created: 10, status: 'succeeded' })),
  );
  expect(await movesOf(buyer)).toHaveLength(3);
  // The next refund takes the plan again.
  await send(stripeEventAt(30, 'charge.refunded', refundedCharge(id, 4900)));
  expect(await directory.read(project.id, buyer)).toMatchObject({ plan: 'standard', paid_at: null });
});

it('a cancelled refund counts as failed, and a lower total counts when its event was created later', async () => {
  const { buyer, id } = await buyUpgrade();
  const refundedOf = async () => (await checkoutOf(directory, buyer, id)).amount_refunded;
  await send(stripeEventAt(10, 'charge.refunded', refundedCharge(id, 1000)));
  await send(stripeEventAt(20, 'refund.updated', failedRefund(id, { amount: 1000, created: 10, status: 'canceled' })));
  expect(await refundedOf()).toBe(0);
  await send(stripeEventAt(30, 'charge.refunded', refundedCharge(id, 500)));
  expect(await refundedOf()).toBe(500);
  await send(stripeEventAt(25, 'charge.refunded', refundedCharge(id, 1000)));
  await send(stripeEventAt(30, 'charge.refunded', refundedCharge(id, 400)));
  expect(await refundedOf()).toBe(500);
  await send(stripeEventAt(40, 'charge.refunded', refundedCharge(id, 200)));
  expect(await refundedOf()).toBe(200);
  const ledger = await ledgerOf(directory, buyer);
  expect(netOf(ledger)).toEqual({ usd: 4700 });
});

it('a refund that failed for an undelivered purchase leaves it to an administrator', async () => {
  const { buyer, project, id } = await startUpgrade();
  await directory.adminOk('PUT', `/api/admin/projects/${project.id}`, { plan: 'premium' });
  await chooseOutcome(directory, id, 'paid');
  await server.until(async () => (await checkoutOf(directory, buyer, id)).status === 'refunded');
  await chooseOutcome(directory, id, 'refund_failed');
  await server.until(async () => (await checkoutOf(directory, buyer, id)).status === 'paid');
  expect(await inConsole(id)).toMatchObject({ state: 'paid', problem: 'refund_due', amount_refunded: 0 });
  expect(await movesOf(buyer)).toEqual(['payment 4900 usd', 'refund 4900 usd', 'refund_failed 4900 usd']);
});

it('a checkout that an earlier version stored keeps its refunds and disputes', async () => {
  const { buyer, project, id } = await buyUpgrade();
  await send(dispute(id, 'created', 'needs_response'));
  const key = checkoutKey(id);
  const { returns: _, ...item } = (await findItem(key)) as Item & Key;
  const disputes = [{ id: `du_of_${id}`, state: 'open' }];
  const earlier = { amount_refunded: 700, is_fully_refunded: false, disputes };
  await transact([{ put: { ...item, ...earlier } }]);
  expect(await checkoutOf(directory, buyer, id)).toMatchObject({ status: 'refunded', amount_refunded: 700 });
  expect(await inConsole(id)).toMatchObject({ is_disputed: true, refund_currency: 'usd' });
  // The amount that was booked is not known: it is that of the event.
  await send(stripeEventAt(5, 'charge.dispute.closed', disputeOf(id, { status: 'won', amount: 2000 })));
  expect(await movesOf(buyer)).toEqual(['payment 4900 usd', 'dispute 4900 usd', 'dispute_won 2000 usd']);
  expect(await checkoutOf(directory, buyer, id)).toMatchObject({ status: 'fulfilled', amount_refunded: 700 });
  // A refund that was made before can still fail.
  await send(stripeEventAt(20, 'refund.failed', failedRefund(id, { amount: 700, created: 3 })));
  expect(await checkoutOf(directory, buyer, id)).toMatchObject({ amount_refunded: 0 });
  const exported = dataOf<{ checkouts: object[] }>(await directory.ok(buyer, 'GET', '/api/user/export'));
  expect(exported.checkouts).toMatchObject([{ id, amount_refunded: 0, refund_currency: 'usd' }]);
  expect(exported.checkouts[0]).not.toHaveProperty('returns');
  expect(await directory.read(project.id, buyer)).toMatchObject({ plan: 'premium' });
});

it('an event about a refund that an earlier version stored is read', async () => {
  const { id } = await buyUpgrade();
  await send(stripeEvent('charge.refunded', refundedCharge(id, 100)));
  await untilEventsPublished(server, directory);
  const events = await server.events();
  const event = events.find(
    ({ kind, data }) => kind === 'paymentRefunded' && Object.values(data as object).includes(id),
  );
  const { refund_currency, ...earlier } = (event?.data ?? {}) as Record<string, unknown>;
  expect(refund_currency).toBe('usd');
  expect(parseMessage({ ...event, data: earlier })).toMatchObject({ kind: 'paymentRefunded', data: earlier });
});

const signs = { payment: 1, refund: -1, refund_failed: 1, dispute: -1, dispute_won: 1, inquiry: 0 } as const;

/** What the ledger says is left, by currency. */
const netOf = (ledger: readonly LedgerEntry[]): Record<string, number> => {
  const sums: Record<string, number> = {};
  for (const { type, amount, currency } of ledger) sums[currency] = (sums[currency] ?? 0) + signs[type] * amount;
  return sums;
};

/** The state of a payment at the provider, and the events that it has sent about it. */
class Provider {
  readonly events: object[];
  readonly #id: string;
  readonly #amount: number;
  #time = 1000;
  readonly #refunds: { id: string; amount: number; created: number; hasFailed: boolean }[] = [];
  readonly #disputes = new Map<string, string>();

  constructor(checkoutId: string, amount: number) {
    this.#id = checkoutId;
    this.#amount = amount;
    const session = paidSession(checkoutId, { amount_total: amount });
    this.events = [stripeEventAt(this.#time, 'checkout.session.completed', session)];
  }

  get isReturned(): boolean {
    return this.withdrawn > 0 || this.refunded >= this.#amount;
  }

  get refunded(): number {
    return this.#refunds.reduce((sum, { amount, hasFailed }) => sum + (hasFailed ? 0 : amount), 0);
  }

  get withdrawn(): number {
    return [...this.#disputes.values()].filter((status) => ['needs_response', 'lost'].includes(status)).length;
  }

  refund(amount: number): void {
    if (this.refunded + amount > this.#amount) return;
    this.#time += 1;
    this.#refunds.push({ id: `re_${this.#refunds.length}_${this.#id}`, amount, created: this.#time, hasFailed: false });
    this.events.push(
      stripeEventAt(this.#time, 'charge.refunded', refundedCharge(this.#id, this.refunded, this.#amount)),
    );
  }

  failRefund(which: number): void {
    const refund = this.#refunds[which % Math.max(1, this.#refunds.length)];
    if (!refund || refund.hasFailed) return;
    refund.hasFailed = true;
    this.#time += 1;
    const { id, amount, created } = refund;
    const object = failedRefund(this.#id, { id, amount, created });
    this.events.push(stripeEventAt(this.#time, 'refund.updated', object));
    this.events.push(stripeEventAt(this.#time + (which % 2), 'refund.failed', object));
    this.#time += 1;
  }

  report(name: string, status: string): void {
    const known = this.#disputes.get(name);
    const isOver = known === 'won' || known === 'lost' || known === 'warning_closed';
    if (isOver || (status === 'warning_closed' && known !== 'warning_needs_response')) return;
    if (status.startsWith('warning_n') && known !== undefined) return;
    this.#time += 1;
    this.#disputes.set(name, status);
    const isClosed = ['won', 'lost', 'warning_closed'].includes(status);
    const event = known === undefined ? 'created' : isClosed ? 'closed' : 'updated';
    const object = disputeOf(this.#id, { id: `du_${name}_${this.#id}`, status, amount: this.#amount });
    this.events.push(stripeEventAt(this.#time, `charge.dispute.${event}`, object));
  }
}

const step = fc.oneof(
  fc.record({ refund: fc.constantFrom(100, 900, 1899, 2000, 4899) }),
  fc.record({ failRefund: fc.nat(3) }),
  fc.record({
    dispute: fc.constantFrom('a', 'b'),
    status: fc.constantFrom('warning_needs_response', 'warning_closed', 'needs_response', 'won', 'lost'),
  }),
);

const history = fc.record({
  isPromotion: fc.boolean(),
  steps: fc.array(step, { minLength: 1, maxLength: 8 }),
  order: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 20, maxLength: 20 }),
  repeated: fc.nat(20),
});

longTest('any order of the events about a payment ends in what the provider says of it', async () => {
  await fc.assert(
    fc.asyncProperty(history, async ({ isPromotion, steps, order, repeated }) => {
      const { buyer, project, id } = isPromotion ? await startPromotion(['detail']) : await startUpgrade();
      const amount = isPromotion ? 1900 : 4900;
      // A partial refund names the checkout, so that what comes before the payment finds it.
      const provider = new Provider(id, amount);
      provider.refund(1);
      const first = provider.events.at(-1) as object;
      for (const one of steps) {
        if ('refund' in one) provider.refund(one.refund);
        else if ('failRefund' in one) provider.failRefund(one.failRefund + 1);
        else provider.report(one.dispute, one.status);
      }
      const sorted = provider.events
        .map((event, index) => ({ event, order: order[index % order.length] ?? 0 }))
        .toSorted((one, other) => one.order - other.order)
        .map(({ event }) => event);
      await send(first, ...sorted, sorted[repeated % sorted.length] as object);

      const { isReturned } = provider;
      const checkout = await checkoutOf(directory, buyer, id);
      expect(checkout).toMatchObject({
        status: isReturned ? 'refunded' : 'fulfilled',
        amount_refunded: provider.refunded,
      });
      expect(netOf(await ledgerOf(directory, buyer))).toEqual({
        usd: amount - provider.refunded - provider.withdrawn * amount,
      });
      if (isPromotion) {
        // One that was paid while it was returned does not exist.
        const promotion = await findPromotion(id.replace('chk_', 'prm_'));
        expect(promotion?.status ?? 'revoked').toBe(isReturned ? 'revoked' : 'pending');
        return;
      }
      const { plan, paid_at } = await directory.read(project.id, buyer);
      expect({ plan, paid_at }).toEqual(
        isReturned ? { plan: 'standard', paid_at: null } : { plan: 'premium', paid_at: checkout.paid_at },
      );
    }),
    { numRuns: 80 },
  );
});

const promotionOf = async (checkoutId: string): Promise<Promotion> => {
  const id = checkoutId.replace('chk_', 'prm_');
  const all = dataOf<Promotion[]>(await directory.get('/api/admin/promotions?status=all&limit=100', directory.admin));
  return all.find((one) => one.id === id) as Promotion;
};

const buyPromotion = async (placements: readonly string[], months = 1) => {
  const { buyer, project, id } = await startPromotion(placements, months);
  await chooseOutcome(directory, id, 'paid');
  expect(await checkoutOf(directory, buyer, id)).toMatchObject({ status: 'fulfilled' });
  return { buyer, project, id };
};

const act = (checkoutId: string, action: object) =>
  directory.adminOk('PUT', `/api/admin/promotions/${checkoutId.replace('chk_', 'prm_')}`, action);

it('a promotion gets back the time that a dispute took, and one that was not approved yet waits again', async () => {
  needsFeature('promotions');
  const { buyer, id } = await buyPromotion(['detail']);
  await act(id, { action: 'approve' });
  const before = await promotionOf(id);
  await chooseOutcome(directory, id, 'disputed');
  const revoked = await promotionOf(id);
  expect(revoked).toMatchObject({ status: 'revoked', reason: 'The payment was refunded.' });
  const wonFrom = Date.now();
  await chooseOutcome(directory, id, 'dispute_won');
  const after = await promotionOf(id);
  expect(after).toMatchObject({ status: 'active', reason: null, placements: ['detail'], starts_at: before.starts_at });
  // It ends by the time that it lost after the dispute was won.
  const lost = Date.parse(`${before.ends_at}`) - Date.parse(`${revoked.ends_at}`);
  expect(lost).toBeGreaterThan(27 * DAY_MS);
  expect(Date.parse(`${after.ends_at}`) - lost).toBeGreaterThanOrEqual(wonFrom);
  expect(Date.parse(`${after.ends_at}`) - lost).toBeLessThanOrEqual(Date.now());
  expect(await checkoutOf(directory, buyer, id)).toMatchObject({ status: 'fulfilled', amount_refunded: 0 });

  const waiting = await buyPromotion(['detail']);
  await chooseOutcome(directory, waiting.id, 'refunded');
  expect(await promotionOf(waiting.id)).toMatchObject({ status: 'revoked' });
  await chooseOutcome(directory, waiting.id, 'refund_failed');
  expect(await promotionOf(waiting.id)).toMatchObject({ status: 'pending', starts_at: null, ends_at: null });
  await act(waiting.id, { action: 'approve' });
  expect(await promotionOf(waiting.id)).toMatchObject({ status: 'active' });
});

it('a promotion that an administrator revoked, or that was over, stays so when a dispute about it is won', async () => {
  needsFeature('promotions');
  const { id } = await buyPromotion(['detail']);
  await act(id, { action: 'approve' });
  await act(id, { action: 'revoke', reason: 'Not fitting.' });
  const revoked = await promotionOf(id);
  await chooseOutcome(directory, id, 'disputed');
  await chooseOutcome(directory, id, 'dispute_won');
  expect(await promotionOf(id)).toEqual(revoked);
});

it('a promotion is refunded in part for a placement whose slot was taken during a dispute', async () => {
  needsFeature('promotions');
  // The banner has one slot and costs 6900 a month, the detail page 1900.
  const { buyer, id } = await buyPromotion(['banner', 'detail'], 2);
  await act(id, { action: 'approve' });
  await chooseOutcome(directory, id, 'disputed');
  const rival = await buyPromotion(['banner']);
  await act(rival.id, { action: 'approve' });
  await chooseOutcome(directory, id, 'dispute_won');
  expect(await promotionOf(id)).toMatchObject({ status: 'active', placements: ['detail'] });
  await server.until(async () => (await checkoutOf(directory, buyer, id)).amount_refunded > 0);
  expect(await checkoutOf(directory, buyer, id)).toMatchObject({ status: 'fulfilled', amount_refunded: 13_800 });
  expect(await movesOf(buyer)).toEqual([
    'payment 17600 usd',
    'dispute 17600 usd',
    'dispute_won 17600 usd',
    'refund 13800 usd',
  ]);
  // The rest is lost and restored like any other.
  const again = { payment_intent: (await inConsole(id)).payment_intent };
  await send(dispute(id, 'created', 'needs_response', { id: 'du_second', ...again }));
  expect(await promotionOf(id)).toMatchObject({ status: 'revoked', placements: ['detail'] });
  await send(dispute(id, 'closed', 'won', { id: 'du_second', ...again }));
  expect(await promotionOf(id)).toMatchObject({ status: 'active', placements: ['detail'] });
  await act(rival.id, { action: 'revoke' });
});

it('a part whose refund fails is left to an administrator, and is not refunded again', async () => {
  needsFeature('promotions');
  const { buyer, id } = await buyPromotion(['banner', 'detail']);
  await act(id, { action: 'approve' });
  await chooseOutcome(directory, id, 'disputed');
  const rival = await buyPromotion(['banner']);
  await chooseOutcome(directory, id, 'dispute_won');
  await server.until(async () => (await checkoutOf(directory, buyer, id)).amount_refunded === 6900);
  expect(await inConsole(id)).toMatchObject({ state: 'fulfilled', problem: null });
  await chooseOutcome(directory, id, 'refund_failed');
  expect(await inConsole(id)).toMatchObject({ state: 'fulfilled', problem: 'refund_due', amount_refunded: 0 });
  await refundCheckout({ checkout_id: id, part: { id: 'banner', amount: 6900 } });
  expect((await movesOf(buyer)).filter((move) => move.startsWith('refund '))).toHaveLength(1);
  await act(rival.id, { action: 'revoke' });
});

it('a promotion that was rejected is refunded after a dispute, and left to an administrator when its refund fails', async () => {
  needsFeature('promotions');
  const rejected = await buyPromotion(['detail']);
  await act(rejected.id, { action: 'revoke', reason: 'Not fitting.' });
  await server.until(async () => (await checkoutOf(directory, rejected.buyer, rejected.id)).status === 'refunded');
  await chooseOutcome(directory, rejected.id, 'refund_failed');
  expect(await inConsole(rejected.id)).toMatchObject({ state: 'paid', problem: 'refund_due' });
  expect(await promotionOf(rejected.id)).toMatchObject({ status: 'revoked', reason: 'Not fitting.' });

  const disputed = await buyPromotion(['detail']);
  await chooseOutcome(directory, disputed.id, 'disputed');
  const stored = (await findPromotion(disputed.id.replace('chk_', 'prm_'))) as PromotionRecord;
  const { lost: _, ...unshown } = stored;
  const next = { ...unshown, reason: 'Not fitting.', version: stored.version + 1 };
  await replacePromotion(stored, next, undefined, []);
  await chooseOutcome(directory, disputed.id, 'dispute_won');
  await server.until(async () => (await checkoutOf(directory, disputed.buyer, disputed.id)).amount_refunded === 1900);
});

it('a refund by the service that failed is left to an administrator in either order of its events', async () => {
  needsFeature('promotions');
  const rejected = await buyPromotion(['detail']);
  const stored = (await findPromotion(rejected.id.replace('chk_', 'prm_'))) as PromotionRecord;
  const next = { ...stored, status: 'revoked', reason: 'Not fitting.', version: stored.version + 1 } as const;
  await replacePromotion(stored, next, undefined, []);
  const { payment_intent } = await inConsole(rejected.id);
  const own = { payment_intent, amount: 1900, created: 10, metadata: { part: 'all' } };
  await send(stripeEventAt(20, 'refund.failed', failedRefund(rejected.id, own)));
  await send(stripeEventAt(10, 'charge.refunded', { ...refundedCharge(rejected.id, 1900, 1900), payment_intent }));
  expect(await inConsole(rejected.id)).toMatchObject({ state: 'paid', problem: 'refund_due', amount_refunded: 0 });
});

it('a part that was not refunded before the next dispute is refunded after it', async () => {
  needsFeature('promotions');
  const { buyer, id } = await buyPromotion(['banner', 'detail']);
  await act(id, { action: 'approve' });
  await chooseOutcome(directory, id, 'disputed');
  const rival = await buyPromotion(['banner']);
  const { payment_intent } = await inConsole(id);
  const second = { id: 'du_next', payment_intent };
  vi.stubEnv('STRIPE_SECRET_KEY', 'invalid');
  await chooseOutcome(directory, id, 'dispute_won');
  await send(dispute(id, 'created', 'needs_response', second));
  vi.unstubAllEnvs();
  await untilEventsDelivered(server, directory);
  expect(await checkoutOf(directory, buyer, id)).toMatchObject({ status: 'refunded', amount_refunded: 0 });
  await send(dispute(id, 'closed', 'won', second));
  await server.until(async () => (await checkoutOf(directory, buyer, id)).amount_refunded === 6900);
  expect(await promotionOf(id)).toMatchObject({ status: 'active', placements: ['detail'] });
  // A third dispute changes nothing about it.
  const third = { id: 'du_third', payment_intent };
  await send(dispute(id, 'created', 'needs_response', third), dispute(id, 'closed', 'won', third));
  await untilEventsDelivered(server, directory);
  expect(await checkoutOf(directory, buyer, id)).toMatchObject({ status: 'fulfilled', amount_refunded: 6900 });
  await act(rival.id, { action: 'revoke' });
});

it('a promotion that an earlier version revoked gets back what its dates say that it lost', async () => {
  needsFeature('promotions');
  const { id } = await buyPromotion(['detail'], 2);
  await act(id, { action: 'approve' });
  const { ends_at } = await promotionOf(id);
  await chooseOutcome(directory, id, 'disputed');
  const stored = (await findPromotion(id.replace('chk_', 'prm_'))) as PromotionRecord;
  const { lost: _, ...earlier } = stored;
  await replacePromotion(stored, { ...earlier, version: stored.version + 1 }, undefined, []);
  await chooseOutcome(directory, id, 'dispute_won');
  const after = await promotionOf(id);
  expect(after.status).toBe('active');
  expect(Date.parse(`${after.ends_at}`)).toBeGreaterThanOrEqual(Date.parse(`${ends_at}`));
});

it('a dispute that is won gives no plan that an administrator had taken before', async () => {
  const { buyer, project, id } = await buyUpgrade();
  await directory.adminOk('PUT', `/api/admin/projects/${project.id}`, { plan: 'standard' });
  await send(dispute(id, 'created', 'needs_response'), dispute(id, 'closed', 'won'));
  expect(await directory.read(project.id, buyer)).toMatchObject({ plan: 'standard' });
  expect(await checkoutOf(directory, buyer, id)).toMatchObject({ status: 'fulfilled' });
});

it.each([
  ['the dispute is won before the refund fails', ['dispute_won', 'refund_failed']],
  ['the refund fails before the dispute is won', ['refund_failed', 'dispute_won']],
])('a payment that is disputed and refunded ends the same when %s', async (_, outcomes) => {
  needsFeature('promotions');
  const { buyer, id } = await buyPromotion(['banner']);
  await chooseOutcome(directory, id, 'disputed');
  await chooseOutcome(directory, id, 'refunded');
  const rival = await buyPromotion(['banner']);
  for (const outcome of outcomes) await chooseOutcome(directory, id, outcome);
  expect(await inConsole(id)).toMatchObject({ state: 'paid', problem: 'refund_due', amount_refunded: 0 });
  expect((await movesOf(buyer)).filter((move) => move.startsWith('refund '))).toHaveLength(1);
  await act(rival.id, { action: 'revoke' });
});

it('a promotion is refunded whole when nothing of it can be given back', async () => {
  needsFeature('promotions');
  const { buyer, id } = await buyPromotion(['banner']);
  await chooseOutcome(directory, id, 'disputed');
  const rival = await buyPromotion(['banner']);
  await chooseOutcome(directory, id, 'dispute_won');
  await server.until(async () => (await checkoutOf(directory, buyer, id)).status === 'refunded');
  expect(await checkoutOf(directory, buyer, id)).toMatchObject({ amount_refunded: 6900 });
  expect(await promotionOf(id)).toMatchObject({ status: 'revoked', placements: ['banner'] });
  await act(rival.id, { action: 'revoke' });

  const other = await buyPromotion(['detail']);
  await chooseOutcome(directory, other.id, 'disputed');
  await directory.ok(other.buyer, 'DELETE', `/api/projects/${other.project.id}`);
  await chooseOutcome(directory, other.id, 'dispute_won');
  await server.until(async () => (await checkoutOf(directory, other.buyer, other.id)).status === 'refunded');
});

it('a promotion that was paid after its refund is delivered when the refund fails', async () => {
  needsFeature('promotions');
  const buyer = await person(server);
  const project = await directory.live(buyer);
  const body = { kind: 'promotion', project_id: project.id, placements: ['detail'], months: 1 };
  const { checkout_id: id } = dataOf<StartedCheckout>(
    await directory.ok(buyer, 'POST', '/api/payments/checkout', body),
  );
  await send(stripeEventAt(10, 'charge.refunded', refundedCharge(id, 1900, 1900)));
  await send(stripeEventAt(9, 'checkout.session.completed', paidSession(id, { amount_total: 1900 })));
  expect(await promotionOf(id)).toBeUndefined();
  await send(stripeEventAt(20, 'refund.failed', failedRefund(id, { amount: 1900, created: 10 })));
  expect(await promotionOf(id)).toMatchObject({ status: 'pending' });
  expect(await checkoutOf(directory, buyer, id)).toMatchObject({
    status: 'fulfilled',
    promotion_id: expect.any(String) as string,
  });
});
