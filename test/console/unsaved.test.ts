import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { person, unique } from '#test/support/fixtures.ts';
import { longTest } from '#test/support/long-test.ts';
import { describeInBrowser, eventually } from './browser.ts';

describeInBrowser('unsaved words', (context) => {
  const question = (page: Page) => page.getByRole('dialog', { name: 'Discard unsaved changes?' });
  const keep = async (page: Page) => await question(page).getByRole('button', { name: 'Keep editing' }).click();
  const discard = async (page: Page) => await question(page).getByRole('button', { name: 'Discard' }).click();

  longTest(
    'a listing with unsaved words is left by link, key, tab, Back, Cancel and Esc after a question, and a reload asks',
    async () => {
      const { directory, server } = context;
      const { id } = await directory.project('live', await person(server), { name: 'Half written' });
      const page = await context.open('administrator', '/listings?q=half');
      await page.getByRole('link', { name: 'Half written' }).click();
      const field = page.getByLabel('Description', { exact: true });
      await field.waitFor();
      expect(await page.title()).toBe('Half written · Listings · Console');
      const address = page.url();
      await field.fill('Words');
      const ways: readonly (() => Promise<unknown>)[] = [
        () => page.getByRole('navigation').getByRole('link', { name: 'Users' }).click(),
        async () => {
          await page.getByRole('heading', { level: 1 }).click();
          await page.keyboard.press('g');
          await page.keyboard.press('u');
        },
        () => page.getByRole('link', { name: 'History' }).click(),
        () => page.evaluate('history.back()'),
        () => page.getByRole('button', { name: 'Cancel' }).click(),
        () => field.press('Escape'),
        () => page.getByRole('button', { name: 'Sign out' }).click(),
      ];
      for (const way of ways) {
        await way();
        await keep(page);
        expect(page.url()).toBe(address);
        expect(await field.inputValue()).toBe('Words');
      }
      const asked = page.waitForEvent('dialog');
      await page.evaluate('void setTimeout(() => location.reload())');
      await (await asked).dismiss();
      expect(await field.inputValue()).toBe('Words');

      // Saved words are not asked about, also while the saved listing is read.
      const { promise: released, resolve: release } = Promise.withResolvers<void>();
      await page.route(`**/api/projects/${id}`, async (route) => {
        await released;
        await route.continue();
      });
      await field.press('Control+Enter');
      await eventually(async () => (await directory.read(id, directory.admin)).description).toBe('Words');
      await page.getByText('Saved Half written.').waitFor();
      await page.getByRole('link', { name: 'All listings' }).click();
      await page.getByRole('link', { name: 'Half written' }).waitFor();
      release();
      await page.getByRole('link', { name: 'Half written' }).click();
      await field.fill('Others');
      await page.evaluate('history.back()');
      await discard(page);
      await page.getByRole('link', { name: 'Half written' }).waitFor();
    },
  );

  longTest('a failed save leads to the first wrong field', async () => {
    const { directory, server } = context;
    const { id } = await directory.project('live', await person(server));
    const page = await context.open('administrator', `/listings?open=${id}`);
    const field = page.getByLabel('URL', { exact: true });
    await field.fill('no address');
    await page.getByRole('button', { name: 'Save' }).click();
    await eventually(() => field.evaluate((one) => one === one.ownerDocument.activeElement)).toBe(true);
  });

  longTest('rules, the theme and categories ask before they lose words', async () => {
    const page = await context.open('administrator', '/rules');
    await page.getByRole('button', { name: 'Add rule' }).click();
    await page.getByLabel('Name').fill(unique('Rule'));
    const leaveBy = async (name: string) => {
      await page.getByRole('navigation').getByRole('link', { name }).click();
      await keep(page);
      await page.getByRole('navigation').getByRole('link', { name }).click();
      await discard(page);
      await page.getByRole('heading', { level: 1, name }).waitFor();
    };
    await leaveBy('Settings');
    await page.getByRole('link', { name: 'Theme' }).click();
    await page.getByLabel('Radius').fill('12px');
    await leaveBy('Categories');
    await page.getByRole('button', { name: 'Add category' }).click();
    const dialog = page.getByRole('dialog').first();
    await dialog.getByLabel('Name', { exact: true }).fill('Half');
    await page.keyboard.press('Escape');
    await keep(page);
    expect(await dialog.getByLabel('Name', { exact: true }).inputValue()).toBe('Half');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await discard(page);
    await eventually(async () => await page.getByRole('dialog').count()).toBe(0);
  });
});
