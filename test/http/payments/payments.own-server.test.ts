import { describe, expect, it, vi } from 'vitest';
import type { AdminPayment } from '#contract/payments.ts';
import { Submission } from '#contract/projects.ts';
import { checkoutSubmissionKey } from '#data/keys.ts';
import { insertCheckout } from '#data/payments.ts';
import { findProject } from '#data/projects.ts';
import { findPromotion } from '#data/promotions.ts';
import { findItem } from '#data/read.ts';
import { newCheckout, projectOfCheckout } from '#model/payment.ts';
import { promotionOfCheckout } from '#model/promotion.ts';
import { newId } from '#platform/ids.ts';
import { browsePayments } from '#services/payments/list.ts';
import { kindsAbout, untilEventsDelivered, untilEventsPublished } from '#test/support/events.ts';
import {
  conflict,
  dataOf,
  FORBIDDEN,
  INVALID,
  idOf,
  idsOf,
  invalidAt,
  metaOf,
  NOT_FOUND,
  type Person,
  person,
  submission,
  success,
  TIME,
  unique,
} from '#test/support/fixtures.ts';
import { longTest } from '#test/support/long-test.ts';
import {
  checkoutOf,
  chooseOutcome,
  disputeOf,
  ledgerOf,
  paidSession,
  refundedCharge,
  type StartedCheckout,
  sendStripeEvent,
  signatureOf,
  startPremium,
  stripeEvent,
  withoutStripeEvents,
} from '#test/support/payments.ts';
import { readUnits } from '#test/support/read-units.ts';
import { ownDirectory } from '#test/support/with-directory.ts';
import { needsFeature } from '#test/support/without-feature.ts';

const { server, directory } = await ownDirectory();

const RECEIVED = { status: 200, body: { data: { received: true } } };

/** The kinds of all events about a checkout, oldest first, after all pending events are published. */
const eventsAbout = async (checkoutId: string) => {
  await untilEventsPublished(server, directory);
  return await kindsAbout(server, checkoutId);
};

const sendEvent = async (event: object): Promise<void> => {
  expect(await sendStripeEvent(server, event)).toMatchObject(RECEIVED);
};

const upgrade = async (buyer: Person, project_id: string): Promise<StartedCheckout> =>
  dataOf(await directory.ok(buyer, 'POST', '/api/payments/checkout', { kind: 'upgrade', project_id }));

longTest('a premium submission returns a payment page, and creates the project when it is paid', async () => {
  const buyer = await person(server);
  const name = unique('Premium');
  const response = await directory.as(
    buyer,
    'POST',
    '/api/projects',
    submission({ plan: 'premium', name, categories: [directory.category] }),
  );
  expect(response).toMatchObject(
    success({ checkout_id: idOf('chk'), checkoutUrl: expect.stringContaining('/_local/checkout/chk_') as unknown }),
  );
  expect(Object.keys(dataOf<object>(response)).sort()).toEqual(['checkoutUrl', 'checkout_id']);
  const { checkout_id: id, checkoutUrl } = dataOf<StartedCheckout>(response);
  expect(metaOf(await directory.get('/api/me/submissions', buyer)).total).toBe(0);
  expect(await checkoutOf(directory, buyer, id)).toEqual({
    id,
    kind: 'submission',
    status: 'open',
    amount: 4900,
    currency: 'usd',
    amount_refunded: 0,
    refund_currency: 'usd',
    placements: null,
    months: null,
    promotion_id: null,
    checkoutUrl,
    project: null,
    created_at: TIME,
    paid_at: null,
  });

  await chooseOutcome(directory, id, 'paid');
  const checkout = await checkoutOf(directory, buyer, id);
  expect(checkout).toMatchObject({ status: 'fulfilled', checkoutUrl: null, paid_at: TIME });
  expect(checkout.project).toMatchObject({ name, plan: 'premium', status: 'pending', paid_at: checkout.paid_at });
  expect(idsOf(await directory.get('/api/me/submissions', buyer))).toEqual([checkout.project?.id]);
  expect(await ledgerOf(directory, buyer)).toEqual([
    {
      id: idOf('pay'),
      type: 'payment',
      checkout_id: id,
      kind: 'submission',
      project_id: checkout.project?.id,
      amount: 4900,
      currency: 'usd',
      note: null,
      created_at: checkout.paid_at,
    },
  ]);
  expect(await eventsAbout(id)).toEqual(['paymentSettled']);
  const submitted = (await server.events()).filter(
    ({ kind, data }) =>
      kind === 'projectSubmitted' && (data as { project_id: string }).project_id === checkout.project?.id,
  );
  expect(submitted).toMatchObject([{ actor_id: buyer.id, data: { plan: 'premium', status: 'pending' } }]);
  // The stored submission is deleted once the project exists.
  expect(await findItem(checkoutSubmissionKey(id))).toBeUndefined();
});

