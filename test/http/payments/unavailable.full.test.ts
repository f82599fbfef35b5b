import { expect, it, vi } from 'vitest';
import { openCheckoutsPartition } from '#data/keys.ts';
import { wholeCollection } from '#data/read.ts';
import { metaOf, person, submission } from '#test/support/fixtures.ts';
import { longTest } from '#test/support/long-test.ts';
import { ledgerOf, signatureOf, stripeEvent } from '#test/support/payments.ts';
import { OWN_SECRETS } from '#test/support/server.ts';
import { ownDirectory } from '#test/support/with-directory.ts';

// No process listens on port 9.
const { server, directory } = await ownDirectory({
  env: {
    ...OWN_SECRETS,
    STRIPE_SECRET_KEY: 'sk_test_unreachable',
    STRIPE_API_BASE: 'http://127.0.0.1:9',
    STRIPE_WEBHOOK_SECRET: '',
  },
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

longTest('a purchase returns 503 when the provider is unreachable', async () => {
  for (const response of await attemptPurchases()) expect(response).toMatchObject(UNAVAILABLE);
});

it('a purchase returns 503 when no key is configured', async () => {
  vi.stubEnv('STRIPE_SECRET_KEY', undefined);
  for (const response of await attemptPurchases()) expect(response).toMatchObject(UNAVAILABLE);
});

it('a webhook event returns 503 while the signing secret is empty or unset', async () => {
  const payload = JSON.stringify(stripeEvent('invoice.paid', {}));
  const send = () =>
    server.call('POST', '/api/webhooks/stripe', {
      rawBody: payload,
      headers: { 'stripe-signature': signatureOf(payload) },
    });
  expect(await send()).toMatchObject(UNAVAILABLE);
  for (const [secret, expected] of [
    [' , ', UNAVAILABLE],
    [undefined, UNAVAILABLE],
    ['whsec_local', { status: 200 }],
  ] as const) {
    vi.stubEnv('STRIPE_WEBHOOK_SECRET', secret);
    expect(await send()).toMatchObject(expected);
  }
});
