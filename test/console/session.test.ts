import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { longTest } from '#test/support/long-test.ts';
import { describeInBrowser, eventually } from './browser.ts';
import { canDecide, submissionsOf } from './submissions.ts';

describeInBrowser('the session', (context) => {
  const { submit, statusOf, opened } = submissionsOf(context);

  const dialogOf = (page: Page) => page.getByRole('dialog', { name: 'Your session has ended' });

  /** Signs in with a token of the local issuer that ends after some seconds. */
  const openBriefly = async (path: string, seconds: number) => {
    const page = await context.open('user');
    await page.getByText('This account cannot use the console').waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.route(
      '**/_local/token',
      async (route) => {
        const body = route.request().postDataJSON() as object;
        await route.continue({ postData: JSON.stringify({ ...body, expires_in: seconds }) });
      },
      { times: 1 },
    );
    await page.goto(new URL(`/console${path}`, page.url()).href);
    await page.getByRole('button', { name: 'Sign in as moderator' }).click();
    return page;
  };

  longTest(
    'an expired token leads to signing in, and a decision is never sent in the name of another user',
    async () => {
      const [first = '', second = ''] = await submit(['Expired one', 'Expired two']);
      const page = await openBriefly('/queue', 6);
      await opened(page, 'Expired one');
      await canDecide(page);
      await page.waitForTimeout(6500);
      await page.keyboard.press('a');
      await dialogOf(page).getByRole('button', { name: 'Sign in as moderator' }).click();
      await eventually(() => statusOf(first)).toBe('live');
      await page.close();

      const other = await openBriefly('/queue', 6);
      await opened(other, 'Expired two');
      await canDecide(other);
      await other.waitForTimeout(6500);
      await other.keyboard.press('a');
      await dialogOf(other).getByRole('button', { name: 'Sign in as administrator' }).click();
      await other.getByText('Another user signed in, so this was not sent.').waitFor();
      expect(await other.getByRole('button', { name: 'Retry' }).count()).toBe(0);
      await opened(other, 'Expired two');
      await other.getByText('· Administrator').waitFor();
      expect(await statusOf(second)).toBe('pending');
    },
  );

  it('signing out removes everything before the next page loads, and Back does not show it again', async () => {
    const page = await context.open('administrator', '/users');
    const rows = page.locator('main tbody tr');
    await rows.first().waitFor();
    // What is shown when the page is left is what the back/forward cache of a browser keeps.
    await page.evaluate("addEventListener('pagehide', () => sessionStorage.setItem('left', document.body.innerText))");
    await page.getByRole('button', { name: 'Sign out' }).click();
    await eventually(() => page.evaluate("sessionStorage.getItem('left')")).toContain('Sign in to the console');
    expect(await page.evaluate("sessionStorage.getItem('left')")).not.toContain('@');
    await page.getByRole('button', { name: 'Sign in as administrator' }).waitFor();
    await page.goBack();
    await page.getByRole('button', { name: 'Sign in as administrator' }).waitFor();
    expect(await rows.count()).toBe(0);
    await page.evaluate("window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))");
    await page.waitForLoadState();
    await page.getByRole('button', { name: 'Sign in as administrator' }).waitFor();
  });
});
