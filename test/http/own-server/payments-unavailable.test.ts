import { afterAll, beforeAll, expect, it } from 'vitest';
import { openCheckoutsPartition } from '#data/keys.ts';
import { wholeCollection } from '#data/read.ts';
import { Directory, metaOf, person, submission } from '#test/support/fixtures.ts';
import { longTest } from '#test/support/long-test.ts';
import { ledgerOf, signatureOf, stripeEvent } from '#test/support/payments.ts';
import { startTestServer, type TestServer } from '#test/support/server.ts';

/** Payments without a provider. */

let server: TestServer;
let directory: Directory;

beforeAll(async () => {
  // No process listens on port 9.
  server = await startTestServer({
    env: {
      STRIPE_SECRET_KEY: 'sk_test_unreachable',
      STRIPE_API_BASE: 'http://127.0.0.1:9',
      STRIPE_WEBHOOK_SECRET: '',
    },
  });
  directory = await Directory.create(server);
});

afterAll(async () => {
  await server.stop();
});

const UNAVAILABLE = { status: 503, body: { error: 'Unavailable', code: 'PAYMENTS_UNAVAILABLE' } };

/** Attempts both kinds of purchase and checks that nothing was stored. @returns the responses. */
const attemptPurchases = async () => {
  const buyer = await person(server);
  const project = await directory.live(buyer);
  const body = submission({ plan: 'premium', categories: [directory.category] });
  const responses = [
    await directory.as(buyer, 'POST', '/api/projects', body),
    await directory.as(buyer, 'POST', '/api/payments/checkout', { kind: 'upgrade', project_id: project.id }),
  ];
  expect(metaOf(await directory.get('/api/me/submissions', buyer)).total).toBe(1);
  expect(await ledgerOf(directory, buyer)).toEqual([]);
  expect(await wholeCollection({ index: 'collection', partition: openCheckoutsPartition })).toEqual([]);
  return responses;
};

longTest(
  'returns 503 when the provider is unreachable',
  async () => {
    for (const response of await attemptPurchases()) expect(response).toMatchObject(UNAVAILABLE);
  },
  30_000,
);

it('returns 503 when no key is configured', async () => {
  const key = process.env.STRIPE_SECRET_KEY;
  delete process.env.STRIPE_SECRET_KEY;
  try {
    for (const response of await attemptPurchases()) expect(response).toMatchObject(UNAVAILABLE);
  } finally {
    process.env.STRIPE_SECRET_KEY = key;
  }
});

it('returns 503 to a webhook event while the signing secret is empty or unset, instead of using the default', async () => {
  const payload = JSON.stringify(stripeEvent('invoice.paid', {}));
  const send = () =>
    server.call('POST', '/api/webhooks/stripe', {
      rawBody: payload,
      headers: { 'stripe-signature': signatureOf(payload) },
    });
  expect(process.env.STRIPE_WEBHOOK_SECRET).toBe('');
  expect(await send()).toMatchObject(UNAVAILABLE);
  try {
    process.env.STRIPE_WEBHOOK_SECRET = ' , ';
    expect(await send()).toMatchObject(UNAVAILABLE);
    delete process.env.STRIPE_WEBHOOK_SECRET;
    expect(await send()).toMatchObject(UNAVAILABLE);
    process.env.STRIPE_WEBHOOK_SECRET = 'whsec_local';
    expect(await send()).toMatchObject({ status: 200 });
  } finally {
    process.env.STRIPE_WEBHOOK_SECRET = '';
  }
});
