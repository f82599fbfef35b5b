import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OWN_SECRETS, startTestServer, type TestServer } from '#test/support/server.ts';
import { chromiumPath, eventually, launch } from './browser.ts';
import { AUDIENCE, CLIENT_ID, ENDPOINT_QUERY, type Issuer, startIssuer } from './issuer.ts';

/** Signing in as on AWS: at an OpenID Connect provider, with its discovery document, code and PKCE. */

const TIMEOUT_MS = 120_000;
const ADMIN = 'administrator@example.com';
const PARAMETERS = `resource=${encodeURIComponent(AUDIENCE)}&ui_locales=en`;

describe.skipIf(chromiumPath === undefined)('signing in at an issuer other than the local one', () => {
  let issuer: Issuer;
  let server: TestServer;
  let browser: Browser;
  let url: string;

  beforeAll(async () => {
    issuer = await startIssuer();
    server = await startTestServer({
      env: {
        ...OWN_SECRETS,
        OIDC_ISSUER: issuer.url,
        OIDC_AUDIENCES: AUDIENCE,
        OIDC_JWKS_URI: `${issuer.url}/jwks`,
        SIGN_IN_CLIENT_ID: CLIENT_ID,
        SIGN_IN_PARAMETERS: PARAMETERS,
        ADMIN_EMAILS: ADMIN,
      },
    });
    url = `http://localhost:${server.server.port}`;
    await issuer.register(url);
    browser = await launch();
  });

  afterAll(async () => {
    await browser?.close();
    await server?.stop();
    issuer?.stop();
  });

  const open = async (path: string) => {
    const context = await browser.newContext();
    context.setDefaultTimeout(TIMEOUT_MS);
    const page = await context.newPage();
    const problems: string[] = [];
    page.on('console', (message) => {
      // The pages of the issuer load fonts from elsewhere.
      if (message.type() === 'error' && !message.text().startsWith('Failed to load')) problems.push(message.text());
    });
    page.on('pageerror', ({ message }) => problems.push(message));
    await page.goto(`${url}${path}`);
    return { page, problems };
  };

  /** Fills in the pages of the issuer. */
  const consent = async (page: Page): Promise<void> => {
    await page.locator('input[name=login]').fill(ADMIN);
    await page.locator('input[name=password]').fill('any');
    await page.locator('button[type=submit]').click();
    await page.getByRole('button', { name: 'Continue' }).click();
  };

  /** A public page with the session that began there. */
  const openSignedIn = async (path: string) => {
    const opened = await open(path);
    const { page } = opened;
    await page.getByRole('link', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'Continue to sign in' }).click();
    await consent(page);
    await page.waitForURL(`${url}${path}`);
    return opened;
  };

  const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true });

  /** What no authorization request may lose: the query of the endpoint, and the parameters of the settings. */
  const expectAllParameters = (): void => {
    for (const query of issuer.requests) {
      const sent = new URLSearchParams(query);
      for (const [name, value] of new URLSearchParams(`${ENDPOINT_QUERY}&${PARAMETERS}&scope=openid email profile`)) {
        expect(sent.getAll(name)).toEqual([value]);
      }
    }
  };

  it('returns to the page, renews the token, signs in again after a reload, and signs out at the issuer', async () => {
    const { page, problems } = await open('/console/listings?status=pending');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await consent(page);
    await heading(page, 'Listings').waitFor();
    expect(page.url()).toBe(`${url}/console/listings?status=pending`);
    expect(issuer.grants).toEqual(['authorization_code']);
    expect(issuer.requests).toHaveLength(1);
    expectAllParameters();
    expect(await page.evaluate('JSON.stringify([localStorage, sessionStorage])')).not.toContain('eyJ');

    // A request whose token has expired is sent again with a new one, without a question.
    await page.route('**/api/admin/**', (route) => route.fulfill({ status: 401, json: { code: 'UNAUTHORIZED' } }), {
      times: 1,
    });
    await page.keyboard.press('g');
    await page.keyboard.press('h');
    await page.getByText('Pending submissions').waitFor();
    await eventually(() => issuer.grants).toEqual(['authorization_code', 'refresh_token']);

    await page.reload();
    await page.getByText('Pending submissions').waitFor();
    expect(issuer.grants.at(-1)).toBe('authorization_code');

    const before = issuer.revoked();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: /yes/i }).click();
    await eventually(() => issuer.revoked() > before).toBe(true);
    await page.waitForURL(`${url}/console*`);
    await page.getByRole('button', { name: 'Sign in' }).click();
    // The session of the issuer has ended too.
    await page.locator('input[name=login]').waitFor();
    expect(problems).toEqual([]);
    await page.context().close();
  });

  it('leaves the page on signing out while the issuer cannot be reached', async () => {
    const { page } = await open('/console/listings?status=pending');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await consent(page);
    await heading(page, 'Listings').waitFor();
    await page.route(`${issuer.url}/**`, (route) => route.abort());
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.waitForURL(`${url}/console`);
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
  });

  it('reports that the issuer refused', async () => {
    const { page } = await open('/console');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('link', { name: /cancel/i }).click();
    await page.getByRole('alert').waitFor();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    await page.context().close();
  });

  it('signs in to the API reference in a second window, which closes itself', async () => {
    const { page, problems } = await open('/docs');
    const opened = page.waitForEvent('popup');
    await page.getByRole('button', { name: 'Sign in' }).click();
    const other = await opened;
    const closed = other.waitForEvent('close');
    await consent(other);
    await page.getByText('Signed in as administrator').waitFor();
    await closed;
    expect(problems).toEqual([]);
    await page.context().close();
  });

  it('signs in on the public pages and returns to the page, and renews the session', async () => {
    const { page, problems } = await openSignedIn('/categories');
    await page.locator('summary', { hasText: 'Your account' }).waitFor();
    expectAllParameters();
    await page.context().clearCookies({ name: 'directory_token' });
    await page.goto(`${url}/sign-in`);
    await page.getByText('You are signed in as administrator.').waitFor();
    expect(issuer.grants.slice(-2)).toEqual(['authorization_code', 'refresh_token']);

    await page.locator('summary', { hasText: 'Your account' }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: /yes/i }).click();
    await page.waitForURL(`${url}/`);
    // The issuer knows the address without the slash only.
    await page.goto(`${url}/sign-in/`);
    await page.getByRole('button', { name: 'Continue to sign in' }).click();
    // The session of the issuer has ended too.
    await page.locator('input[name=login]').waitFor();
    expect(problems).toEqual([]);
    await page.context().close();
  });

  it('renews the session once for pages that are open at the same time, so that the issuer does not end it', async () => {
    const { page, problems } = await openSignedIn('/categories');
    const pages = [page, await page.context().newPage(), await page.context().newPage()];
    for (const round of ['first', 'second']) {
      const before = issuer.grants.length;
      await page.context().clearCookies({ name: 'directory_token' });
      await Promise.all(pages.map((each) => each.goto(`${url}/sign-in`)));
      for (const each of pages) await each.getByText('You are signed in as administrator.').waitFor();
      expect(issuer.grants.slice(before), `${round} renewal`).toEqual(['refresh_token']);
    }
    expect(problems).toEqual([]);
    await page.context().close();
  });

  it('leaves the account for the home page on signing out while the issuer cannot be reached', async () => {
    const { page } = await openSignedIn('/categories');
    await page.route(`${issuer.url}/**`, (route) => route.abort());
    await page.locator('summary', { hasText: 'Your account' }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.waitForURL(`${url}/`);
    await page.getByRole('link', { name: 'Sign in' }).waitFor();
    await page.context().close();
  });
});
