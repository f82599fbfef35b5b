import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { Submission } from '#contract/projects.ts';
import { insertCheckout } from '#data/checkouts.ts';
import { checkoutDraftKey } from '#data/keys.ts';
import { findProject } from '#data/projects.ts';
import { findPromotion } from '#data/promotions.ts';
import { findItem } from '#data/read.ts';
import { newCheckout, projectOfCheckout } from '#domain/payments/checkout.ts';
import { promotionOfCheckout } from '#domain/promotions/promotion.ts';
import { newId } from '#platform/ids.ts';
import {
  conflict,
  type Directory,
  dataOf,
  FORBIDDEN,
  INVALID,
  idOf,
  invalidAt,
  metaOf,
  NOT_FOUND,
  person,
  submission,
  TIME,
  UNAUTHORIZED,
  unique,
} from '#test/support/fixtures.ts';
import {
  checkoutOf,
  decide,
  disputeOf,
  eventOf,
  ledgerOf,
  paidSession,
  refundedCharge,
  type Started,
  signatureOf,
  startPremium,
  tell,
} from '#test/support/payments.ts';
import { withDirectory } from '#test/support/with-directory.ts';
import type { TestWorld } from '#test/support/world.ts';

/** Buying: a premium submission, an upgrade; what the payment provider tells, and what becomes of it. */

let world: TestWorld;
let directory: Directory;

withDirectory((opened) => {
  ({ world, directory } = opened);
});

const RECEIVED = { status: 200, body: { data: { received: true } } };

/** What was told about one checkout, oldest first, once everything before has gone over the bus. */
const toldAbout = async (checkoutId: string) => {
  const marker = await directory.submit(directory.admin);
  const isPast = async () =>
    (await world.events()).some((event) => (event.data as { project_id?: string }).project_id === marker.id);
  await world.until(isPast);
  const all = await world.events();
  const ofCheckout = all.filter((event) => (event.data as { checkout_id?: string }).checkout_id === checkoutId);
  return ofCheckout.map(({ kind }) => kind).toReversed();
};

const upgrade = async (buyer: Parameters<typeof checkoutOf>[1], project: string): Promise<Started> => {
  const answer = await directory.as(buyer, 'POST', '/api/payments/checkout', { kind: 'upgrade', project_id: project });
  expect(answer).toMatchObject({ status: 200 });
  return dataOf<Started>(answer);
};

