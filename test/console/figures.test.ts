import { expect } from 'vitest';
import { person, unique } from '#test/support/fixtures.ts';
import { longTest } from '#test/support/long-test.ts';
import { chooseOutcome, startPremium } from '#test/support/payments.ts';
import { describeInBrowser, eventually } from './browser.ts';

/** Texts that their box or the window cuts off, or that reach over the next cell. */
const CUT = `[...document.querySelectorAll('main .count-number, main .months td, main td, main th, main td button')]
  .filter((one) => one.offsetParent && !one.closest('.truncate'))
  .filter((one) => one.scrollWidth > one.clientWidth + 1 || one.getBoundingClientRect().right > innerWidth)
  .map((one) => one.textContent.trim())`;

describeInBrowser('figures of the console', (context) => {
  longTest(
    'figures, dates and buttons of payments, promotions and events are not cut on wide and narrow screens',
    async () => {
      const { directory, server } = context;
      const buyer = await person(server, { name: unique('Buyer') });
      const { checkout_id } = await startPremium(directory, buyer, { name: unique('Paid listing') });
      await chooseOutcome(directory, checkout_id, 'paid');
      const { checkout_id: inquired } = await startPremium(directory, buyer, { name: unique('Inquired listing') });
      await chooseOutcome(directory, inquired, 'paid');
      await chooseOutcome(directory, inquired, 'inquiry');
      const { id } = await directory.live(buyer);
      const grant = { project_id: id, placements: ['catalog', 'detail'], days: 30, cta_text: 'Go' };
      await directory.adminOk('POST', '/api/admin/promotions', grant, 201);
      const page = await context.open('administrator');
      await page.getByRole('navigation').first().waitFor();
      for (const path of ['payments', 'promotions', 'events', 'events?tab=audit']) {
        await page.goto(`http://localhost:${server.server.port}/console/${path}`);
        await page.locator('main tbody td').first().waitFor();
        await eventually(async () => await page.locator('main .skeleton').count()).toBe(0);
        for (const width of [1280, 390, 360]) {
          await page.setViewportSize({ width, height: 800 });
          await eventually(async () => ({ path, width, cut: await page.evaluate(CUT) })).toEqual({
            path,
            width,
            cut: [],
          });
          expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
        }
      }
    },
  );
});
