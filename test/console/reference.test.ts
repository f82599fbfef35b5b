import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { longTest } from '#test/support/long-test.ts';
import { violationsOf } from './axe.ts';
import { describeInBrowser } from './browser.ts';

/** A test fails when something does not happen, not when a busy machine does it late. */
const TIMEOUT_MS = 90_000;

/**
 * What axe reports about the elements of the viewer, which has no settings for them: levels of headings that leave one out,
 * links inside of the buttons of operations, parts outside of landmarks, and lists of servers and examples without a name.
 */
const VIEWER = /^light: (?:heading-order|nested-interactive|region|select-name): /;

describeInBrowser('the API reference', (context) => {
  /** Opens a page and returns it with its errors, such as violations of its policy, and its requests to other origins. */
  const open = async () => {
    const origin = `http://localhost:${context.server.server.port}`;
    const page = await context.browser.newPage();
    page.setDefaultTimeout(TIMEOUT_MS);
    const problems: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error' && !/ 401 /.test(message.text())) problems.push(message.text());
    });
    page.on('pageerror', ({ message }) => problems.push(message));
    page.on('request', (request) => {
      if (!request.url().startsWith(`${origin}/`) && !request.url().startsWith('data:')) problems.push(request.url());
    });
    return { page, origin, problems };
  };

  /** Sends the request of an operation without parameters. @returns the status shown. */
  const send = async (page: Page, tag: string, path: string): Promise<string> => {
    await page.locator(`#operations-tag-${tag}`).click();
    const operation = page.locator('.opblock-get').filter({ has: page.locator(`[data-path="${path}"]`) });
    await operation.locator('.opblock-summary-control').click();
    await operation.getByRole('button', { name: 'Execute' }).click();
    return (await operation.locator('.live-responses-table tbody .response-col_status').textContent()) ?? '';
  };

  longTest(
    'the API reference sends requests with the token of the session, and without one after signing out',
    async () => {
      const { page, origin, problems } = await open();
      await page.goto(`${origin}/docs`);
      await page.getByRole('button', { name: 'Sign in as user' }).click();
      await page.getByText('Signed in as User').waitFor();
      expect(await send(page, 'users', '/api/user/profile')).toMatch(/^200/);
      // Tokens are kept in memory only.
      expect(await page.evaluate('JSON.stringify([localStorage, sessionStorage])')).not.toContain('eyJ');
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByRole('button', { name: 'Sign in as user' }).waitFor();
      expect(await send(page, 'users', '/api/user/profile')).toMatch(/^401/);
      expect(problems).toEqual([]);
      await page.close();
    },
  );

  longTest('the API reference is accessible in light and dark, with an operation open', async () => {
    const { page, origin } = await open();
    await page.goto(`${origin}/docs`);
    await page.getByRole('button', { name: 'Sign in as user' }).waitFor();
    expect(await send(page, 'categories', '/api/categories')).toMatch(/^200/);
    const violations = await violationsOf(page);
    expect(violations.filter((one) => !VIEWER.test(one))).toEqual([]);
    await page.close();
  });

  longTest('the API reference works below the stage of a gateway, whose path its requests have', async () => {
    const { page, origin, problems } = await open();
    const paths = new Set<string>();
    await page.route('**/*', async (route) => {
      const url = new URL(route.request().url());
      paths.add(url.pathname);
      await route.continue({ url: `${url.origin}${url.pathname.replace(/^\/prod\//, '/')}${url.search}` });
    });
    await page.goto(`${origin}/prod/docs`);
    expect(await send(page, 'categories', '/api/categories')).toMatch(/^200/);
    expect([...paths]).toEqual(expect.arrayContaining(['/prod/api/openapi.json', '/prod/api/categories']));
    expect([...paths].filter((path) => !path.startsWith('/prod/'))).toEqual([]);
    expect(problems).toEqual([]);
    await page.close();
  });
});