describe('a premium submission', () => {
  it('answers a payment page, and there is no project until it is paid', async () => {
    const buyer = await person(world);
    const name = unique('Premium');
    const answer = await directory.as(
      buyer,
      'POST',
      '/api/projects',
      submission({ plan: 'premium', name, categories: [directory.category] }),
    );
    expect(answer).toMatchObject({
      status: 200,
      body: {
        data: { checkout_id: idOf('chk'), checkoutUrl: expect.stringContaining('/_local/checkout/chk_') as unknown },
      },
    });
    expect(Object.keys(dataOf<object>(answer)).sort()).toEqual(['checkoutUrl', 'checkout_id']);
    const { checkout_id: id, checkoutUrl } = dataOf<Started>(answer);
    expect(metaOf(await directory.get('/api/me/submissions', buyer)).total).toBe(0);
    expect(await checkoutOf(directory, buyer, id)).toEqual({
      id,
      kind: 'submission',
      status: 'open',
      amount: 4900,
      currency: 'usd',
      amount_refunded: 0,
      placements: null,
      months: null,
      promotion_id: null,
      checkoutUrl,
      project: null,
      created_at: TIME,
      paid_at: null,
    });

    await decide(directory, id, 'paid');
    const checkout = await checkoutOf(directory, buyer, id);
    expect(checkout).toMatchObject({ status: 'fulfilled', checkoutUrl: null, paid_at: TIME });
    expect(checkout.project).toMatchObject({ name, plan: 'premium', status: 'pending', paid_at: checkout.paid_at });
    const { data } = (await directory.get('/api/me/submissions', buyer)).body as { data: { id: string }[] };
    expect(data.map((project) => project.id)).toEqual([checkout.project?.id]);
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
    expect(await toldAbout(id)).toEqual(['paymentSettled']);
    const submitted = (await world.events()).filter(
      ({ kind, data: facts }) =>
        kind === 'projectSubmitted' && (facts as { project_id: string }).project_id === checkout.project?.id,
    );
    expect(submitted).toMatchObject([{ actor_id: buyer.id, data: { plan: 'premium', status: 'pending' } }]);
    // What was submitted is kept once.
    expect(await findItem(checkoutDraftKey(id))).toBeUndefined();
  });

  it('is checked like any other before anything is kept', async () => {
    const buyer = await person(world);
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

  it('gives a slug that was taken meanwhile a suffix', async () => {
    const buyer = await person(world);
    const slug = unique('wanted');
    const { checkout_id: id } = await startPremium(directory, buyer, { slug });
    await directory.submit(await person(world), { slug });
    await decide(directory, id, 'paid');
    expect((await checkoutOf(directory, buyer, id)).project).toMatchObject({ slug: `${slug}-2` });
  });

  it('drops a category that went meanwhile and follows one that was renamed', async () => {
    const buyer = await person(world);
    const [gone, renamed] = [await directory.addCategory(), await directory.addCategory()];
    const { checkout_id: id } = await startPremium(directory, buyer, { categories: [gone.slug, renamed.slug] });
    await directory.done('DELETE', `/api/admin/categories/${gone.slug}`);
    await directory.done('PUT', `/api/admin/categories/${renamed.slug}`, { slug: `${renamed.slug}-new` });
    await decide(directory, id, 'paid');
    expect((await checkoutOf(directory, buyer, id)).project?.categories).toEqual([`${renamed.slug}-new`]);
  });

  it.each(['failed', 'expired'])('leaves nothing behind when the payment is %s', async (outcome) => {
    const buyer = await person(world);
    const { checkout_id: id } = await startPremium(directory, buyer);
    await decide(directory, id, outcome);
    expect(await checkoutOf(directory, buyer, id)).toMatchObject({ status: outcome, project: null, checkoutUrl: null });
    expect(await ledgerOf(directory, buyer)).toEqual([]);
    expect(await toldAbout(id)).toEqual([]);
  });

  it('of somebody who has been erased since is given back, and no project comes of it', async () => {
    const buyer = await person(world);
    const { checkout_id: id } = await startPremium(directory, buyer);
    expect(await directory.as(buyer, 'DELETE', '/api/user')).toMatchObject({ status: 200 });
    await world.until(async () => (await findItem(checkoutDraftKey(id))) === undefined);
    await decide(directory, id, 'paid');
    await world.until(async () => (await checkoutOf(directory, directory.admin, id)).status === 'refunded');
    expect(await toldAbout(id)).toEqual(['paymentRefunded']);
    expect(await findProject(projectOfCheckout(id))).toBeUndefined();
  });

  it('leaves no project behind of somebody who has himself erased at the moment of the payment', async () => {
    for (let round = 0; round < 5; round += 1) {
      const buyer = await person(world);
      const { checkout_id: id } = await startPremium(directory, buyer);
      await Promise.all([
        decide(directory, id, 'paid'),
        directory.as(buyer, 'DELETE', '/api/user?projects=delete').then(({ status }) => expect(status).toBe(200)),
      ]);
      const isSettled = async () =>
        ['fulfilled', 'refunded'].includes((await checkoutOf(directory, directory.admin, id)).status);
      await world.until(isSettled);
      await world.until(async () => (await findProject(projectOfCheckout(id))) === undefined);
    }
  });

  it('is opened once under an idempotency key', async () => {
    const buyer = await person(world);
    const body = submission({ plan: 'premium', categories: [directory.category] });
    const headers = { 'idempotency-key': unique('key') };
    const [first, second] = [
      await directory.as(buyer, 'POST', '/api/projects', body, headers),
      await directory.as(buyer, 'POST', '/api/projects', body, headers),
    ];
    expect(first).toMatchObject({ status: 200 });
    expect(second.body).toEqual(first.body);
  });
});

describe('an upgrade', () => {
  it('makes a project of the buyer premium when it is paid, and leaves its status alone', async () => {
    const buyer = await person(world);
    const project = await directory.live(buyer);
    const { checkout_id: id } = await upgrade(buyer, project.slug);
    expect(await checkoutOf(directory, buyer, id)).toMatchObject({
      kind: 'upgrade',
      status: 'open',
      project: { id: project.id },
    });
    expect((await directory.read(project.id)).plan).toBe('standard');
    await decide(directory, id, 'paid');
    const checkout = await checkoutOf(directory, buyer, id);
    expect(await directory.read(project.id, buyer)).toMatchObject({
      plan: 'premium',
      status: 'live',
      paid_at: checkout.paid_at,
    });
    expect(await toldAbout(id)).toEqual(['paymentSettled']);
    expect(await ledgerOf(directory, buyer)).toMatchObject([
      { type: 'payment', kind: 'upgrade', project_id: project.id },
    ]);
  });

  it('is for the owner, of a project that is there and not premium yet', async () => {
    const [buyer, other] = [await person(world), await person(world)];
    const [live, pending] = [await directory.live(buyer), await directory.submit(buyer)];
    const deleted = await directory.project('deleted', buyer);
    const ask = (who: typeof buyer | undefined, project: string) =>
      directory.as(who, 'POST', '/api/payments/checkout', { kind: 'upgrade', project_id: project });
    expect(await ask(undefined, live.id)).toMatchObject(UNAUTHORIZED);
    expect(await ask(other, live.id)).toMatchObject(FORBIDDEN);
    expect(await ask(other, pending.id)).toMatchObject(NOT_FOUND);
    expect(await ask(buyer, deleted.id)).toMatchObject(NOT_FOUND);
    expect(await ask(buyer, 'no-such-project')).toMatchObject(NOT_FOUND);
    await directory.done('PUT', `/api/admin/projects/${live.id}`, { plan: 'premium' });
    expect(await ask(buyer, live.id)).toMatchObject(conflict('ALREADY_PREMIUM'));
    for (const body of [
      {},
      { kind: 'gift' },
      { kind: 'upgrade' },
      { kind: 'promotion', project_id: live.id, placements: [], months: 0 },
    ]) {
      expect(await directory.as(buyer, 'POST', '/api/payments/checkout', body)).toMatchObject(INVALID);
    }
  });

  it('that is paid twice is given back once', async () => {
    const buyer = await person(world);
    const project = await directory.live(buyer);
    const [first, second] = [await upgrade(buyer, project.id), await upgrade(buyer, project.id)];
    await decide(directory, first.checkout_id, 'paid');
    await decide(directory, second.checkout_id, 'paid');
    await world.until(async () => (await checkoutOf(directory, buyer, second.checkout_id)).status === 'refunded');
    expect(await checkoutOf(directory, buyer, first.checkout_id)).toMatchObject({ status: 'fulfilled' });
    expect(await directory.read(project.id)).toMatchObject({ plan: 'premium' });
    const entries = await ledgerOf(directory, buyer);
    expect(entries.map(({ type, checkout_id: id }) => [type, id])).toEqual([
      ['refund', second.checkout_id],
      ['payment', second.checkout_id],
      ['payment', first.checkout_id],
    ]);
    expect(entries[1]?.note).toBe('The project has the premium plan already.');
  });

  it('of a project that is gone when it is paid is given back', async () => {
    const buyer = await person(world);
    const project = await directory.live(buyer);
    const { checkout_id: id } = await upgrade(buyer, project.id);
    await directory.done('DELETE', `/api/projects/${project.id}`);
    await decide(directory, id, 'paid');
    await world.until(async () => (await checkoutOf(directory, buyer, id)).status === 'refunded');
    expect(await toldAbout(id)).toEqual(['paymentRefunded']);
  });
});

describe('a promotion', () => {
  const order = (buyer: Parameters<typeof checkoutOf>[1], project: string, placements: readonly string[], months = 2) =>
    directory.as(buyer, 'POST', '/api/payments/checkout', {
      kind: 'promotion',
      project_id: project,
      placements,
      months,
    });

  it('is there when it is paid, and ends when the money goes back', async () => {
    const buyer = await person(world);
    const project = await directory.live(buyer);
    const answer = await order(buyer, project.id, ['detail', 'catalog', 'detail']);
    expect(answer).toMatchObject({ status: 200 });
    const { checkout_id: id } = dataOf<Started>(answer);
    const price = 2 * (1900 + 3900);
    expect(await checkoutOf(directory, buyer, id)).toMatchObject({
      kind: 'promotion',
      amount: price,
      placements: ['detail', 'catalog'],
      months: 2,
      promotion_id: null,
    });
    await decide(directory, id, 'paid');
    const { promotion_id, status } = await checkoutOf(directory, buyer, id);
    expect([status, promotion_id]).toEqual(['fulfilled', idOf('prm')]);
    const all = async () =>
      dataOf<{ id: string; status: string; price: number }[]>(
        await directory.done('GET', '/api/admin/promotions?status=all&limit=100'),
      ).filter((promotion) => promotion.id === promotion_id);
    expect(await all()).toMatchObject([{ status: 'pending', price }]);
    expect(await ledgerOf(directory, buyer)).toMatchObject([{ type: 'payment', kind: 'promotion', amount: price }]);
    await decide(directory, id, 'refunded');
    expect(await all()).toMatchObject([{ status: 'revoked' }]);
    expect(await directory.read(project.id)).toMatchObject({ plan: 'standard', status: 'live' });
  });

  it('keeps the currency that it was paid in, whatever is asked for now', async () => {
    const buyer = await person(world);
    const { id: projectId } = await directory.live(buyer);
    const id = newId('chk');
    const bought = { kind: 'promotion', title: 'Earlier', amount: 700, currency: 'chf', projectId } as const;
    const checkout = newCheckout(
      { ...bought, placements: ['detail'], months: 1 },
      id,
      buyer.id,
      new Date().toISOString(),
    );
    await insertCheckout(checkout, undefined);
    const paid = paidSession(id, { amount_total: 700, currency: 'chf' });
    expect(await tell(world, eventOf('checkout.session.completed', paid))).toMatchObject(RECEIVED);
    expect(await findPromotion(promotionOfCheckout(id))).toMatchObject({ price: 700, currency: 'chf' });
  });

  it('whose place is sold is not to be had, and one that is paid too late is given back', async () => {
    const [first, second] = [await person(world), await person(world)];
    const [one, other] = [await directory.live(first), await directory.live(second)];
    const won = dataOf<Started>(await order(first, one.id, ['banner'])).checkout_id;
    const lost = dataOf<Started>(await order(second, other.id, ['banner', 'detail'])).checkout_id;
    await Promise.all([decide(directory, won, 'paid'), decide(directory, lost, 'paid')]);
    const stands = async () => [
      (await checkoutOf(directory, first, won)).status,
      (await checkoutOf(directory, second, lost)).status,
    ];
    await world.until(async () => (await stands()).includes('refunded'));
    expect((await stands()).sort()).toEqual(['fulfilled', 'refunded']);
    expect(await order(first, one.id, ['banner'])).toMatchObject(conflict('SOLD_OUT'));
    expect(await order(second, one.id, ['detail'])).toMatchObject(FORBIDDEN);
  });
});

describe('money that goes back', () => {
  const bought = async () => {
    const buyer = await person(world);
    const project = await directory.live(buyer);
    const { checkout_id: id } = await upgrade(buyer, project.id);
    await decide(directory, id, 'paid');
    return { buyer, project, id };
  };

  it('in part changes the ledger only, in full the plan too, and never the status', async () => {
    const { buyer, project, id } = await bought();
    await decide(directory, id, 'refunded', 1000);
    expect(await checkoutOf(directory, buyer, id)).toMatchObject({ status: 'fulfilled', amount_refunded: 1000 });
    expect(await directory.read(project.id)).toMatchObject({ plan: 'premium', status: 'live' });
    await decide(directory, id, 'refunded');
    expect(await checkoutOf(directory, buyer, id)).toMatchObject({ status: 'refunded', amount_refunded: 4900 });
    expect(await directory.read(project.id)).toMatchObject({ plan: 'standard', status: 'live' });
    const entries = await ledgerOf(directory, buyer);
    expect(entries.map(({ type, amount }) => [type, amount])).toEqual([
      ['refund', 3900],
      ['refund', 1000],
      ['payment', 4900],
    ]);
    expect(await toldAbout(id)).toEqual(['paymentSettled', 'paymentRefunded', 'paymentRefunded']);
    // It can be bought again.
    await decide(directory, (await upgrade(buyer, project.id)).checkout_id, 'paid');
    expect(await directory.read(project.id)).toMatchObject({ plan: 'premium' });
  });

  it('by a dispute takes the plan away, once', async () => {
    const { buyer, project, id } = await bought();
    await decide(directory, id, 'disputed');
    expect(await checkoutOf(directory, buyer, id)).toMatchObject({ status: 'refunded' });
    expect(await directory.read(project.id)).toMatchObject({ plan: 'standard', status: 'live' });
    // Bought anew, it stays when the first payment is also given back.
    const again = await upgrade(buyer, project.id);
    await decide(directory, again.checkout_id, 'paid');
    await decide(directory, id, 'refunded');
    expect(await directory.read(project.id)).toMatchObject({ plan: 'premium' });
    const told = await toldAbout(id);
    expect(told).toEqual(['paymentSettled', 'paymentRefunded', 'paymentRefunded']);
    expect((await ledgerOf(directory, buyer)).map(({ type }) => type)).toEqual([
      'refund',
      'payment',
      'dispute',
      'payment',
    ]);
  });

  it('for a submission leaves the project as a standard one', async () => {
    const buyer = await person(world);
    const { checkout_id: id } = await startPremium(directory, buyer);
    await decide(directory, id, 'paid');
    await decide(directory, id, 'refunded');
    const { project } = await checkoutOf(directory, buyer, id);
    expect(project).toMatchObject({ plan: 'standard', status: 'pending' });
  });

  it('ends the same when the news come in the wrong order', async () => {
    const buyer = await person(world);
    const { checkout_id: id } = await startPremium(directory, buyer);
    expect(await tell(world, eventOf('charge.refunded', refundedCharge(id, 4900)))).toMatchObject(RECEIVED);
    expect(await checkoutOf(directory, buyer, id)).toMatchObject({ status: 'refunded', project: null });
    expect(await tell(world, eventOf('charge.refunded', refundedCharge(id, 1000)))).toMatchObject(RECEIVED);
    expect(await tell(world, eventOf('checkout.session.completed', paidSession(id)))).toMatchObject(RECEIVED);
    expect(await checkoutOf(directory, buyer, id)).toMatchObject({
      status: 'refunded',
      amount_refunded: 4900,
      project: { plan: 'standard', status: 'pending', paid_at: TIME },
    });
    expect((await ledgerOf(directory, buyer)).map(({ type, amount }) => [type, amount]).sort()).toEqual([
      ['payment', 4900],
      ['refund', 4900],
    ]);
  });

  it('is found by its payment where the provider does not name the checkout', async () => {
    const { buyer, project, id } = await bought();
    const answer = await world.call('GET', `/_local/checkout/${id}`, { headers: { accept: 'application/json' } });
    const { payment_intent } = dataOf<{ payment_intent: string }>(answer);
    const charge = { ...refundedCharge(id, 4900), payment_intent, metadata: {} };
    expect(await tell(world, eventOf('charge.refunded', charge))).toMatchObject(RECEIVED);
    expect(await directory.read(project.id)).toMatchObject({ plan: 'standard' });
    expect(await checkoutOf(directory, buyer, id)).toMatchObject({ status: 'refunded' });
    // A dispute says no more than its payment; one that nobody here has taken is none of ours.
    expect(
      await tell(world, eventOf('charge.dispute.created', { ...disputeOf(id), payment_intent: 'pi_elsewhere' })),
    ).toMatchObject(RECEIVED);
  });

  it('is asked about at the provider before the payment has been heard of', async () => {
    const buyer = await person(world);
    const { checkout_id: id } = await startPremium(directory, buyer);
    // The provider has the payment, and its word of it does not come through; by now it waits a second and more.
    process.env.STRIPE_WEBHOOK_SECRET = '';
    await decide(directory, id, 'paid');
    await wait(1200);
    process.env.STRIPE_WEBHOOK_SECRET = 'whsec_local';
    expect(await checkoutOf(directory, buyer, id)).toMatchObject({ status: 'open' });
    const { payment_intent } = dataOf<{ payment_intent: string }>(
      await world.call('GET', `/_local/checkout/${id}`, { headers: { accept: 'application/json' } }),
    );
    expect(await tell(world, eventOf('charge.dispute.created', { ...disputeOf(id), payment_intent }))).toMatchObject(
      RECEIVED,
    );
    expect(await checkoutOf(directory, buyer, id)).toMatchObject({ status: 'refunded', project: null });
    // It is told again and again while the service does not take it.
    await world.until(async () => (await checkoutOf(directory, buyer, id)).project?.plan === 'standard', 10_000);
    expect((await ledgerOf(directory, buyer)).map(({ type }) => type)).toEqual(['payment', 'dispute']);
  });
});

describe('the provider', () => {
  it('is heard once however often and at once it tells the same', async () => {
    const buyer = await person(world);
    const { checkout_id: id } = await startPremium(directory, buyer);
    const event = eventOf('checkout.session.completed', paidSession(id));
    const later = eventOf('checkout.session.async_payment_succeeded', paidSession(id));
    const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => tell(world, n % 4 === 0 ? later : event)));
    for (const answer of answers) expect(answer).toMatchObject(RECEIVED);
    expect(await ledgerOf(directory, buyer)).toHaveLength(1);
    expect(metaOf(await directory.get('/api/me/submissions', buyer)).total).toBe(1);
    expect(await toldAbout(id)).toEqual(['paymentSettled']);
  });

  it('may tell of a payment before its session is noted here', async () => {
    const buyer = await person(world);
    await directory.get('/api/user/profile', buyer);
    const id = newId('chk');
    const order = { kind: 'submission', title: 'Early', amount: 4900, currency: 'usd' } as const;
    const early = Submission.parse(submission({ plan: 'premium', categories: ['any'] }));
    const draft = { submission: early, slug: unique('early'), categoryIds: [] };
    await insertCheckout(newCheckout(order, id, buyer.id, new Date().toISOString()), draft);
    expect(await tell(world, eventOf('checkout.session.completed', paidSession(id)))).toMatchObject(RECEIVED);
    expect(await checkoutOf(directory, buyer, id)).toMatchObject({ status: 'fulfilled' });
  });

  it('is believed about money that comes after all, whatever was told before', async () => {
    for (const before of ['checkout.session.expired', 'checkout.session.async_payment_failed']) {
      const buyer = await person(world);
      const { checkout_id: id } = await startPremium(directory, buyer);
      await tell(world, eventOf('checkout.session.completed', paidSession(id, { payment_status: 'unpaid' })));
      expect(await checkoutOf(directory, buyer, id)).toMatchObject({ status: 'open' });
      await tell(world, eventOf(before, paidSession(id, { payment_status: 'unpaid' })));
      await tell(world, eventOf('checkout.session.async_payment_succeeded', paidSession(id)));
      expect(await checkoutOf(directory, buyer, id)).toMatchObject({ status: 'fulfilled' });
      await tell(world, eventOf(before, paidSession(id, { payment_status: 'unpaid' })));
      expect(await checkoutOf(directory, buyer, id)).toMatchObject({ status: 'fulfilled' });
    }
  });

  it.each([{ amount_total: 4899 }, { amount_total: 1, currency: 'usd' }, { currency: 'jpy' }])(
    'brings nothing with a payment of %o, which the ledger shows',
    async (wrong) => {
      const buyer = await person(world);
      const { checkout_id: id } = await startPremium(directory, buyer);
      expect(await tell(world, eventOf('checkout.session.completed', paidSession(id, wrong)))).toMatchObject(RECEIVED);
      expect(await checkoutOf(directory, buyer, id)).toMatchObject({ status: 'paid', project: null });
      const [entry] = await ledgerOf(directory, buyer);
      expect(entry).toMatchObject({ type: 'payment', note: '4900 usd was asked.' });
      expect(metaOf(await directory.get('/api/me/submissions', buyer)).total).toBe(0);
    },
  );

  it('may tell what means nothing here', async () => {
    for (const event of [
      eventOf('invoice.paid', { id: 'in_1' }),
      eventOf('checkout.session.completed', paidSession('chk_of_another_service')),
      eventOf('checkout.session.expired', paidSession('x', { client_reference_id: null, metadata: {} })),
      eventOf('charge.refunded', { ...refundedCharge('x', 1), metadata: null, payment_intent: null }),
    ]) {
      expect(await tell(world, event)).toMatchObject(RECEIVED);
    }
  });
});

