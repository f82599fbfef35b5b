import { describe, expect, it } from 'vitest';
import { type BrowserContext, chromiumPath, eventually, withBrowser } from './browser.ts';
import { failureOf, isLoaded, retry, visitor } from './page-states.ts';

describe.skipIf(chromiumPath === undefined)('every page in every state', () => {
  let context: BrowserContext;

  withBrowser((given) => {
    context = given;
  });

  it('loads, survives reload and Back, and handles 401, 403, 429, 500, a lost connection and offline', async () => {
    const visit = await visitor(context, 'administrator');
    const { page, pages, answerWith, readsOf } = visit;
    const banner = (text: string) => page.getByRole('status').filter({ hasText: text });
    for (const { title, url } of pages) {
      await page.goto(url);
      await isLoaded(visit, title);
      await page.reload();
      await isLoaded(visit, title);
      const other = title === 'Queue' ? 'Listings' : 'Queue';
      await page.getByRole('navigation').getByRole('link', { name: other }).click();
      await isLoaded(visit, other);
      await page.goBack();
      await isLoaded(visit, title);

      answerWith(401);
      await page.reload();
      await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor();
      expect(page.url(), title).toBe(url);
      answerWith(undefined);
      await page.getByRole('button', { name: 'Sign in as administrator' }).click();
      await isLoaded(visit, title);

      answerWith(403);
      await page.reload();
      expect(await failureOf(visit, title), title).toContain('does not have the right');
      answerWith(undefined);

      answerWith(429);
      await page.reload();
      await banner('Too many requests').waitFor();
      answerWith(undefined);
      await isLoaded(visit, title);

      answerWith(500);
      await page.reload();
      expect(await failureOf(visit, title), title).toContain('Answer 500');
      answerWith(undefined);
      await retry(visit);
      await isLoaded(visit, title);

      answerWith('lost');
      await page.reload();
      await banner('Offline').waitFor();
      await failureOf(visit, title);
      answerWith(undefined);
      await retry(visit);
      await isLoaded(visit, title);

      await page.context().setOffline(true);
      await banner('Offline').waitFor();
      const reads = readsOf();
      await page.context().setOffline(false);
      await isLoaded(visit, title);
      await eventually(readsOf).toBeGreaterThan(reads);
    }
    expect(visit.failures).toEqual([]);
    await page.close();
  });
});