it('a premium submission is validated before the checkout is opened', async () => {
  const buyer = await person(server);
  const taken = await directory.submit(buyer, { slug: unique('taken') });
  const submit = (fields: object) =>
    directory.as(
      buyer,
      'POST',
      '/api/projects',
      submission({ plan: 'premium', categories: [directory.category], ...fields }),
    );
  expect(await submit({ name: '' })).toMatchObject(invalidAt('name'));
  expect(await submit({ categories: ['no-such-category'] })).toMatchObject(invalidAt('categories'));
  expect(await submit({ slug: taken.slug })).toMatchObject(conflict('SLUG_TAKEN'));
  expect(await submit({ slug: 'map' })).toMatchObject(conflict('SLUG_TAKEN'));
});

longTest('a premium submission appends a suffix to a slug that was taken before the payment', async () => {
  const buyer = await person(server);
  const slug = unique('wanted');
  const { checkout_id: id } = await startPremium(directory, buyer, { slug });
  await directory.submit(await person(server), { slug });
  await chooseOutcome(directory, id, 'paid');
  expect((await checkoutOf(directory, buyer, id)).project).toMatchObject({ slug: `${slug}-2` });
});

longTest('a premium submission drops a category deleted before the payment and follows a renamed one', async () => {
  const buyer = await person(server);
  const [deleted, renamed] = [await directory.addCategory(), await directory.addCategory()];
  const { checkout_id: id } = await startPremium(directory, buyer, { categories: [deleted.slug, renamed.slug] });
  await directory.adminOk('DELETE', `/api/admin/categories/${deleted.slug}`);
  await directory.adminOk('PUT', `/api/admin/categories/${renamed.slug}`, { slug: `${renamed.slug}-new` });
  await chooseOutcome(directory, id, 'paid');
  expect((await checkoutOf(directory, buyer, id)).project?.categories).toEqual([`${renamed.slug}-new`]);
});

it.each(['failed', 'expired'])('a premium submission creates nothing when the payment is %s', async (outcome) => {
  const buyer = await person(server);
  const { checkout_id: id } = await startPremium(directory, buyer);
  await chooseOutcome(directory, id, outcome);
  expect(await checkoutOf(directory, buyer, id)).toMatchObject({ status: outcome, project: null, checkoutUrl: null });
  expect(await ledgerOf(directory, buyer)).toEqual([]);
  expect(await eventsAbout(id)).toEqual([]);
});

longTest('a premium submission is refunded when the buyer was erased before the payment', async () => {
  const buyer = await person(server);
  const { checkout_id: id } = await startPremium(directory, buyer);
  await directory.ok(buyer, 'DELETE', '/api/user');
  await server.until(async () => (await findItem(checkoutSubmissionKey(id))) === undefined);
  await chooseOutcome(directory, id, 'paid');
  await server.until(async () => (await checkoutOf(directory, directory.admin, id)).status === 'refunded');
  expect(await eventsAbout(id)).toEqual(['paymentRefunded']);
  expect(await findProject(projectOfCheckout(id))).toBeUndefined();
});

longTest('a premium submission leaves no project when the buyer is erased concurrently with the payment', async () => {
  for (let round = 0; round < 5; round += 1) {
    const buyer = await person(server);
    const { checkout_id: id } = await startPremium(directory, buyer);
    await Promise.all([
      chooseOutcome(directory, id, 'paid'),
      directory.as(buyer, 'DELETE', '/api/user?projects=delete').then(({ status }) => expect(status).toBe(200)),
    ]);
    const isSettled = async () =>
      ['fulfilled', 'refunded'].includes((await checkoutOf(directory, directory.admin, id)).status);
    await server.until(isSettled);
    await server.until(async () => (await findProject(projectOfCheckout(id))) === undefined);
  }
});

it('an upgrade makes the project premium when it is paid and keeps its status', async () => {
  const buyer = await person(server);
  const project = await directory.live(buyer);
  const { checkout_id: id } = await upgrade(buyer, project.slug);
  expect(await checkoutOf(directory, buyer, id)).toMatchObject({
    kind: 'upgrade',
    status: 'open',
    project: { id: project.id },
  });
  expect((await directory.read(project.id)).plan).toBe('standard');
  await chooseOutcome(directory, id, 'paid');
  const checkout = await checkoutOf(directory, buyer, id);
  expect(await directory.read(project.id, buyer)).toMatchObject({
    plan: 'premium',
    status: 'live',
    paid_at: checkout.paid_at,
  });
  expect(await eventsAbout(id)).toEqual(['paymentSettled']);
  expect(await ledgerOf(directory, buyer)).toMatchObject([
    { type: 'payment', kind: 'upgrade', project_id: project.id },
  ]);
});

