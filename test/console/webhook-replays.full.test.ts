import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Delivery, Webhook } from '#contract/webhooks.ts';
import { findDelivery, replaceDelivery } from '#data/webhooks.ts';
import { retryDueDeliveries } from '#services/webhooks/deliveries.ts';
import { dataOf, person } from '#test/support/fixtures.ts';
import { type Receiver, startReceiver } from '#test/support/receiver.ts';
import { violationsOf } from './axe.ts';
import { describeInBrowser, eventually } from './browser.ts';

describeInBrowser(
  'the deliveries of a webhook',
  (context) => {
    let receiver: Receiver;

    beforeAll(async () => {
      receiver = await startReceiver();
    });

    afterAll(() => receiver.stop());

    it('the page Webhooks replays one delivery with its request and response, and all that have failed', async () => {
      const { directory, server } = context;
      const { id } = dataOf<Webhook>(
        await directory.as(directory.admin, 'POST', '/api/admin/webhooks', {
          url: receiver.url,
          kinds: ['projectSubmitted'],
        }),
      );
      const owner = await person(server);
      for (let count = 0; count < 3; count += 1) await directory.submit(owner);
      const deliveries = async () =>
        dataOf<Delivery[]>(await directory.get(`/api/admin/webhooks/${id}/deliveries`, directory.admin));
      await eventually(async () => (await deliveries()).map(({ state }) => state)).toEqual(Array(3).fill('delivered'));
      // As if the receiver had been down for all retries, which take half a day.
      for (const { id: deliveryId } of await deliveries()) {
        const last = await findDelivery(id, deliveryId);
        if (!last) throw new Error('The delivery is gone.');
        const attempts = last.attempts.map((attempt) => ({ ...attempt, ok: false, status: 503, response: 'down' }));
        expect(await replaceDelivery(last, { ...last, state: 'failed', attempts })).toBe(true);
      }
      const page = await context.open('administrator', `/webhooks?open=${id}&state=failed`);
      const rows = page.locator('.delivery');
      await rows.nth(2).waitFor();
      await rows.first().getByRole('button', { name: 'Replay' }).click();
      await page.getByRole('status').filter({ hasText: 'Sent again: delivered.' }).waitFor();
      await rows.nth(2).waitFor({ state: 'detached' });
      await page.getByLabel('State').selectOption('Delivered');
      await rows.getByText('2 attempts').click();
      await page.getByText('answered 503').waitFor();
      await page.getByText('thanks', { exact: true }).waitFor();
      expect(await violationsOf(page)).toEqual([]);
      await page.getByRole('button', { name: 'Replay all failed' }).click();
      await page.getByRole('status').filter({ hasText: 'are sent again' }).waitFor();
      await eventually(async () => {
        await retryDueDeliveries();
        return await rows.count();
      }).toBe(3);
    });
  },
  { WEBHOOK_ALLOW_PRIVATE: 'on' },
);
