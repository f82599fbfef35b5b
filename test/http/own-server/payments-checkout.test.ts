import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { insertCheckout } from '#data/checkouts.ts';
import { newCheckout } from '#model/checkout.ts';
import { newId } from '#platform/ids.ts';
import { reconcilePayments as reconcile } from '#services/payments/reconcile.ts';
import { runAsHandler } from '#test/support/aws-calls.ts';
import {
  conflict,
  type Directory,
  dataOf,
  invalidAt,
  metaOf,
  NOT_FOUND,
  person,
  submission,
  unique,
} from '#test/support/fixtures.ts';
import { longTest } from '#test/support/long-test.ts';
import { checkoutOf, chooseOutcome, ledgerOf, type StartedCheckout, startPremium } from '#test/support/payments.ts';
import type { TestServer } from '#test/support/server.ts';
import { withOwnServer } from '#test/support/with-directory.ts';

/** The local payment page, the mock provider, configured prices and URLs, and the reconciliation. */

let server: TestServer;
let directory: Directory;

withOwnServer(
  (opened) => {
    ({ server, directory } = opened);
  },
  {
    env: {
      PREMIUM_PRICE: '1250',
      CURRENCY: 'EUR',
      DUPLICATE_URLS: 'reject',
      CHECKOUT_SUCCESS_URL: 'https://shop.example/thanks?c={checkout}',
      CHECKOUT_CANCEL_URL: 'https://shop.example/sorry',
    },
  },
);

