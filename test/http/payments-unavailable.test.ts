import { afterAll, beforeAll, expect, it } from 'vitest';
import { openCheckoutsPartition } from '#data/keys.ts';
import { wholeCollection } from '#data/read.ts';
import { Directory, metaOf, NOT_FOUND, person, submission } from '#test/support/fixtures.ts';
import { eventOf, ledgerOf, signatureOf } from '#test/support/payments.ts';
import { startTestWorld, type TestWorld } from '#test/support/world.ts';

/** Without a payment provider: 503, and nothing is kept half. */

let world: TestWorld;
let directory: Directory;

beforeAll(async () => {
  // Nobody listens there.
  world = await startTestWorld({
    env: { STRIPE_SECRET_KEY: 'sk_test_nobody', STRIPE_API_BASE: 'http://127.0.0.1:9', FEATURE_PROMOTIONS: 'off' },
  });
  directory = await Directory.open(world);
});

afterAll(async () => {
  await world.stop();
});

const UNAVAILABLE = { status: 503, body: { error: 'Unavailable', code: 'PAYMENTS_UNAVAILABLE' } };

const buy = async () => {
  const buyer = await person(world);
  const project = await directory.live(buyer);
  const body = submission({ plan: 'premium', categories: [directory.category] });
  const answers = [
    await directory.as(buyer, 'POST', '/api/projects', body),
    await directory.as(buyer, 'POST', '/api/payments/checkout', { kind: 'upgrade', project_id: project.id }),
  ];
  expect(metaOf(await directory.get('/api/me/submissions', buyer)).total).toBe(1);
  expect(await ledgerOf(directory, buyer)).toEqual([]);
  expect(await wholeCollection({ index: 'collection', partition: openCheckoutsPartition })).toEqual([]);
  return answers;
};

it('says so when the provider does not answer', async () => {
  for (const answer of await buy()) expect(answer).toMatchObject(UNAVAILABLE);
}, 30_000);

it('says so when no key is configured', async () => {
  const key = process.env.STRIPE_SECRET_KEY;
  delete process.env.STRIPE_SECRET_KEY;
  try {
    for (const answer of await buy()) expect(answer).toMatchObject(UNAVAILABLE);
  } finally {
    process.env.STRIPE_SECRET_KEY = key;
  }
});

it('sells no promotion where there are none', async () => {
  const buyer = await person(world);
  const { id } = await directory.live(buyer);
  const order = { kind: 'promotion', project_id: id, placements: ['detail'], months: 1 };
  expect(await directory.as(buyer, 'POST', '/api/payments/checkout', order)).toMatchObject(NOT_FOUND);
});

it('lets the provider come again when it cannot know who signs', async () => {
  const payload = JSON.stringify(eventOf('invoice.paid', {}));
  const tell = () =>
    world.call('POST', '/api/webhooks/stripe', {
      rawBody: payload,
      headers: { 'stripe-signature': signatureOf(payload) },
    });
  const secret = process.env.STRIPE_WEBHOOK_SECRET;
  delete process.env.STRIPE_WEBHOOK_SECRET;
  try {
    expect(await tell()).toMatchObject(UNAVAILABLE);
  } finally {
    process.env.STRIPE_WEBHOOK_SECRET = secret;
  }
  expect(await tell()).toMatchObject({ status: 200 });
});
