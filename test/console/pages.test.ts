import { describe, expect, it } from 'vitest';
import { type BrowserContext, chromiumPath, withBrowser } from './browser.ts';
import { failureOf, isLoaded, retry, visitor } from './page-states.ts';

/** The other states, and reloads, are in `pages.full.test.ts`. */
describe.skipIf(chromiumPath === undefined)('every page', () => {
  let context: BrowserContext;

  withBrowser((given) => {
    context = given;
  });

  it('tells of a 500, loads after Retry, and shows again after Back', async () => {
    const visit = await visitor(context, 'administrator');
    const { page, pages, answerWith } = visit;
    expect(pages).toHaveLength(17);
    for (const { title, url } of pages) {
      answerWith(500);
      await page.goto(url);
      expect(await failureOf(visit, title), title).toContain('Answer 500');
      answerWith(undefined);
      await retry(visit);
      await isLoaded(visit, title);
      await page
        .getByRole('navigation')
        .getByRole('link', { name: title === 'Queue' ? 'Listings' : 'Queue' })
        .click();
      await page.goBack();
      await isLoaded(visit, title);
    }
    expect(visit.failures).toEqual([]);
    await page.close();
  });

  it('of a moderator loads without a request that is refused', async () => {
    const visit = await visitor(context, 'moderator');
    expect(visit.pages.map(({ title }) => title)).toEqual(['Home', 'Queue', 'Listings', 'Comments', 'Reports']);
    for (const { title, url } of visit.pages) {
      await visit.page.locator(`nav a[href="${new URL(url).pathname}"]`).click();
      await isLoaded(visit, title);
    }
    expect(visit.failures).toEqual([]);
    await visit.page.close();
  });
});
