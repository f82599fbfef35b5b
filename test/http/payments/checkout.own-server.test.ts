import { expect, it, vi } from 'vitest';
import { insertCheckout } from '#data/payments.ts';
import { newCheckout } from '#model/payment.ts';
import { newId } from '#platform/ids.ts';
import { reconcilePayments as reconcile } from '#services/payments/receive.ts';
import { runAsHandler } from '#test/support/aws-calls.ts';
import { untilEventsDelivered } from '#test/support/events.ts';
import { conflict, dataOf, invalidAt, metaOf, NOT_FOUND, person, submission, unique } from '#test/support/fixtures.ts';
import { longTest } from '#test/support/long-test.ts';
import {
  checkoutOf,
  chooseOutcome,
  ledgerOf,
  type StartedCheckout,
  startPremium,
  withoutStripeEvents,
} from '#test/support/payments.ts';
import { ownDirectory } from '#test/support/with-directory.ts';

const { server, directory } = await ownDirectory({
  env: {
    PREMIUM_PRICE: '1250',
    CURRENCY: 'EUR',
    DUPLICATE_URLS: 'reject',
    CHECKOUT_SUCCESS_URL: 'https://shop.example/thanks?c={checkout}',
    CHECKOUT_CANCEL_URL: 'https://shop.example/sorry',
  },
});

const form = (id: string, outcome: string) =>
  server.call('POST', `/_local/checkout/${id}`, {
    rawBody: `outcome=${outcome}`,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });

it('the local payment page is marked as a test page, shows the configured price, and offers to pay, fail and cancel', async () => {
  const buyer = await person(server);
  const { checkoutUrl, checkout_id: id } = await startPremium(directory, buyer, { name: '<b>Bold</b> & Co' });
  expect(checkoutUrl).toBe(`${server.url.replace('127.0.0.1', 'localhost')}/_local/checkout/${id}`);
  const page = await server.call('GET', new URL(checkoutUrl).pathname);
  expect(page.status).toBe(200);
  expect(page.headers.get('content-security-policy')).toContain("form-action 'self' https://shop.example;");
  const choices = ['paid', 'failed', 'expired'].map((outcome) => `value="${outcome}"`);
  for (const text of ['TEST MODE', '€12.50', ...choices, '&lt;b&gt;Bold', buyer.email])
    expect(page.body).toContain(text);
  expect(page.body).not.toContain('<script');
});

it('the local payment page redirects to the configured URLs', async () => {
  const buyer = await person(server);
  const start = () => startPremium(directory, buyer);
  const [paid, cancelled, failed] = [await start(), await start(), await start()];
  const response = await form(paid.checkout_id, 'paid');
  expect([response.status, response.headers.get('location')]).toEqual([
    303,
    `https://shop.example/thanks?c=${paid.checkout_id}`,
  ]);
  expect((await form(cancelled.checkout_id, 'expired')).headers.get('location')).toBe('https://shop.example/sorry');
  expect((await form(failed.checkout_id, 'failed')).headers.get('location')).toBe(
    `/_local/checkout/${failed.checkout_id}`,
  );
  const statuses = [paid, cancelled, failed].map(
    async (one) => (await checkoutOf(directory, buyer, one.checkout_id)).status,
  );
  expect(await Promise.all(statuses)).toEqual(['fulfilled', 'expired', 'failed']);
  expect(await ledgerOf(directory, buyer)).toMatchObject([{ amount: 1250, currency: 'eur' }]);
  expect((await server.call('GET', `/_local/checkout/${paid.checkout_id}`)).body).toContain('value="refunded"');
});

it('the local payment page applies an outcome once and rejects invalid ones', async () => {
  const buyer = await person(server);
  const { checkout_id: id } = await startPremium(directory, buyer);
  const path = `/_local/checkout/${id}`;
  expect(await server.call('POST', path, { body: { outcome: 'stolen' } })).toMatchObject(invalidAt('outcome'));
  expect(await server.call('POST', path, { rawBody: '{' })).toMatchObject({ status: 400 });
  expect(await server.call('POST', path, { body: { outcome: 'refunded' } })).toMatchObject(
    conflict('INVALID_TRANSITION'),
  );
  expect(await server.call('POST', path, { rawBody: '\ufeff{"outcome":"paid"}' })).toMatchObject({ status: 200 });
  expect(dataOf(await chooseOutcome(directory, id, 'paid'))).toMatchObject({ checkout: id, status: 'paid' });
  expect(await server.call('POST', path, { body: { outcome: 'expired' } })).toMatchObject(
    conflict('INVALID_TRANSITION'),
  );
  expect(await ledgerOf(directory, buyer)).toHaveLength(1);
  expect(await server.call('GET', '/_local/checkout/chk_nonsense')).toMatchObject(NOT_FOUND);
  expect(await server.call('POST', '/_local/checkout/chk_nonsense', { body: { outcome: 'paid' } })).toMatchObject(
    NOT_FOUND,
  );
});