describe('the signature', () => {
  const REFUSED = { status: 400, body: { error: 'Invalid signature', code: 'INVALID_SIGNATURE' } };
  const payload = JSON.stringify(eventOf('invoice.paid', { name: 'Zürich' }), null, 1);
  const send = (rawBody: string | Uint8Array, signature?: string) =>
    world.call('POST', '/api/webhooks/stripe', {
      rawBody,
      headers: { ...(signature !== undefined && { 'stripe-signature': signature }) },
    });

  it('is over the very bytes', async () => {
    const signature = signatureOf(payload);
    expect(await send(payload, signature)).toMatchObject(RECEIVED);
    expect(await send(`${payload}\n`, signature)).toEqual(expect.objectContaining(REFUSED));
    expect(await send(JSON.stringify(JSON.parse(payload)), signature)).toMatchObject(REFUSED);
    // Bytes that are no text travel through the gateway in base64, and are the same bytes again behind it.
    const odd = Buffer.concat([Buffer.from(payload), Buffer.from([0xff])]);
    expect(await send(odd, signature)).toMatchObject(REFUSED);
  });

  it('is needed, by the secret, and not older than five minutes', async () => {
    const now = Math.floor(Date.now() / 1000);
    expect(await send(payload)).toMatchObject(REFUSED);
    expect(await send(payload, '')).toMatchObject(REFUSED);
    expect(await send(payload, 'nonsense')).toMatchObject(REFUSED);
    expect(await send('', signatureOf(payload))).toMatchObject(REFUSED);
    expect(await send(payload, signatureOf(payload, { secret: 'whsec_other' }))).toMatchObject(REFUSED);
    expect(await send(payload, signatureOf(payload, { timestamp: now - 310 }))).toMatchObject(REFUSED);
    expect(await send(payload, signatureOf(payload, { timestamp: now - 280 }))).toMatchObject(RECEIVED);
    expect((await send(payload)).body).toEqual(REFUSED.body);
  });

  it('may be by one of two secrets while they change', async () => {
    process.env.STRIPE_WEBHOOK_SECRET = 'whsec_new, whsec_local';
    try {
      expect(await send(payload, signatureOf(payload))).toMatchObject(RECEIVED);
      expect(await send(payload, signatureOf(payload, { secret: 'whsec_new' }))).toMatchObject(RECEIVED);
    } finally {
      process.env.STRIPE_WEBHOOK_SECRET = 'whsec_local';
    }
  });

  it('does not make a body of any size welcome, and no limit of requests holds the provider', async () => {
    const large = JSON.stringify({ x: 'x'.repeat(300_000) });
    expect(await send(large, signatureOf(large))).toMatchObject({ status: 413, body: { code: 'PAYLOAD_TOO_LARGE' } });
    expect((await send(payload, signatureOf(payload))).headers.get('ratelimit')).toBeNull();
  });
});

