import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { type BrowserContext, chromiumPath, withBrowser } from './browser.ts';

describe.skipIf(chromiumPath === undefined)('the API reference', () => {
  let context: BrowserContext;

  withBrowser((given) => {
    context = given;
  });

  /** Sends the request of an operation without parameters. @returns the status shown. */
  const send = async (page: Page, tag: string, path: string): Promise<string> => {
    await page.locator(`#operations-tag-${tag}`).click();
    const operation = page.locator('.opblock-get').filter({ has: page.locator(`[data-path="${path}"]`) });
    await operation.locator('.opblock-summary-control').click();
    await operation.getByRole('button', { name: 'Execute' }).click();
    return (await operation.locator('.live-responses-table tbody .response-col_status').textContent()) ?? '';
  };

  it('sends requests with the token of the session, and without one after signing out', async () => {
    const page = await context.open('user', '', { base: '/docs' });
    await page.getByText('Signed in as User').waitFor();
    expect(await send(page, 'users', '/api/user/profile')).toMatch(/^200/);
    // Tokens are kept in memory only.
    expect(await page.evaluate('JSON.stringify([localStorage, sessionStorage])')).not.toContain('eyJ');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign in as user' }).waitFor();
    expect(await send(page, 'users', '/api/user/profile')).toMatch(/^401/);
    await page.close();
  });

  it('works below the stage of a gateway, whose path its requests have', async () => {
    const { server, browser } = context;
    const page = await browser.newPage();
    const paths = new Set<string>();
    await page.route('**/prod/**', async (route) => {
      const url = new URL(route.request().url());
      paths.add(url.pathname);
      await route.continue({ url: `${url.origin}${url.pathname.replace('/prod/', '/')}${url.search}` });
    });
    const outside: string[] = [];
    page.on('request', (request) => {
      if (!/^data:|:\d+\/prod\//.test(request.url())) outside.push(request.url());
    });
    await page.goto(`http://localhost:${server.server.port}/prod/docs`);
    expect(await send(page, 'categories', '/api/categories')).toMatch(/^200/);
    expect([...paths]).toEqual(expect.arrayContaining(['/prod/api/openapi.json', '/prod/api/categories']));
    expect(outside).toEqual([]);
    await page.close();
  });
});