longTest('an upgrade is available to the owner of an existing project that is not premium', async () => {
  const [buyer, other] = [await person(server), await person(server)];
  const [live, pending] = [await directory.live(buyer), await directory.submit(buyer)];
  const deleted = await directory.project('deleted', buyer);
  const tryUpgrade = (who: Person, project: string) =>
    directory.as(who, 'POST', '/api/payments/checkout', { kind: 'upgrade', project_id: project });
  expect(await tryUpgrade(buyer, deleted.id)).toMatchObject(NOT_FOUND);
  expect(await tryUpgrade(buyer, 'no-such-project')).toMatchObject(NOT_FOUND);
  await directory.adminOk('PUT', `/api/admin/projects/${live.id}`, { plan: 'premium' });
  expect(await tryUpgrade(buyer, live.id)).toMatchObject(conflict('ALREADY_PREMIUM'));
  const { id } = await directory.live(buyer);
  const checkout = (who: Person, body: unknown) => directory.as(who, 'POST', '/api/payments/checkout', body);
  // The permission for the project is checked before the other fields.
  for (const rest of [{}, { kind: 'gift' }, { kind: 'promotion', placements: 'roof', months: -1 }]) {
    expect(await checkout(other, { ...rest, project_id: live.slug })).toMatchObject(FORBIDDEN);
    expect(await checkout(other, { ...rest, project_id: pending.id })).toMatchObject(NOT_FOUND);
    expect(await checkout(buyer, { ...rest, project_id: id })).toMatchObject(INVALID);
  }
});

it('an upgrade is refunded when another payment for the same project came first', async () => {
  const buyer = await person(server);
  const project = await directory.live(buyer);
  const [first, second] = [await upgrade(buyer, project.id), await upgrade(buyer, project.id)];
  await chooseOutcome(directory, first.checkout_id, 'paid');
  await chooseOutcome(directory, second.checkout_id, 'paid');
  await server.until(async () => (await checkoutOf(directory, buyer, second.checkout_id)).status === 'refunded');
  expect(await checkoutOf(directory, buyer, first.checkout_id)).toMatchObject({ status: 'fulfilled' });
  expect(await directory.read(project.id)).toMatchObject({ plan: 'premium' });
  const entries = await ledgerOf(directory, buyer);
  expect(entries.map(({ type, checkout_id: id }) => [type, id])).toEqual([
    ['refund', second.checkout_id],
    ['payment', second.checkout_id],
    ['payment', first.checkout_id],
  ]);
  expect(entries[1]?.note).toBe('The project already has the premium plan.');
});

it('an upgrade is refunded when the project was deleted before the payment', async () => {
  const buyer = await person(server);
  const project = await directory.live(buyer);
  const { checkout_id: id } = await upgrade(buyer, project.id);
  await directory.adminOk('DELETE', `/api/projects/${project.id}`);
  await chooseOutcome(directory, id, 'paid');
  await server.until(async () => (await checkoutOf(directory, buyer, id)).status === 'refunded');
  expect(await eventsAbout(id)).toEqual(['paymentRefunded']);
});

it('a promotion purchase keeps the price and currency of its checkout when the configuration has changed', async () => {
  needsFeature('promotions');
  const buyer = await person(server);
  const { id: projectId } = await directory.live(buyer);
  const id = newId('chk');
  const order = { kind: 'promotion', title: 'Earlier', amount: 700, currency: 'chf', projectId } as const;
  const at = new Date().toISOString();
  const checkout = newCheckout({ ...order, placements: ['detail'], months: 1 }, id, buyer.id, at);
  await insertCheckout(checkout, undefined);
  const session = paidSession(id, { amount_total: 700, currency: 'chf' });
  await sendEvent(stripeEvent('checkout.session.completed', session));
  expect(await findPromotion(promotionOfCheckout(id))).toMatchObject({ price: 700, currency: 'chf' });
});

const buyUpgrade = async () => {
  const buyer = await person(server);
  const project = await directory.live(buyer);
  const { checkout_id: id } = await upgrade(buyer, project.id);
  await chooseOutcome(directory, id, 'paid');
  return { buyer, project, id };
};

it('a partial refund changes the ledger only; a full one also removes the plan but not the status', async () => {
  const { buyer, project, id } = await buyUpgrade();
  await chooseOutcome(directory, id, 'refunded', 1000);
  expect(await checkoutOf(directory, buyer, id)).toMatchObject({ status: 'fulfilled', amount_refunded: 1000 });
  expect(await directory.read(project.id)).toMatchObject({ plan: 'premium', status: 'live' });
  await chooseOutcome(directory, id, 'refunded');
  expect(await checkoutOf(directory, buyer, id)).toMatchObject({ status: 'refunded', amount_refunded: 4900 });
  expect(await directory.read(project.id, buyer)).toMatchObject({ plan: 'standard', status: 'live', paid_at: null });
  const entries = await ledgerOf(directory, buyer);
  expect(entries.map(({ type, amount }) => [type, amount])).toEqual([
    ['refund', 3900],
    ['refund', 1000],
    ['payment', 4900],
  ]);
  expect(await eventsAbout(id)).toEqual(['paymentSettled', 'paymentRefunded', 'paymentRefunded']);
  // The plan can be bought again.
  await chooseOutcome(directory, (await upgrade(buyer, project.id)).checkout_id, 'paid');
  expect(await directory.read(project.id)).toMatchObject({ plan: 'premium' });
});

