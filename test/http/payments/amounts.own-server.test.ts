import { expect, it } from 'vitest';
import { dataOf, invalidAt, person } from '#test/support/fixtures.ts';
import { checkoutOf, chooseOutcome, type StartedCheckout, startPremium } from '#test/support/payments.ts';
import { ownDirectory } from '#test/support/with-directory.ts';

/** Purchases in a currency whose amounts have two decimals at the provider, which must be 00. */

const { server, directory } = await ownDirectory({
  env: {
    CURRENCY: 'ISK',
    SITE_LANGUAGES: 'en,de',
    PREMIUM_PRICE: '690000',
    PROMOTION_PRICE_BANNER: '10000',
    PROMOTION_PRICE_CATALOG: '5000',
    PROMOTION_PRICE_DETAIL: '5100',
  },
});

it('the payment page shows the amount that the provider charges', async () => {
  const buyer = await person(server);
  const { checkoutUrl, checkout_id: id } = await startPremium(directory, buyer);
  expect(await checkoutOf(directory, buyer, id)).toMatchObject({ amount: 690_000, currency: 'isk' });
  expect((await server.call('GET', new URL(checkoutUrl).pathname)).body).toContain('ISK\u00a06,900.00');
});

it.each([
  ['/submit', 'Free', 'ISK\u00a06,900.00'],
  ['/de/submit', 'Kostenlos', '6.900,00\u00a0ISK'],
])('the form at %s shows the amount that the provider charges', async (path, standard, premium) => {
  const { body } = await server.call('GET', path);
  const [, data = ''] = /<script [^>]*id="page-data"[^>]*>(.*?)<\/script>/s.exec(String(body)) ?? [];
  expect(JSON.parse(data)).toMatchObject({ prices: { standard, premium } });
});

it.each([
  [['banner', 'catalog'], 3, 45_000],
  // 14,070 a month.
  [['banner', 'catalog', 'detail'], 1, 14_100],
  [['banner', 'catalog', 'detail'], 3, 42_300],
])('the price of %s for %i months is %i, which the provider charges', async (placements, months, amount) => {
  const buyer = await person(server);
  const project = await directory.live(buyer);
  const order = { kind: 'promotion', project_id: project.id, placements, months };
  const started = await directory.ok(buyer, 'POST', '/api/payments/checkout', order);
  const { checkout_id: id } = dataOf<StartedCheckout>(started);
  expect(await checkoutOf(directory, buyer, id)).toMatchObject({ amount, currency: 'isk' });
  await chooseOutcome(directory, id, 'expired');
});

it('a refund on the local payment page is an amount that the provider returns', async () => {
  const buyer = await person(server);
  const { checkout_id: id } = await startPremium(directory, buyer);
  await chooseOutcome(directory, id, 'paid');
  const body = { outcome: 'refunded', amount: 50 };
  expect(await server.call('POST', `/_local/checkout/${id}`, { body })).toMatchObject(invalidAt('amount'));
  await chooseOutcome(directory, id, 'refunded', 100);
});

/** Sends a request to the local mock of the provider's API. */
const callProvider = async (path: string, form: Readonly<Record<string, string>>) => {
  const response = await fetch(`${process.env.STRIPE_API_BASE}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${process.env.STRIPE_SECRET_KEY}` },
    body: new URLSearchParams(form),
  });
  return { status: response.status, body: await response.json() };
};

const PRICE = 'line_items[0][price_data]';
const AMOUNT = `${PRICE}[unit_amount]`;
const newSession = (amount: number, currency: string, more: Readonly<Record<string, string>> = {}) =>
  callProvider('/v1/checkout/sessions', {
    mode: 'payment',
    client_reference_id: `chk_${amount}_${currency}`,
    [AMOUNT]: String(amount),
    [`${PRICE}[currency]`]: currency,
    [`${PRICE}[product_data][name]`]: 'Premium listing',
    'line_items[0][quantity]': '1',
    success_url: 'https://shop.example/thanks',
    ...more,
  });
const refusal = (error: object) => ({ status: 400, body: { error: { type: 'invalid_request_error', ...error } } });

it.each([
  [4950, 'isk', false],
  [4950, 'UGX', false],
  [4955, 'kwd', false],
  [4950, 'kwd', true],
  [4900, 'isk', true],
  [4955, 'huf', true],
  [4955, 'jpy', true],
])('the mock of the provider takes %i %s: %s', async (amount, currency, isTaken) => {
  const expected = isTaken
    ? { status: 200, body: { amount_total: amount, currency: currency.toLowerCase() } }
    : refusal({ param: AMOUNT });
  expect(await newSession(amount, currency)).toMatchObject(expected);
});

it('the mock of the provider refuses a refund of a fraction', async () => {
  const buyer = await person(server);
  const { checkout_id: id } = await startPremium(directory, buyer);
  const { payment_intent } = dataOf<{ payment_intent: string }>(await chooseOutcome(directory, id, 'paid'));
  expect(await callProvider('/v1/refunds', { payment_intent, amount: '150' })).toMatchObject(
    refusal({ param: 'amount' }),
  );
});

it.each(['jörg@example.org', 'without-a-sign', 'two@@example.org', 'a b@example.org', 'me@localhost', ''])(
  'the mock of the provider refuses the address "%s"',
  async (address) => {
    expect(await newSession(100, 'isk', { customer_email: address })).toMatchObject(
      refusal({ code: 'email_invalid', param: 'customer_email' }),
    );
  },
);

it('a buyer whose verified address the provider refuses can buy', async () => {
  const buyer = await person(server, { email: 'jörg@example.org' });
  const { checkoutUrl, checkout_id: id } = await startPremium(directory, buyer);
  const page = (await server.call('GET', new URL(checkoutUrl).pathname)).body;
  expect(page).toContain(id);
  expect(page).not.toContain('Buyer:');
  await chooseOutcome(directory, id, 'paid');
  await server.until(async () => (await checkoutOf(directory, buyer, id)).status === 'fulfilled');
});
