import { describe, expect, it } from 'vitest';
import { longTest } from '#test/support/long-test.ts';
import { violationsOf } from './axe.ts';
import { type BrowserContext, chromiumPath, eventually, withBrowser } from './browser.ts';

describe.skipIf(chromiumPath === undefined)('the console', () => {
  let context: BrowserContext;

  withBrowser((given) => {
    context = given;
  });

  it('has one navigation, names the page in heading and title, and lists shortcuts and pages in dialogs', async () => {
    const page = await context.open('administrator');
    await page.getByRole('heading', { level: 1, name: 'Home', exact: true }).waitFor();
    expect(await page.title()).toContain('Home');
    await eventually(async () => await page.getByRole('navigation').count()).toBe(1);
    await eventually(
      async () => await page.getByRole('navigation').getByRole('link', { name: 'Home' }).getAttribute('aria-current'),
    ).toBe('page');
    for (const keys of ['?', 'Control+k']) {
      await page.keyboard.press(keys);
      await page.getByRole('dialog').waitFor();
      expect(await violationsOf(page)).toEqual([]);
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }
    await page.close();
  });

  it('signs in again after a reload, and forgets the session after signing out', async () => {
    const page = await context.open('administrator');
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('q');
    await page.getByRole('heading', { level: 1, name: 'Queue' }).waitFor();
    await page.getByRole('navigation').getByRole('link', { name: 'Home' }).click();
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign in as administrator' }).waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Sign in as administrator' }).waitFor();
    await page.close();
  });

  it('tells a user without a role what is missing, and an unknown page', async () => {
    const user = await context.open('user');
    await user.getByText('The console is for administrators and moderators.').waitFor();
    await user.close();
    const page = await context.open('moderator', '/nowhere');
    await page.getByRole('heading', { level: 1, name: 'Not found' }).waitFor();
    await page.close();
  });

  longTest(
    'asks to sign in after a 401, waits after a 429, offers to retry after a 500, and resumes after an interruption',
    async () => {
      const page = await context.open('administrator');
      await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
      const answer = async (status: number, headers: Record<string, string> = {}) => {
        await page.route('**/api/admin/**', (route) =>
          route.fulfill({ status, headers, json: { error: `Answer ${status}`, code: 'TEST' } }),
        );
      };
      const recover = async () => await page.unroute('**/api/admin/**');
      const pending = page.getByText('Pending submissions');

      await answer(401);
      await page.reload();
      await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor();
      await recover();
      await page.getByRole('button', { name: 'Sign in as administrator' }).click();
      await pending.waitFor();

      await answer(429, { 'retry-after': '1' });
      await page.reload();
      await page.getByRole('status').filter({ hasText: 'Too many requests' }).waitFor();
      await recover();
      await pending.waitFor();

      await answer(500);
      await page.reload();
      await page.getByRole('alert').filter({ hasText: 'Answer 500' }).first().waitFor();
      await recover();
      await page.getByRole('button', { name: 'Retry' }).first().click();
      await pending.waitFor();

      await page.context().setOffline(true);
      await page.getByRole('status').filter({ hasText: 'Offline' }).waitFor();
      await page.context().setOffline(false);
      await page.getByRole('status').filter({ hasText: 'Offline' }).waitFor({ state: 'detached' });
      await page.close();
    },
  );

  longTest('has no violation that axe finds on Home', async () => {
    const page = await context.open('administrator', '');
    await page.getByText('Latest events').waitFor();
    await page.getByText('Pending submissions').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.close();
  });
});