longTest('a refund or dispute removes the plan once, and not a plan that was bought later', async () => {
  const { buyer, project, id } = await buyUpgrade();
  await chooseOutcome(directory, id, 'disputed');
  expect(await checkoutOf(directory, buyer, id)).toMatchObject({ status: 'refunded' });
  expect(await directory.read(project.id, buyer)).toMatchObject({ plan: 'standard', status: 'live', paid_at: null });
  // A plan that was bought later stays when the first payment is also refunded.
  const again = await upgrade(buyer, project.id);
  await chooseOutcome(directory, again.checkout_id, 'paid');
  await chooseOutcome(directory, id, 'refunded');
  expect(await directory.read(project.id)).toMatchObject({ plan: 'premium' });
  expect(await eventsAbout(id)).toEqual(['paymentSettled', 'paymentRefunded', 'paymentRefunded']);
  expect((await ledgerOf(directory, buyer)).map(({ type }) => type)).toEqual([
    'refund',
    'payment',
    'dispute',
    'payment',
  ]);
});

it('a refund or dispute of a submission changes the project to the standard plan', async () => {
  const buyer = await person(server);
  const { checkout_id: id } = await startPremium(directory, buyer);
  await chooseOutcome(directory, id, 'paid');
  await chooseOutcome(directory, id, 'refunded');
  const { project } = await checkoutOf(directory, buyer, id);
  expect(project).toMatchObject({ plan: 'standard', status: 'pending', paid_at: null });
});

it('a refund or dispute has the same result when events arrive out of order', async () => {
  const buyer = await person(server);
  const { checkout_id: id } = await startPremium(directory, buyer);
  await sendEvent(stripeEvent('charge.refunded', refundedCharge(id, 4900)));
  expect(await checkoutOf(directory, buyer, id)).toMatchObject({ status: 'refunded', project: null });
  await sendEvent(stripeEvent('charge.refunded', refundedCharge(id, 1000)));
  await sendEvent(stripeEvent('checkout.session.completed', paidSession(id)));
  expect(await checkoutOf(directory, buyer, id)).toMatchObject({
    status: 'refunded',
    amount_refunded: 4900,
    project: { plan: 'standard', status: 'pending', paid_at: null },
    paid_at: TIME,
  });
  expect((await ledgerOf(directory, buyer)).map(({ type, amount }) => [type, amount]).sort()).toEqual([
    ['payment', 4900],
    ['refund', 4900],
  ]);
});

it('a refund or dispute is assigned by its payment when the event does not name the checkout', async () => {
  const { buyer, project, id } = await buyUpgrade();
  const response = await server.call('GET', `/_local/checkout/${id}`, { headers: { accept: 'application/json' } });
  const { payment_intent } = dataOf<{ payment_intent: string }>(response);
  const charge = { ...refundedCharge(id, 4900), payment_intent, metadata: {} };
  await sendEvent(stripeEvent('charge.refunded', charge));
  expect(await directory.read(project.id)).toMatchObject({ plan: 'standard' });
  expect(await checkoutOf(directory, buyer, id)).toMatchObject({ status: 'refunded' });
  // A dispute names only the payment; an unknown payment belongs to another service and is ignored.
  await sendEvent(stripeEvent('charge.dispute.created', { ...disputeOf(id), payment_intent: 'pi_elsewhere' }));
});

longTest('a refund or dispute is assigned by asking the provider when it arrives before the payment', async () => {
  const buyer = await person(server);
  const { checkout_id: id } = await startPremium(directory, buyer);
  await withoutStripeEvents(async () => {
    await chooseOutcome(directory, id, 'paid');
    expect(await checkoutOf(directory, buyer, id)).toMatchObject({ status: 'open' });
    const { payment_intent } = dataOf<{ payment_intent: string }>(
      await server.call('GET', `/_local/checkout/${id}`, { headers: { accept: 'application/json' } }),
    );
    await sendEvent(stripeEvent('charge.dispute.created', { ...disputeOf(id), payment_intent }));
    expect(await checkoutOf(directory, buyer, id)).toMatchObject({ status: 'refunded', project: null });
  });
  // The provider retries the event of the payment until it is accepted.
  await server.until(async () => (await checkoutOf(directory, buyer, id)).project?.plan === 'standard');
  expect((await ledgerOf(directory, buyer)).map(({ type }) => type)).toEqual(['payment', 'dispute']);
});