it('a paid submission whose URL was taken before the payment is refunded', async () => {
  const buyer = await person(server);
  const url = `https://${unique('contested')}.example.com/`;
  const [first, second] = [
    await startPremium(directory, buyer, { url }),
    await startPremium(directory, buyer, { url }),
  ];
  await Promise.all([
    chooseOutcome(directory, first.checkout_id, 'paid'),
    chooseOutcome(directory, second.checkout_id, 'paid'),
  ]);
  const statuses = async () =>
    Promise.all([first, second].map(async (one) => (await checkoutOf(directory, buyer, one.checkout_id)).status));
  await server.until(async () => (await statuses()).includes('refunded'));
  expect((await statuses()).sort()).toEqual(['fulfilled', 'refunded']);
  expect(metaOf(await directory.get('/api/me/submissions', buyer)).total).toBe(1);
  expect(
    await directory.as(
      buyer,
      'POST',
      '/api/projects',
      submission({ plan: 'premium', url, categories: [directory.category] }),
    ),
  ).toMatchObject(conflict('DUPLICATE_URL'));
});

/** Runs the job as if some minutes had passed. */
const reconcileIn = (minutes: number) =>
  runAsHandler('cron.reconcilePayments', () => reconcile(new Date(Date.now() + minutes * 60_000).toISOString()));

longTest('the reconciliation of payments settles checkouts that have been open for 15 minutes, once', async () => {
  const buyer = await person(server);
  const draft = dataOf<{ id: string }>(await directory.ok(buyer, 'POST', '/api/me/drafts', { content: {} }, 201));
  const start = (fields = {}) => startPremium(directory, buyer, fields);
  const paid = await start({ draft_id: draft.id });
  const [expired, failed, open] = [await start(), await start(), await start()];
  const statuses = () =>
    Promise.all(
      [paid, expired, failed, open].map(async (one) => (await checkoutOf(directory, buyer, one.checkout_id)).status),
    );
  await withoutStripeEvents(async () => {
    await chooseOutcome(directory, paid.checkout_id, 'paid');
    await chooseOutcome(directory, expired.checkout_id, 'expired');
    await chooseOutcome(directory, failed.checkout_id, 'failed');
    expect(await statuses()).toEqual(['open', 'open', 'open', 'open']);
    expect(await reconcileIn(10)).toEqual({ processed: 0, settled: 0, ended: 0, failed: 0, unfinished: false });
    const runs = await Promise.all([reconcileIn(16), reconcileIn(16)]);
    expect(runs.reduce((sum, run) => sum + run.settled, 0)).toBe(1);
    expect(runs.reduce((sum, run) => sum + run.ended, 0)).toBe(2);
    expect(await statuses()).toEqual(['fulfilled', 'expired', 'failed', 'open']);
    expect(await directory.get(`/api/me/drafts/${draft.id}`, buyer)).toMatchObject(NOT_FOUND);
  });
  // The repeated events have no further effect.
  await untilEventsDelivered(server, directory);
  expect(await ledgerOf(directory, buyer)).toHaveLength(1);
  expect(await reconcileIn(16)).toMatchObject({ settled: 0, ended: 0, failed: 0 });
});

longTest('the reconciliation of payments fulfils a paid promotion', async () => {
  const buyer = await person(server);
  const project = await directory.live(buyer);
  const order = { kind: 'promotion', project_id: project.id, placements: ['banner'], months: 1 };
  const started = await directory.ok(buyer, 'POST', '/api/payments/checkout', order);
  const { checkout_id: id } = dataOf<StartedCheckout>(started);
  await withoutStripeEvents(async () => {
    await chooseOutcome(directory, id, 'paid');
    expect(await reconcileIn(16)).toMatchObject({ settled: 1 });
    expect(await checkoutOf(directory, buyer, id)).toMatchObject({
      status: 'fulfilled',
      promotion_id: expect.any(String) as string,
    });
  });
});

it('the reconciliation of payments ends a checkout without a session once its page would have expired', async () => {
  const buyer = await person(server);
  await directory.ok(buyer, 'GET', '/api/user/profile');
  const id = newId('chk');
  const order = { kind: 'submission', title: 'Lost', amount: 1250, currency: 'eur' } as const;
  await insertCheckout(newCheckout(order, id, buyer.id, new Date().toISOString()), undefined);
  await reconcileIn(60);
  expect((await checkoutOf(directory, buyer, id)).status).toBe('open');
  await reconcileIn(26 * 60);
  expect((await checkoutOf(directory, buyer, id)).status).toBe('expired');
});

it('the reconciliation of payments continues with the other checkouts when a request to the provider fails', async () => {
  const buyer = await person(server);
  await startPremium(directory, buyer);
  await startPremium(directory, buyer);
  vi.stubEnv('STRIPE_SECRET_KEY', 'invalid');
  const { processed, failed } = await reconcileIn(16);
  expect(failed).toBeGreaterThan(1);
  expect(processed).toBe(failed);
});
