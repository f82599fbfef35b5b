import { existsSync } from 'node:fs';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect } from 'vitest';
import { freshConsole } from '#lib/console.ts';
import type { Person } from '#test/support/fixtures.ts';
import { type TestContext, withDirectory, withOwnServer } from '#test/support/with-directory.ts';

/** The shell without windows comes first: a page takes a third of the CPU time there. */
const PATHS = [
  process.env.CHROMIUM ?? '',
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
];

/** The Chromium of this machine, if any: that of the variable `CHROMIUM`, or one at a usual place. */
export const chromiumPath = PATHS.find((path) => path !== '' && existsSync(path));

if (chromiumPath === undefined) {
  process.stderr.write('The tests of the console are skipped: no Chromium was found. Set CHROMIUM to its path.\n');
}

const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export const launch = async (): Promise<Browser> =>
  await chromium.launch({ executablePath: chromiumPath ?? '', args: ARGUMENTS });

export type LocalRole = 'administrator' | 'moderator' | 'user';

/** Signs in and waits for the page's heading. @param path below `/console`. */
export const signIn = async (page: Page, url: string, role: LocalRole, path = ''): Promise<void> => {
  await page.goto(`${url}/console${path}`);
  await page.getByRole('button', { name: `Sign in as ${role}` }).click();
};

/** Begins the session of a user on the public pages, of which one is open. */
export const beginSession = async (page: Page, { token }: Person): Promise<void> => {
  await page.evaluate(
    `fetch('/api/session', { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ access_token: ${JSON.stringify(token)} }) }).then(() => localStorage.setItem('site-session', 'on'))`,
  );
};

/** Whether a page has to be scrolled sideways. */
export const isTooWide = async (page: Page): Promise<boolean> =>
  await page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth');

/** A browser for the tests of a file, on the server that all files of the console share. */
export interface BrowserContext extends TestContext {
  readonly browser: Browser;
  /**
   * A signed-in page; it fails the test when the page reports an error or leaves the origin.
   * @param timezoneId that of the reader, such as `Asia/Kathmandu`; else that of this machine.
   */
  readonly open: (role: LocalRole, path?: string, timezoneId?: string) => Promise<Page>;
}

/** A test fails when something does not happen, not when a busy machine does it late. */
const TIMEOUT_MS = 90_000;

/** An expectation about a value that changes soon. */
export const eventually = (read: () => unknown) => expect.poll(read, { timeout: TIMEOUT_MS });

/** Errors that the browser reports for responses that a test asks for. */
const EXPECTED = /Failed to load resource|net::ERR_INTERNET_DISCONNECTED/;

let shared: Promise<Browser> | undefined;

/**
 * The browser that the test files of this process share. Every page has its own profile. The browser ends when the process
 * does, because its control pipe closes.
 */
const sharedBrowser = (): Promise<Browser> => {
  shared ??= launch();
  return shared;
};

/**
 * Gives the tests of this file a browser and a directory.
 * @param prepare stores the context.
 * @param env settings of a server of this file's own, which needs a process of its own too (`*.full.test.ts`).
 */
const withBrowser = (
  prepare: (context: BrowserContext) => Promise<void> | void,
  env?: Readonly<Record<string, string>>,
): void => {
  let browser: Browser | undefined;
  const pages: Page[] = [];
  const problems: string[] = [];

  beforeAll(async () => {
    await freshConsole();
    browser = await (env ? launch() : sharedBrowser());
  });

  const prepareBrowser = async (context: TestContext) => {
    const url = `http://localhost:${context.server.server.port}`;
    const started = browser;
    if (!started) throw new Error('The browser has not started.');
    const open: BrowserContext['open'] = async (role, path = '', timezoneId) => {
      const page = await started.newPage({ locale: 'en-US', ...(timezoneId !== undefined && { timezoneId }) });
      pages.push(page);
      page.setDefaultTimeout(TIMEOUT_MS);
      page.on('pageerror', (error) => problems.push(error.message));
      page.on('console', (message) => {
        if (message.type() === 'error' && !EXPECTED.test(message.text())) problems.push(message.text());
      });
      page.on('request', (request) => {
        const { origin, protocol } = new URL(request.url());
        if (origin !== url && protocol !== 'data:') problems.push(`request to ${origin}`);
      });
      await signIn(page, url, role, path);
      return page;
    };
    await prepare({ ...context, browser: started, open });
  };
  if (env) withOwnServer(prepareBrowser, { env });
  else withDirectory(prepareBrowser);

  const close = async (page: Page) => {
    if (page.isClosed()) return;
    // A poll may be on its way through the handler of a route, which would fail without the page.
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await page.close();
  };
  afterEach(() => Promise.all(pages.splice(0).map(close)));

  afterAll(async () => {
    if (env) await browser?.close();
    expect(problems).toEqual([]);
  });
};

/**
 * Declares tests in a browser; without Chromium they are skipped.
 * @param tests is given the context, which is complete when the first test and its own `beforeAll` run.
 * @param env see `withBrowser`.
 */
export const describeInBrowser = (
  title: string,
  tests: (context: BrowserContext) => void,
  env?: Readonly<Record<string, string>>,
): void => {
  describe.skipIf(chromiumPath === undefined)(title, () => {
    const context = {} as BrowserContext;
    withBrowser((given) => void Object.assign(context, given), env);
    tests(context);
  });
};