const opened = (id: string, more: object = {}) => stripeEvent('charge.dispute.created', { ...disputeOf(id), ...more });
const closed = (id: string, status: string, more: object = {}) =>
  stripeEvent('charge.dispute.closed', { ...disputeOf(id), status, ...more });

/** Sends the events about an upgrade, and returns what they left. */
const outcomeOf = async (eventsOf: (id: string) => readonly object[]) => {
  const buyer = await person(server);
  const project = await directory.live(buyer);
  const { checkout_id: id } = await upgrade(buyer, project.id);
  for (const event of eventsOf(id)) await sendEvent(event);
  const { status, paid_at: paidAt } = await checkoutOf(directory, buyer, id);
  const { plan, paid_at } = await directory.read(project.id, buyer);
  const ledger = (await ledgerOf(directory, buyer)).map(({ type, amount }) => `${type} ${amount}`).toReversed();
  return { buyer, project, id, paidAt, state: { status, plan, paid_at }, ledger };
};
const paid = (id: string) => stripeEvent('checkout.session.completed', paidSession(id));

longTest('a dispute that is won restores the plan and its time of payment, once', async () => {
  const { id, buyer, project, paidAt, state, ledger } = await outcomeOf((one) => [
    paid(one),
    opened(one),
    closed(one, 'won'),
  ]);
  expect(state).toEqual({ status: 'fulfilled', plan: 'premium', paid_at: paidAt });
  expect(ledger).toEqual(['payment 4900', 'dispute 4900', 'dispute_won 4900']);
  await sendEvent(closed(id, 'won'));
  await sendEvent(opened(id));
  expect(await directory.read(project.id, buyer)).toMatchObject({ plan: 'premium', paid_at: paidAt });
  expect(await ledgerOf(directory, buyer)).toHaveLength(3);
  // A later refund takes the plan away again.
  await sendEvent(stripeEvent('charge.refunded', refundedCharge(id, 4900)));
  expect(await directory.read(project.id, buyer)).toMatchObject({ plan: 'standard', paid_at: null });
});

// A partial refund names the checkout, so that disputes find it before the payment is reported.
const partial = (id: string) => stripeEvent('charge.refunded', refundedCharge(id, 1));

it.each<[string, (id: string) => readonly object[]]>([
  ['closed before it was opened', (id) => [paid(id), closed(id, 'won'), opened(id)]],
  ['opened and closed before the payment', (id) => [partial(id), opened(id), closed(id, 'won'), paid(id)]],
  ['closed before the payment and opened after it', (id) => [partial(id), closed(id, 'won'), paid(id), opened(id)]],
  ['opened before the payment and closed after it', (id) => [partial(id), opened(id), paid(id), closed(id, 'won')]],
  ['an inquiry that ended', (id) => [paid(id), opened(id), closed(id, 'warning_closed')]],
  ['closed twice', (id) => [paid(id), opened(id), closed(id, 'won'), closed(id, 'won')]],
])('a dispute that is won has the same result when it is %s', async (_, eventsOf) => {
  const { paidAt, state } = await outcomeOf(eventsOf);
  expect(state).toEqual({ status: 'fulfilled', plan: 'premium', paid_at: paidAt });
});

longTest('a dispute that is won changes nothing while another one is open or after a full refund', async () => {
  const gone = { status: 'refunded', plan: 'standard', paid_at: null };
  expect(await outcomeOf((id) => [paid(id), opened(id), closed(id, 'lost')])).toMatchObject({ state: gone });
  const second = { id: 'du_second' };
  expect(
    await outcomeOf((id) => [paid(id), opened(id), opened(id, second), closed(id, 'won'), closed(id, 'lost', second)]),
  ).toMatchObject({ state: gone });
  const refund = (id: string) => stripeEvent('charge.refunded', refundedCharge(id, 4900));
  expect(await outcomeOf((id) => [paid(id), opened(id), refund(id), closed(id, 'won')])).toMatchObject({
    state: gone,
  });
  expect(await outcomeOf((id) => [refund(id), paid(id), closed(id, 'won')])).toMatchObject({ state: gone });
});

longTest(
  'a dispute that is won leaves a plan bought later and is refunded, and restores the plan of a submission',
  async () => {
    const { buyer, project, id } = await buyUpgrade();
    await chooseOutcome(directory, id, 'disputed');
    const again = await upgrade(buyer, project.id);
    await chooseOutcome(directory, again.checkout_id, 'paid');
    const before = await directory.read(project.id, buyer);
    await chooseOutcome(directory, id, 'dispute_won');
    await server.until(async () => (await checkoutOf(directory, buyer, id)).amount_refunded === 4900);
    expect(await checkoutOf(directory, buyer, id)).toMatchObject({ status: 'refunded' });
    expect(await directory.read(project.id, buyer)).toEqual(before);

    const { checkout_id: submitted } = await startPremium(directory, buyer);
    for (const event of [paid(submitted), opened(submitted)]) await sendEvent(event);
    expect((await checkoutOf(directory, buyer, submitted)).project).toMatchObject({ plan: 'standard', paid_at: null });
    await sendEvent(closed(submitted, 'won'));
    const restored = await checkoutOf(directory, buyer, submitted);
    expect(restored).toMatchObject({ status: 'fulfilled', project: { plan: 'premium', paid_at: restored.paid_at } });
  },
);