describe('the local payment page', () => {
  const form = (id: string, outcome: string) =>
    server.call('POST', `/_local/checkout/${id}`, {
      rawBody: `outcome=${outcome}`,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });

  it('is marked as a test page, shows the configured price, and offers to pay, fail and cancel', async () => {
    const buyer = await person(server);
    const { checkoutUrl, checkout_id: id } = await startPremium(directory, buyer, { name: '<b>Bold</b> & Co' });
    expect(checkoutUrl).toBe(`${server.url.replace('127.0.0.1', 'localhost')}/_local/checkout/${id}`);
    const page = await server.call('GET', new URL(checkoutUrl).pathname);
    expect(page.status).toBe(200);
    expect(page.headers.get('content-security-policy')).toContain("form-action 'self' https://shop.example;");
    for (const text of [
      'TEST MODE',
      '€12.50',
      'value="paid"',
      'value="failed"',
      'value="expired"',
      '&lt;b&gt;Bold',
      buyer.email,
    ]) {
      expect(page.body).toContain(text);
    }
    expect(page.body).not.toContain('<script');
  });

  it('redirects to the configured URLs', async () => {
    const buyer = await person(server);
    const [paid, cancelled, failed] = [
      await startPremium(directory, buyer),
      await startPremium(directory, buyer),
      await startPremium(directory, buyer),
    ];
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

  it('applies an outcome once and rejects invalid ones', async () => {
    const buyer = await person(server);
    const { checkout_id: id } = await startPremium(directory, buyer);
    const path = `/_local/checkout/${id}`;
    expect(await server.call('POST', path, { body: { outcome: 'stolen' } })).toMatchObject(invalidAt('outcome'));
    expect(await server.call('POST', path, { rawBody: '{' })).toMatchObject({ status: 400 });
    expect(await server.call('POST', path, { body: { outcome: 'refunded' } })).toMatchObject(
      conflict('INVALID_TRANSITION'),
    );
    await chooseOutcome(directory, id, 'paid');
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
});

it('refunds a submission whose URL was taken before the payment', async () => {
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

describe('the mock API of the provider', () => {
  const request = async (
    method: string,
    path: string,
    form: Record<string, string> = {},
    headers: Record<string, string> = {},
  ) => {
    const response = await fetch(`${process.env.STRIPE_API_BASE}${path}`, {
      method,
      headers: { authorization: 'Bearer sk_test_local', ...headers },
      ...(method === 'POST' && { body: new URLSearchParams(form) }),
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  const session = {
    mode: 'payment',
    client_reference_id: 'ref',
    success_url: 'https://shop.example/',
    'line_items[0][quantity]': '1',
    'line_items[0][price_data][currency]': 'usd',
    'line_items[0][price_data][unit_amount]': '500',
    'line_items[0][price_data][product_data][name]': 'Thing',
    'metadata[checkout_id]': 'ref',
  };

  it('processes one request per idempotency key', async () => {
    const open = (fields: object, key: string) =>
      request('POST', '/v1/checkout/sessions', { ...session, ...fields }, { 'idempotency-key': key });
    const [first, second] = [
      await open({ client_reference_id: 'one' }, 'k1'),
      await open({ client_reference_id: 'one' }, 'k1'),
    ];
    expect(first).toMatchObject({
      status: 200,
      body: { object: 'checkout.session', status: 'open', amount_total: 500 },
    });
    expect(second).toEqual(first);
    expect(await open({ client_reference_id: 'two' }, 'k1')).toMatchObject({
      status: 400,
      body: { error: { type: 'idempotency_error' } },
    });
    const { id } = first.body;
    expect(await request('GET', `/v1/checkout/sessions/${String(id)}`)).toMatchObject({
      status: 200,
      body: { id, payment_intent: null },
    });
    expect(await request('POST', `/v1/checkout/sessions/${String(id)}/expire`)).toMatchObject({
      body: { status: 'expired', url: null },
    });
  });

  it('rejects invalid requests as the provider does', async () => {
    expect(await request('POST', '/v1/checkout/sessions', session, { authorization: 'Bearer nonsense' })).toMatchObject(
      {
        status: 401,
      },
    );
    expect(await request('POST', '/v1/checkout/sessions', { ...session, mode: '' })).toMatchObject({ status: 400 });
    expect(await request('POST', '/v1/refunds', { payment_intent: 'pi_none' })).toMatchObject({
      status: 404,
      body: { error: { code: 'resource_missing' } },
    });
    expect(await request('GET', '/v1/checkout/sessions/cs_test_none')).toMatchObject({ status: 404 });
    expect(await request('GET', '/v1/nonsense')).toMatchObject({ status: 404 });
  });
});

describe('the reconciliation', () => {
  /** Runs the job as if some minutes had passed. */
  const reconcileIn = (minutes: number) =>
    runAsHandler('cron.reconcilePayments', () => reconcile(new Date(Date.now() + minutes * 60_000).toISOString()));

  /** Runs work while the webhook rejects all events of the provider. */
  const withoutEvents = async (work: () => Promise<void>): Promise<void> => {
    process.env.STRIPE_WEBHOOK_SECRET = '';
    try {
      await work();
      // From then on, the mock provider waits for more than a second before its next retry.
      await wait(1200);
    } finally {
      process.env.STRIPE_WEBHOOK_SECRET = 'whsec_local';
    }
  };

  longTest(
    'settles checkouts that have been open for 15 minutes, once',
    async () => {
      const buyer = await person(server);
      const [paid, expired, failed, open] = [
        await startPremium(directory, buyer),
        await startPremium(directory, buyer),
        await startPremium(directory, buyer),
        await startPremium(directory, buyer),
      ];
      const statuses = () =>
        Promise.all(
          [paid, expired, failed, open].map(
            async (one) => (await checkoutOf(directory, buyer, one.checkout_id)).status,
          ),
        );
      await withoutEvents(async () => {
        await chooseOutcome(directory, paid.checkout_id, 'paid');
        await chooseOutcome(directory, expired.checkout_id, 'expired');
        await chooseOutcome(directory, failed.checkout_id, 'failed');
        expect(await statuses()).toEqual(['open', 'open', 'open', 'open']);
        expect(await reconcileIn(10)).toEqual({
          processed: 0,
          settled: 0,
          ended: 0,
          failed: 0,
          unfinished: false,
        });
        const runs = await Promise.all([reconcileIn(16), reconcileIn(16)]);
        expect(runs.reduce((sum, run) => sum + run.settled, 0)).toBe(1);
        expect(runs.reduce((sum, run) => sum + run.ended, 0)).toBe(2);
        expect(await statuses()).toEqual(['fulfilled', 'expired', 'failed', 'open']);
      });
      // The retried events have no further effect.
      await wait(2500);
      expect(await ledgerOf(directory, buyer)).toHaveLength(1);
      expect(await reconcileIn(16)).toMatchObject({ settled: 0, ended: 0, failed: 0 });
    },
    20_000,
  );

  longTest('fulfils a paid promotion', async () => {
    const buyer = await person(server);
    const project = await directory.live(buyer);
    const order = { kind: 'promotion', project_id: project.id, placements: ['banner'], months: 1 };
    const started = await directory.ok(buyer, 'POST', '/api/payments/checkout', order);
    const { checkout_id: id } = dataOf<StartedCheckout>(started);
    await withoutEvents(async () => {
      await chooseOutcome(directory, id, 'paid');
      expect(await reconcileIn(16)).toMatchObject({ settled: 1 });
      expect(await checkoutOf(directory, buyer, id)).toMatchObject({
        status: 'fulfilled',
        promotion_id: expect.any(String) as string,
      });
    });
  });

  it('ends a checkout without a session once its page would have expired', async () => {
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

  it('continues with the other checkouts when a request to the provider fails', async () => {
    const buyer = await person(server);
    await startPremium(directory, buyer);
    await startPremium(directory, buyer);
    const key = process.env.STRIPE_SECRET_KEY;
    process.env.STRIPE_SECRET_KEY = 'invalid';
    try {
      const { processed, failed } = await reconcileIn(16);
      expect(failed).toBeGreaterThan(1);
      expect(processed).toBe(failed);
    } finally {
      process.env.STRIPE_SECRET_KEY = key;
    }
  });
});
