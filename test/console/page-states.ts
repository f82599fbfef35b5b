import type { Page, Request } from 'playwright-core';
import { type BrowserContext, eventually, type LocalRole } from './browser.ts';

/** How the reads of a page are answered; `lost` drops the connection. */
type Answer = 401 | 403 | 429 | 500 | 'lost';

/** A page of the console, as the navigation links to it. */
interface LinkedPage {
  readonly title: string;
  readonly url: string;
}

/** What the frame around every page reads; answered as usual, so that a page meets the failure alone. */
const FRAME = new Set(['/api/settings', '/api/user/profile']);
const SUMMARY = '/api/admin/summary';

/** One page of a browser in which all pages of the console are visited. */
interface Visitor {
  readonly page: Page;
  readonly pages: readonly LinkedPage[];
  /** Answers what the page reads in this way; undefined as usual. */
  readonly answerWith: (answer: Answer | undefined) => void;
  /** The number of reads of the page so far. */
  readonly readsOf: () => number;
  /** Failures that no test asked for. */
  readonly failures: readonly string[];
}

/** Signs in and lists the pages. */
export const visitor = async (context: BrowserContext, role: LocalRole): Promise<Visitor> => {
  const page = await context.open(role);
  await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
  const pages = await page
    .getByRole('navigation')
    .getByRole('link')
    .evaluateAll((links) =>
      links.map((link) => {
        // A count may follow the word.
        const { href, childNodes } = link as unknown as { href: string; childNodes: Record<number, { data?: string }> };
        return { title: childNodes[1]?.data ?? '', url: href };
      }),
    );
  const failures: string[] = [];
  let answer: Answer | undefined;
  let reads = 0;
  const answered = new WeakSet<Request>();
  const isOwn = (pathname: string): boolean =>
    !FRAME.has(pathname) && (pathname !== SUMMARY || new URL(page.url()).pathname === '/console');
  await page.route('**/api/**', async (route) => {
    const { pathname } = new URL(route.request().url());
    if (!isOwn(pathname)) return await route.continue();
    reads += 1;
    if (answer === undefined) return await route.continue();
    if (answer === 'lost') return await route.abort('connectionfailed');
    answered.add(route.request());
    const headers = { 'retry-after': '1' };
    return await route.fulfill({ status: answer, headers, json: { error: `Answer ${answer}`, code: 'TEST' } });
  });
  page.on('response', (response) => {
    const [status, url] = [response.status(), response.url()];
    // The console shows the id of a listing that was deleted permanently, as tests of other files do.
    const isDeleted = status === 404 && /\/api\/projects\/prj_\w+$/.test(url);
    // The response of a read that the test answered may arrive after the next answer was chosen.
    if (!answered.has(response.request()) && status >= 400 && !isDeleted) failures.push(`${status} ${url}`);
  });
  return {
    page,
    pages,
    answerWith: (next) => {
      answer = next;
    },
    readsOf: () => reads,
    failures,
  };
};

/** Waits until a page shows what it has read, without a failure. */
export const isLoaded = async ({ page }: Visitor, title: string): Promise<void> => {
  await page.getByRole('heading', { level: 1, name: title, exact: true }).waitFor();
  await eventually(async () => ({
    title,
    loading: await page.locator('main .skeleton').count(),
    failures: await page.locator('main').getByRole('alert').allInnerTexts(),
    banner: await page.locator('main .banner').count(),
  })).toEqual({ title, loading: 0, failures: [], banner: 0 });
};

/** Waits until loading has ended and a failure is shown. @returns its message. */
export const failureOf = async ({ page }: Visitor, title: string): Promise<string> => {
  await page.getByRole('heading', { level: 1, name: title, exact: true }).waitFor();
  const alerts = page.locator('main').getByRole('alert');
  await alerts.first().waitFor();
  await eventually(async () => await page.locator('main .skeleton').count()).toBe(0);
  return (await alerts.first().textContent()) ?? '';
};

/** One press of `Retry` reads everything again that has failed. */
export const retry = async ({ page }: Visitor): Promise<void> =>
  await page.locator('main').getByRole('button', { name: 'Retry' }).first().click();