it('provider events take effect once when delivered repeatedly and concurrently', async () => {
  const buyer = await person(server);
  const { checkout_id: id } = await startPremium(directory, buyer);
  const event = stripeEvent('checkout.session.completed', paidSession(id));
  const later = stripeEvent('checkout.session.async_payment_succeeded', paidSession(id));
  const responses = await Promise.all(
    Array.from({ length: 20 }, (_, n) => sendStripeEvent(server, n % 4 === 0 ? later : event)),
  );
  for (const response of responses) expect(response).toMatchObject(RECEIVED);
  expect(await ledgerOf(directory, buyer)).toHaveLength(1);
  expect(metaOf(await directory.get('/api/me/submissions', buyer)).total).toBe(1);
  expect(await eventsAbout(id)).toEqual(['paymentSettled']);
});

it('provider events about a payment are accepted before the session is stored', async () => {
  const buyer = await person(server);
  await directory.ok(buyer, 'GET', '/api/user/profile');
  const id = newId('chk');
  const order = { kind: 'submission', title: 'Early', amount: 4900, currency: 'usd' } as const;
  const early = Submission.parse(submission({ plan: 'premium', categories: ['any'] }));
  const ordered = { submission: early, slug: unique('early'), categoryIds: [], decision: null, fieldValues: null };
  await insertCheckout(newCheckout(order, id, buyer.id, new Date().toISOString()), ordered);
  await sendEvent(stripeEvent('checkout.session.completed', paidSession(id)));
  expect(await checkoutOf(directory, buyer, id)).toMatchObject({ status: 'fulfilled' });
});

it('provider events about a payment fulfil a checkout that expired or failed before', async () => {
  for (const before of ['checkout.session.expired', 'checkout.session.async_payment_failed']) {
    const buyer = await person(server);
    const { checkout_id: id } = await startPremium(directory, buyer);
    await sendEvent(stripeEvent('checkout.session.completed', paidSession(id, { payment_status: 'unpaid' })));
    expect(await checkoutOf(directory, buyer, id)).toMatchObject({ status: 'processing', checkoutUrl: null });
    await sendEvent(stripeEvent(before, paidSession(id, { payment_status: 'unpaid' })));
    await sendEvent(stripeEvent('checkout.session.async_payment_succeeded', paidSession(id)));
    expect(await checkoutOf(directory, buyer, id)).toMatchObject({ status: 'fulfilled' });
    await sendEvent(stripeEvent(before, paidSession(id, { payment_status: 'unpaid' })));
    expect(await checkoutOf(directory, buyer, id)).toMatchObject({ status: 'fulfilled' });
  }
});

it.each([{ amount_total: 4899 }, { amount_total: 1, currency: 'usd' }, { currency: 'jpy' }])(
  'provider events with a mismatching payment of %o are entered in the ledger and fulfil nothing',
  async (wrong) => {
    const buyer = await person(server);
    const { checkout_id: id } = await startPremium(directory, buyer);
    await sendEvent(stripeEvent('checkout.session.completed', paidSession(id, wrong)));
    expect(await checkoutOf(directory, buyer, id)).toMatchObject({ status: 'paid', project: null });
    const [entry] = await ledgerOf(directory, buyer);
    expect(entry).toMatchObject({ type: 'payment', note: 'Expected USD 49.00.' });
    expect(metaOf(await directory.get('/api/me/submissions', buyer)).total).toBe(0);
  },
);

it.each<[string, unknown]>([
  ['an empty list', []],
  ['null', null],
  ['a string', 'x'],
  ['a number', 5],
  ['no id and a type that is not a string', { type: 5 }],
  ['no id', { type: 'charge.refunded', data: { object: {} } }],
  ['an id longer than a key', stripeEvent('invoice.paid', {}, 'e'.repeat(3000))],
  ['no data', { id: 'evt_1', type: 'charge.refunded' }],
  ['no object', { id: 'evt_1', type: 'charge.refunded', data: {} }],
  ['a session without an id', stripeEvent('checkout.session.completed', { payment_status: 'paid' })],
  ['a session of another shape', stripeEvent('checkout.session.expired', { id: 'cs_1', metadata: { checkout_id: 5 } })],
  ['a charge without amounts', stripeEvent('charge.refunded', { payment_intent: 'pi_1' })],
  [
    'an amount that the table cannot store',
    stripeEvent('charge.refunded', { ...refundedCharge('x', 1), amount_refunded: 5e-324 }),
  ],
  ['a dispute without an amount', stripeEvent('charge.dispute.created', { id: 'du_1', payment_intent: 'pi_1' })],
  ['a closed dispute without a status', stripeEvent('charge.dispute.closed', { id: 'du_1', amount: 1 })],
])('provider events with a valid signature and %s are rejected', async (_, event) => {
  expect(await sendStripeEvent(server, event as object)).toMatchObject(INVALID);
});