describe('what is paid', () => {
  it('is shown to its buyer and administrators only', async () => {
    const [buyer, other] = [await person(world), await person(world)];
    const { checkout_id: id } = await startPremium(directory, buyer);
    const path = `/api/payments/checkouts/${id}`;
    expect(await directory.get(path)).toMatchObject(UNAUTHORIZED);
    expect(await directory.get(path, other)).toMatchObject(NOT_FOUND);
    expect(await directory.get(path, directory.admin)).toMatchObject({ status: 200 });
    expect(await directory.get('/api/payments/checkouts/chk_nonsense', buyer)).toMatchObject(NOT_FOUND);
    expect(await directory.get('/api/payments')).toMatchObject(UNAUTHORIZED);
  });

  it('stands in a ledger that is paged, newest first', async () => {
    const buyer = await person(world);
    const ids: string[] = [];
    for (let n = 0; n < 5; n += 1) {
      const { checkout_id: id } = await startPremium(directory, buyer);
      await decide(directory, id, 'paid');
      ids.unshift(id);
    }
    const pageOf = (query: string) => directory.get(`/api/payments?${query}`, buyer);
    const first = await pageOf('limit=2');
    expect(metaOf(first)).toEqual({ total: 5, page: 1, pageSize: 2, hasMore: true });
    expect(dataOf<{ checkout_id: string }[]>(first).map((entry) => entry.checkout_id)).toEqual(ids.slice(0, 2));
    const last = await pageOf('limit=2&page=3');
    expect(metaOf(last)).toMatchObject({ hasMore: false });
    expect(dataOf<{ checkout_id: string }[]>(last).map((entry) => entry.checkout_id)).toEqual(ids.slice(4));
    expect(dataOf(await pageOf('limit=2&page=9'))).toEqual([]);
    expect(await pageOf('limit=101')).toMatchObject(INVALID);
  });
});
