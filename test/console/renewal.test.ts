import type { Page, Route } from 'playwright-core';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { fullSubmission, type Person, person } from '#test/support/fixtures.ts';
import { beginSession, describeInBrowser, eventually } from './browser.ts';

/** The renewal of a session on the public pages, with an issuer whose answers the tests decide. */

describeInBrowser('the session of a visitor whose token has ended', (context) => {
  let visitor: Person;
  let page: Page;
  let address: string;

  const markOf = (on: Page = page): Promise<unknown> => on.evaluate(`localStorage.getItem('site-session')`);

  const account = (on: Page = page) => on.locator('summary', { hasText: 'Your account' });

  const hasName = async (on: Page = page): Promise<void> => {
    await account(on).click();
    await on.locator('[data-user-name]', { hasText: visitor.name }).waitFor();
  };

  /** The cookie of a renewed session, in place of the issuer. */
  const renew = async (route: Route): Promise<void> => {
    const response = await page.context().request.post(route.request().url(), {
      data: { access_token: visitor.token },
      headers: { 'sec-fetch-site': 'same-origin' },
    });
    await route.fulfill({ response });
  };

  /** Ends the token, as its time does. The session can be renewed as `answer` says. */
  const expire = async (answer: (route: Route) => Promise<void>): Promise<void> => {
    await page.context().clearCookies({ name: 'directory_token' });
    await page.context().route('**/api/session', async (route) => {
      if (route.request().method() === 'POST') await answer(route);
      else await route.fallback();
    });
  };

  beforeEach(async () => {
    const { directory, server, browser } = context;
    visitor = await person(server, { name: 'Nora Visitor' });
    const { slug } = await directory.live(directory.admin, fullSubmission({ logo_url: null, screenshots: [] }));
    address = `http://localhost:${server.server.port}/projects/${slug}`;
    page = await (await browser.newContext({ locale: 'en-US' })).newPage();
    page.setDefaultTimeout(90_000);
    await page.goto(address);
    await beginSession(page, visitor);
  });

  afterEach(async () => {
    await page.context().close();
  });

  it.each([503, 429, 500])('goes on when the renewal fails once with %i', async (status) => {
    let hasFailed = false;
    await expire(async (route) => {
      if (hasFailed) return await renew(route);
      hasFailed = true;
      await route.fulfill({ status, json: { error: 'Unavailable', code: 'UNAVAILABLE' } });
    });
    const failed = page.waitForResponse((response) => response.status() === status);
    await page.reload();
    await failed;
    await page.getByRole('button', { name: 'Vote votes: 0' }).click();
    await page.getByRole('button', { name: 'Vote votes: 1', pressed: true }).waitFor();
    expect(await markOf()).toBe('on');
  });

  it('ends when the issuer refuses to renew it', async () => {
    await expire((route) => route.fulfill({ status: 401, json: { error: 'Unauthorized', code: 'UNAUTHORIZED' } }));
    await page.reload();
    await eventually(() => markOf()).toBeNull();
    await page.getByRole('link', { name: 'Sign in' }).waitFor();
  });

  it('is renewed by one of the pages that are open, and all of them go on', async () => {
    const pages = [page, await page.context().newPage(), await page.context().newPage()];
    for (const each of pages) await each.goto(address);
    const haveAsked = Promise.all(
      pages.map((each) =>
        each.waitForResponse(
          (response) => response.url().endsWith('/session') && response.request().method() === 'GET',
        ),
      ),
    );
    let renewals = 0;
    await expire(async (route) => {
      renewals += 1;
      // Not before each page knows that its token has ended: without a lock, each of them would renew the session.
      await haveAsked;
      await renew(route);
    });
    await Promise.all(pages.map((each) => each.reload()));
    for (const each of pages) await hasName(each);
    expect(renewals).toBe(1);
    expect(await markOf()).toBe('on');
  });

  it('is not renewed while another page ends it', async () => {
    const other = await page.context().newPage();
    await page.reload();
    await hasName(page);
    const requests: string[] = [];
    await expire(async (route) => {
      requests.push('renewal');
      await route.fulfill({ status: 401, json: { error: 'Unauthorized', code: 'UNAUTHORIZED' } });
    });
    let ending: Route | undefined;
    await page.context().route('**/api/session', async (route) => {
      if (route.request().method() === 'DELETE') ending = route;
      else await route.fallback();
    });
    await page.getByRole('button', { name: 'Sign out' }).click();
    await eventually(() => ending !== undefined).toBe(true);
    await other.goto(address);
    await eventually(() => other.evaluate('navigator.locks.query().then(({ pending }) => pending.length)')).toBe(1);
    requests.push('end');
    await ending?.fallback();
    await eventually(() => requests).toEqual(['end', 'renewal']);
    await eventually(() => markOf(other)).toBeNull();
  });
});
