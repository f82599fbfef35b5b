import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { insertCheckout } from '#data/checkouts.ts';
import { newCheckout } from '#domain/payments/checkout.ts';
import { reconcilePayments as reconcile } from '#domain/payments/reconcile.ts';
import { newId } from '#platform/ids.ts';
import { settlePorts } from '#ports/settle.ts';
import { asDoor } from '#test/support/aws-calls.ts';
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
import { checkoutOf, decide, ledgerOf, startPremium } from '#test/support/payments.ts';
import { withDirectory } from '#test/support/with-directory.ts';
import type { TestWorld } from '#test/support/world.ts';

/** The rehearsal of the payment page, prices and addresses by configuration, and asking the provider what it did not tell. */

let world: TestWorld;
let directory: Directory;

withDirectory(
  (opened) => {
    ({ world, directory } = opened);
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

describe('the payment page', () => {
  const form = (id: string, outcome: string) =>
    world.call('POST', `/_local/checkout/${id}`, {
      rawBody: `outcome=${outcome}`,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });

  it('is seen at once to be a rehearsal, asks the price of the configuration, and offers to pay, fail and cancel', async () => {
    const buyer = await person(world);
    const { checkoutUrl, checkout_id: id } = await startPremium(directory, buyer, { name: '<b>Bold</b> & Co' });
    expect(checkoutUrl).toBe(`${world.url.replace('127.0.0.1', 'localhost')}/_local/checkout/${id}`);
    const page = await world.call('GET', new URL(checkoutUrl).pathname);
    expect(page.status).toBe(200);
    expect(page.headers.get('content-security-policy')).toContain("form-action 'self' https://shop.example;");
    for (const words of [
      'REHEARSAL',
      '€12.50',
      'value="paid"',
      'value="failed"',
      'value="expired"',
      '&lt;b&gt;Bold',
      buyer.email,
    ]) {
      expect(page.body).toContain(words);
    }
    expect(page.body).not.toContain('<script');
  });

  it('sends its buyer on to the addresses of the configuration', async () => {
    const buyer = await person(world);
    const [paid, cancelled, failed] = [
      await startPremium(directory, buyer),
      await startPremium(directory, buyer),
      await startPremium(directory, buyer),
    ];
    const answer = await form(paid.checkout_id, 'paid');
    expect([answer.status, answer.headers.get('location')]).toEqual([
      303,
      `https://shop.example/thanks?c=${paid.checkout_id}`,
    ]);
    expect((await form(cancelled.checkout_id, 'expired')).headers.get('location')).toBe('https://shop.example/sorry');
    expect((await form(failed.checkout_id, 'failed')).headers.get('location')).toBe(
      `/_local/checkout/${failed.checkout_id}`,
    );
    const stands = [paid, cancelled, failed].map(
      async (one) => (await checkoutOf(directory, buyer, one.checkout_id)).status,
    );
    expect(await Promise.all(stands)).toEqual(['fulfilled', 'expired', 'failed']);
    expect(await ledgerOf(directory, buyer)).toMatchObject([{ amount: 1250, currency: 'eur' }]);
    expect((await world.call('GET', `/_local/checkout/${paid.checkout_id}`)).body).toContain('value="refunded"');
  });

  it('decides once, and says what is wrong with a decision', async () => {
    const buyer = await person(world);
    const { checkout_id: id } = await startPremium(directory, buyer);
    const path = `/_local/checkout/${id}`;
    expect(await world.call('POST', path, { body: { outcome: 'stolen' } })).toMatchObject(invalidAt('outcome'));
    expect(await world.call('POST', path, { rawBody: '{' })).toMatchObject({ status: 400 });
    expect(await world.call('POST', path, { body: { outcome: 'refunded' } })).toMatchObject(
      conflict('INVALID_TRANSITION'),
    );
    await decide(directory, id, 'paid');
    expect(dataOf(await decide(directory, id, 'paid'))).toMatchObject({ checkout: id, status: 'paid' });
    expect(await world.call('POST', path, { body: { outcome: 'expired' } })).toMatchObject(
      conflict('INVALID_TRANSITION'),
    );
    expect(await ledgerOf(directory, buyer)).toHaveLength(1);
    expect(await world.call('GET', '/_local/checkout/chk_nonsense')).toMatchObject(NOT_FOUND);
    expect(await world.call('POST', '/_local/checkout/chk_nonsense', { body: { outcome: 'paid' } })).toMatchObject(
      NOT_FOUND,
    );
  });
});

it('gives the money back when another project has got the address meanwhile', async () => {
  const buyer = await person(world);
  const url = `https://${unique('contested')}.example.com/`;
  const [first, second] = [
    await startPremium(directory, buyer, { url }),
    await startPremium(directory, buyer, { url }),
  ];
  await Promise.all([decide(directory, first.checkout_id, 'paid'), decide(directory, second.checkout_id, 'paid')]);
  const stands = async () =>
    Promise.all([first, second].map(async (one) => (await checkoutOf(directory, buyer, one.checkout_id)).status));
  await world.until(async () => (await stands()).includes('refunded'));
  expect((await stands()).sort()).toEqual(['fulfilled', 'refunded']);
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

describe('the rehearsed interface', () => {
  const ask = async (
    method: string,
    path: string,
    form: Record<string, string> = {},
    headers: Record<string, string> = {},
  ) => {
    const answer = await fetch(`${process.env.STRIPE_API_BASE}${path}`, {
      method,
      headers: { authorization: 'Bearer sk_test_local', ...headers },
      ...(method === 'POST' && { body: new URLSearchParams(form) }),
    });
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
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

  it('does a request under an idempotency key once', async () => {
    const open = (fields: object, key: string) =>
      ask('POST', '/v1/checkout/sessions', { ...session, ...fields }, { 'idempotency-key': key });
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
    expect(await ask('GET', `/v1/checkout/sessions/${String(id)}`)).toMatchObject({
      status: 200,
      body: { id, payment_intent: null },
    });
    expect(await ask('POST', `/v1/checkout/sessions/${String(id)}/expire`)).toMatchObject({
      body: { status: 'expired', url: null },
    });
  });

  it('refuses what the provider would refuse', async () => {
    expect(await ask('POST', '/v1/checkout/sessions', session, { authorization: 'Bearer nonsense' })).toMatchObject({
      status: 401,
    });
    expect(await ask('POST', '/v1/checkout/sessions', { ...session, mode: '' })).toMatchObject({ status: 400 });
    expect(await ask('POST', '/v1/refunds', { payment_intent: 'pi_none' })).toMatchObject({
      status: 404,
      body: { error: { code: 'resource_missing' } },
    });
    expect(await ask('GET', '/v1/checkout/sessions/cs_test_none')).toMatchObject({ status: 404 });
    expect(await ask('GET', '/v1/nonsense')).toMatchObject({ status: 404 });
  });
});

describe('the reconciliation', () => {
  const reconcilePayments = (ports: typeof settlePorts) => asDoor('cron.reconcilePayments', () => reconcile(ports));

  const later = (minutes: number) => ({
    ...settlePorts,
    now: () => new Date(Date.now() + minutes * 60_000).toISOString(),
  });

  /** Nothing that the provider tells comes through meanwhile. */
  const unheard = async (work: () => Promise<void>): Promise<void> => {
    process.env.STRIPE_WEBHOOK_SECRET = '';
    try {
      await work();
      // By now it waits a second and more before it tries again.
      await wait(1200);
    } finally {
      process.env.STRIPE_WEBHOOK_SECRET = 'whsec_local';
    }
  };

  it('asks about what has been open for a quarter of an hour and settles it once', async () => {
    const buyer = await person(world);
    const [paid, expired, failed, open] = [
      await startPremium(directory, buyer),
      await startPremium(directory, buyer),
      await startPremium(directory, buyer),
      await startPremium(directory, buyer),
    ];
    const stands = () =>
      Promise.all(
        [paid, expired, failed, open].map(async (one) => (await checkoutOf(directory, buyer, one.checkout_id)).status),
      );
    await unheard(async () => {
      await decide(directory, paid.checkout_id, 'paid');
      await decide(directory, expired.checkout_id, 'expired');
      await decide(directory, failed.checkout_id, 'failed');
      expect(await stands()).toEqual(['open', 'open', 'open', 'open']);
      expect(await reconcilePayments(later(10))).toEqual({
        processed: 0,
        settled: 0,
        ended: 0,
        failed: 0,
        unfinished: false,
      });
      const runs = await Promise.all([reconcilePayments(later(16)), reconcilePayments(later(16))]);
      expect(runs.reduce((sum, run) => sum + run.settled, 0)).toBe(1);
      expect(runs.reduce((sum, run) => sum + run.ended, 0)).toBe(2);
      expect(await stands()).toEqual(['fulfilled', 'expired', 'failed', 'open']);
    });
    // What it was told then brings nothing more.
    await wait(2500);
    expect(await ledgerOf(directory, buyer)).toHaveLength(1);
    expect(await reconcilePayments(later(16))).toMatchObject({ settled: 0, ended: 0, failed: 0 });
  }, 20_000);

  it('delivers a promotion that it finds paid', async () => {
    const buyer = await person(world);
    const project = await directory.live(buyer);
    const order = { kind: 'promotion', project_id: project.id, placements: ['banner'], months: 1 };
    const { checkout_id: id } = dataOf<{ checkout_id: string }>(
      await directory.as(buyer, 'POST', '/api/payments/checkout', order),
    );
    await unheard(async () => {
      await decide(directory, id, 'paid');
      expect(await reconcilePayments(later(16))).toMatchObject({ settled: 1 });
      expect(await checkoutOf(directory, buyer, id)).toMatchObject({
        status: 'fulfilled',
        promotion_id: expect.any(String) as string,
      });
    });
  });

  it('ends a checkout whose opening was never finished, when its page would have closed', async () => {
    const buyer = await person(world);
    await directory.get('/api/user/profile', buyer);
    const id = newId('chk');
    const order = { kind: 'submission', title: 'Lost', amount: 1250, currency: 'eur' } as const;
    await insertCheckout(newCheckout(order, id, buyer.id, new Date().toISOString()), undefined);
    await reconcilePayments(later(60));
    expect((await checkoutOf(directory, buyer, id)).status).toBe('open');
    await reconcilePayments(later(26 * 60));
    expect((await checkoutOf(directory, buyer, id)).status).toBe('expired');
  });

  it('goes on when the provider does not answer about one of them', async () => {
    const buyer = await person(world);
    await startPremium(directory, buyer);
    const dead = { ...later(16), askSession: () => Promise.reject(new Error('no answer')) };
    const { processed, failed } = await reconcilePayments(dead);
    expect(failed).toBeGreaterThan(0);
    expect(processed).toBe(failed);
  });
});
