import { describe, expect, it, vi } from 'vitest';
import type { Delivery, Webhook } from '#contract/webhooks.ts';
import { findDelivery, replaceDelivery } from '#data/webhooks.ts';
import { postOutbound } from '#platform/outbound.ts';
import { retryDueDeliveries } from '#services/webhooks/deliver.ts';
import { dataOf, person } from '#test/support/fixtures.ts';
import { violationsOf } from './axe.ts';
import { type BrowserContext, chromiumPath, eventually, withBrowser } from './browser.ts';

// The receiver is replaced, for which this file needs modules and a server of its own.
vi.mock(import('#platform/outbound.ts'), { spy: true });

describe.skipIf(chromiumPath === undefined)('the deliveries of a webhook', () => {
  let context: BrowserContext;

  withBrowser((given) => {
    context = given;
  });

  it('replays one delivery with its request and response, and all that have failed', async () => {
    const { directory, server } = context;
    const answer = (status: number, response: string) =>
      vi.mocked(postOutbound).mockResolvedValue({ status, response, error: null, duration_ms: 5 });
    answer(200, 'thanks');
    const { id } = dataOf<Webhook>(
      await directory.as(directory.admin, 'POST', '/api/admin/webhooks', {
        url: 'https://hooks.example.com/replay',
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
    await page.close();
  });
});