it('provider events that are irrelevant are acknowledged', async () => {
  for (const event of [
    stripeEvent('invoice.paid', { id: 'in_1' }),
    { id: 'evt_thin', type: 'v1.billing.meter.no_meter_found' },
    stripeEvent('charge.dispute.closed', { ...disputeOf('x'), status: 'lost', payment_intent: null }),
    stripeEvent('checkout.session.completed', paidSession('chk_of_another_service')),
    stripeEvent('checkout.session.expired', paidSession('x', { client_reference_id: null, metadata: {} })),
    stripeEvent('charge.refunded', { ...refundedCharge('x', 1), metadata: null, payment_intent: null }),
  ]) {
    await sendEvent(event);
  }
});

const REFUSED = { status: 400, body: { error: 'Invalid signature', code: 'INVALID_SIGNATURE' } };
const payload = JSON.stringify(stripeEvent('invoice.paid', { name: 'Zürich' }), null, 1);
const sendBytes = (rawBody: string | Uint8Array, signature?: string) =>
  server.call('POST', '/api/webhooks/stripe', {
    rawBody,
    headers: { ...(signature !== undefined && { 'stripe-signature': signature }) },
  });

it('the webhook signature is verified over the raw bytes', async () => {
  const signature = signatureOf(payload);
  expect(await sendBytes(payload, signature)).toMatchObject(RECEIVED);
  expect(await sendBytes(`${payload}\n`, signature)).toEqual(expect.objectContaining(REFUSED));
  expect(await sendBytes(JSON.stringify(JSON.parse(payload)), signature)).toMatchObject(REFUSED);
  // The gateway passes a body that is not text as base64; it must be decoded to the same bytes.
  const binary = Buffer.concat([Buffer.from(payload), Buffer.from([0xff])]);
  expect(await sendBytes(binary, signature)).toMatchObject(REFUSED);
  // The provider's library leaves out a byte order mark, which nothing else can be hidden in.
  expect(await sendBytes(`\ufeff${payload}`, signature)).toMatchObject(RECEIVED);
});

it('the webhook signature is required, made with the secret, and at most five minutes old or ahead', async () => {
  const now = Math.floor(Date.now() / 1000);
  expect(await sendBytes(payload)).toMatchObject(REFUSED);
  expect(await sendBytes(payload, '')).toMatchObject(REFUSED);
  expect(await sendBytes(payload, 'nonsense')).toMatchObject(REFUSED);
  expect(await sendBytes('', signatureOf(payload))).toMatchObject(REFUSED);
  expect(await sendBytes(payload, signatureOf(payload, { secret: 'whsec_other' }))).toMatchObject(REFUSED);
  expect(await sendBytes(payload, signatureOf(payload, { timestamp: now - 310 }))).toMatchObject(REFUSED);
  expect(await sendBytes(payload, signatureOf(payload, { timestamp: now - 280 }))).toMatchObject(RECEIVED);
  expect(await sendBytes(payload, signatureOf(payload, { timestamp: now + 86_400 }))).toMatchObject(REFUSED);
  expect(await sendBytes(payload, signatureOf(payload, { timestamp: now + 280 }))).toMatchObject(RECEIVED);
  const { body, headers } = await sendBytes(payload);
  expect([body, headers.get('ratelimit')]).toEqual([REFUSED.body, null]);
});

it('the webhook signature is accepted from either of two secrets during a rotation', async () => {
  vi.stubEnv('STRIPE_WEBHOOK_SECRET', 'whsec_new, whsec_local');
  expect(await sendBytes(payload, signatureOf(payload))).toMatchObject(RECEIVED);
  expect(await sendBytes(payload, signatureOf(payload, { secret: 'whsec_new' }))).toMatchObject(RECEIVED);
});

