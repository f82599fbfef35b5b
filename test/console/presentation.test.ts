import { longTest } from '#test/support/long-test.ts';
import { describeInBrowser, eventually } from './browser.ts';
import { canDecide, submissionsOf } from './submissions.ts';

describeInBrowser('the presentation', (context) => {
  const { submit, opened } = submissionsOf(context);

  longTest('forced colours keep what only a background shows: slots of promotions and runs of jobs', async () => {
    const page = await context.open('administrator', '/jobs');
    await page.emulateMedia({ forcedColors: 'active' });
    const backgroundOf = async (selector: string) => {
      await page.locator(selector).first().waitFor();
      return await page.evaluate(`getComputedStyle(document.querySelector('${selector}')).backgroundColor`);
    };
    const plain = await backgroundOf('body');
    await page
      .getByRole('row')
      .filter({ hasText: 'Expire promotions' })
      .getByRole('button', { name: 'Run now' })
      .click();
    await eventually(async () => await backgroundOf('.run-dots span')).not.toBe(plain);
    await page.getByRole('navigation').getByRole('link', { name: 'Promotions' }).click();
    await eventually(async () => await backgroundOf('.slot-key.active')).not.toBe(plain);
  });

  longTest('ages go on while a page stays open', async () => {
    const { id } = await context.directory.live(context.directory.admin);
    const page = await context.open('administrator', '/events');
    await page.getByRole('heading', { level: 1, name: 'Events' }).waitFor();
    await page.clock.install();
    await page.goto(new URL(`/console/events?subject=project:${id}`, page.url()).href);
    const age = page.getByRole('row').nth(1).locator('time');
    await age.waitFor();
    await page.clock.fastForward(180_000);
    await eventually(async () => await age.textContent()).toMatch(/^[3-9] minutes ago$/);
  });

  longTest('on a phone the next item begins in sight after a decision', async () => {
    await submit(['First on a phone', 'Second on a phone']);
    const page = await context.open('moderator', '/queue');
    await page.setViewportSize({ width: 390, height: 844 });
    await opened(page, 'First on a phone');
    await canDecide(page);
    await page.mouse.wheel(0, 2000);
    await page.getByRole('button', { name: 'Approve', exact: true }).click();
    await opened(page, 'Second on a phone');
    const heading = page.getByRole('heading', { level: 2, name: 'Second on a phone' });
    await eventually(async () => {
      const { y = -1, height = 0 } = (await heading.boundingBox()) ?? {};
      return y >= 0 && y + height < 844;
    }).toBe(true);
  });
});
