import { expect, it } from 'vitest';
import { insertCheckout, saveSession } from '#data/checkouts.ts';
import { findPromotion, insertPromotion } from '#data/promotions.ts';
import { markFailing } from '#data/webhooks.ts';
import { newCheckout } from '#model/checkout.ts';
import { promotionOfCheckout } from '#model/promotion.ts';
import { now } from '#platform/clock.ts';
import { newId } from '#platform/ids.ts';
import { openSession } from '#platform/stripe.ts';
import { createWebhook } from '#services/webhooks/manage.ts';
import { type Directory, dataOf, NOT_FOUND, person } from '#test/support/fixtures.ts';
import { checkoutOf, chooseOutcome, ledgerOf } from '#test/support/payments.ts';
import type { TestServer } from '#test/support/server.ts';
import { withOwnServer } from '#test/support/with-directory.ts';

/** What remains of features that were switched off later. */

let server: TestServer;
let directory: Directory;

withOwnServer(
  (opened) => {
    ({ server, directory } = opened);
  },
  { env: { FEATURE_PROMOTIONS: 'off', FEATURE_WEBHOOKS: 'off' } },
);

it('a promotion cannot be bought, and the payment of an open checkout is refunded', async () => {
  const buyer = await person(server);
  const project = await directory.live(buyer);
  const order = { kind: 'promotion', project_id: project.id, placements: ['detail'], months: 1 };
  expect(await directory.as(buyer, 'POST', '/api/payments/checkout', order)).toMatchObject(NOT_FOUND);

  const bought = { title: 'Open', amount: 1900, currency: 'usd', projectId: project.id, months: 1 } as const;
  const open = newCheckout({ kind: 'promotion', ...bought, placements: ['detail'] }, newId('chk'), buyer.id, now());
  await insertCheckout(open, undefined);
  await saveSession(open.id, await openSession(open, { email: null }));
  await chooseOutcome(directory, open.id, 'paid');
  await server.until(async () => (await checkoutOf(directory, buyer, open.id)).status === 'refunded');
  expect((await ledgerOf(directory, buyer)).map(({ type, note }) => [type, note])).toEqual([
    ['refund', null],
    ['payment', 'Promotions are switched off.'],
  ]);
  expect(await findPromotion(promotionOfCheckout(open.id))).toBeUndefined();
});

it('what cannot be decided does not count as waiting', async () => {
  const { id } = await createWebhook({ url: 'https://example.com/', kinds: ['keyCreated'] });
  await markFailing(id, now());
  const project = await directory.live(await person(server));
  await insertPromotion(
    {
      id: newId('prm'),
      project_id: project.id,
      user_id: directory.admin.id,
      placements: ['detail'],
      status: 'pending',
      starts_at: null,
      ends_at: null,
      months: 1,
      cta_text: null,
      price: 1900,
      currency: 'usd',
      reason: null,
      checkout_id: newId('chk'),
      created_at: now(),
      version: 1,
    },
    {},
    [],
  );
  const summary = dataOf<object>(await directory.adminOk('GET', '/api/admin/summary'));
  expect(summary).toMatchObject({ promotions_waiting: 0, webhooks_failing: 0 });
});
