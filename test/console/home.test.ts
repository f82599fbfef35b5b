import { expect } from 'vitest';
import { person } from '#test/support/fixtures.ts';
import { longTest } from '#test/support/long-test.ts';
import { violationsOf } from './axe.ts';
import { describeInBrowser, eventually } from './browser.ts';

describeInBrowser('Home, the navigation and the palette', (context) => {
  const NOTHING = {
    pending: 0,
    revisions_pending: 0,
    reports_open: 0,
    promotions_waiting: 0,
    webhooks_failing: 0,
    dead_letters: 0,
    mails_stopped: 0,
    oldest_pending_at: null,
    jobs_failed: 0,
    live: 0,
    users: 1,
  };

  longTest(
    'Home shows what waits as cards and the rest in one line, and the first steps of an empty directory',
    async () => {
      const page = await context.open('administrator', '/jobs');
      await page.route('**/api/admin/summary', (route) =>
        route.fulfill({ json: { data: { ...NOTHING, reports_open: 3 } } }),
      );
      await page.getByRole('navigation').getByRole('link', { name: 'Home' }).click();
      await eventually(() => page.locator('.count-card').allInnerTexts()).toEqual(['3\nOpen reports']);
      await page.getByText('All clear').getByRole('link', { name: '0 Pending submissions' }).waitFor();
      await page.getByRole('navigation').getByRole('link', { name: 'Reports 3' }).waitFor();
      await page.getByRole('heading', { name: 'First steps' }).waitFor();
      expect(await violationsOf(page)).toEqual([]);
      await page.getByRole('link', { name: 'Import listings from a CSV file' }).click();
      await page.getByRole('heading', { level: 1, name: 'Imports' }).waitFor();
    },
  );

  longTest('the theme is chosen for this browser, and the palette finds users, and listings with typos', async () => {
    const { directory, server } = context;
    const name = `Palette person ${Date.now()}`;
    const someone = await person(server);
    await directory.ok(someone, 'PUT', '/api/user/profile', { name });
    const page = await context.open('administrator', '/jobs');
    await page.getByText('Display').click();
    await page.getByLabel('Theme', { exact: true }).selectOption('Dark');
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'Jobs' }).waitFor();
    expect(await page.evaluate('document.documentElement.style.colorScheme')).toBe('dark');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill(name);
    await page.getByRole('option', { name: new RegExp(name) }).click();
    await page.getByRole('heading', { level: 2, name: new RegExp(name) }).waitFor();

    await directory.live(someone, { name: 'Observatory of palettes' });
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: /^Pages/ }).fill('palettes observatry');
    const option = page.getByRole('option', { name: /Observatory of palettes/ });
    await eventually(async () => await option.locator('mark').allInnerTexts()).toEqual(['Observatory', 'palettes']);
    await option.click();
    await page.getByRole('heading', { level: 2, name: 'Observatory of palettes' }).waitFor();
  });
});