describe('the payments of all users', () => {
  const page = async (query = '') =>
    (await directory.adminOk('GET', `/api/admin/payments?${query}`)).body as {
      readonly data: readonly AdminPayment[];
      readonly meta: {
        readonly total: number;
        readonly hasMore: boolean;
        readonly totals: Readonly<Record<string, { paid: number; refunded: number; net: number }>>;
        readonly months: readonly object[];
        readonly unreconciled: number;
      };
    };
  const totals = async () => (await page()).meta.totals.usd ?? { paid: 0, refunded: 0, net: 0 };
  const send = (event: object) => sendStripeEvent(server, event);

  longTest('the payments of all users are counted once, with refunds and disputes, and listed by state', async () => {
    const buyer = await person(server, { name: 'Grace' });
    const before = await page('limit=1');
    const amounts = await totals();
    const { checkout_id: id } = await startPremium(directory, buyer);
    expect((await page()).meta.total).toBe(before.meta.total);
    const event = paid(id);
    for (let time = 0; time < 3; time += 1) expect(await send(event)).toMatchObject(RECEIVED);
    const changed = (paidMore: number, refundedMore: number) => ({
      paid: amounts.paid + paidMore,
      refunded: amounts.refunded + refundedMore,
      net: amounts.net + paidMore - refundedMore,
    });
    expect(await totals()).toEqual(changed(4900, 0));
    const [payment] = (await page('limit=1')).data;
    expect(payment).toMatchObject({
      id,
      kind: 'submission',
      state: 'fulfilled',
      amount: 4900,
      currency: 'usd',
      amount_refunded: 0,
      is_disputed: false,
      problem: null,
      user: { id: buyer.id, name: 'Grace' },
      project: { id: projectOfCheckout(id) },
      paid_at: TIME,
    });
    expect((await page('state=fulfilled&limit=1')).data[0]).toEqual(payment);

    const partly = stripeEvent('charge.refunded', refundedCharge(id, 900));
    await Promise.all([send(partly), send(partly)]);
    expect(await totals()).toEqual(changed(4900, 900));
    await send(stripeEvent('charge.refunded', { ...refundedCharge(id, 4900), refunded: true }));
    expect(await totals()).toEqual(changed(4900, 4900));
    expect((await page('state=refunded&limit=1')).data[0]).toMatchObject({
      id,
      state: 'refunded',
      amount_refunded: 4900,
    });
    expect((await page('state=fulfilled&limit=100')).data.map((one) => one.id)).not.toContain(id);

    const { checkout_id: disputed } = await startPremium(directory, buyer);
    await send(stripeEvent('checkout.session.completed', paidSession(disputed)));
    await send(stripeEvent('charge.dispute.created', disputeOf(disputed)));
    expect((await page('limit=1')).data[0]).toMatchObject({ id: disputed, state: 'refunded', is_disputed: true });
    expect(await totals()).toEqual(changed(9800, 9800));
    await send(stripeEvent('charge.dispute.closed', { ...disputeOf(disputed), status: 'won' }));
    expect((await page('limit=1')).data[0]).toMatchObject({ id: disputed, state: 'fulfilled', is_disputed: false });
    expect(await totals()).toEqual(changed(9800, 4900));

    const { checkout_id: mismatched } = await startPremium(directory, buyer);
    await send(stripeEvent('checkout.session.completed', { ...paidSession(mismatched), amount_total: 100 }));
    const { meta } = await page();
    expect(meta.unreconciled).toBe(before.meta.unreconciled + 1);
    expect(meta.total).toBe(before.meta.total + 3);
    expect((await page('state=paid&limit=1')).data[0]).toMatchObject({ id: mismatched, problem: 'mismatch' });
    expect(await totals()).toEqual(changed(9900, 4900));
    const month = new Date().toISOString().slice(0, 7);
    // Other tests of this file paid in other currencies.
    const inDollars = (meta.months as { currency: string }[]).filter(({ currency }) => currency === 'usd');
    expect(inDollars).toEqual([{ month, currency: 'usd', ...changed(9900, 4900) }]);
  });

  longTest('the payments of all users are limited to a period', async () => {
    const all = (await page('limit=100')).data.map(({ id }) => id);
    expect(all.length).toBeGreaterThan(2);
    const today = new Date().toISOString().slice(0, 10);
    for (const query of [`from=${today}&to=${today}`, `from=${today}T12:00:00Z`]) {
      expect((await page(`limit=100&${query}`)).data.map(({ id }) => id)).toEqual(all);
    }
    const none = { data: [], meta: { total: 0, hasMore: false, totals: {}, months: [], unreconciled: 0 } };
    expect(await page('to=2020-01-01')).toMatchObject(none);
    expect(await page('from=2999-01-01')).toMatchObject(none);
  });

  longTest('the payments of all users cost the same for any number of them', async () => {
    const buyer = await person(server);
    const cost = async () => {
      await untilEventsDelivered(server, directory);
      const tries: number[] = [];
      for (let time = 0; time < 4; time += 1) {
        tries.push(await readUnits(() => browsePayments({ page: 1, limit: 2 })));
      }
      return Math.min(...tries);
    };
    const pay = async (times: number) => {
      for (let time = 0; time < times; time += 1) {
        const { checkout_id } = await startPremium(directory, buyer);
        await chooseOutcome(directory, checkout_id, 'paid');
      }
    };
    await pay(2);
    const before = await cost();
    await pay(6);
    expect(await cost()).toBeLessThanOrEqual(before);
  });
});
