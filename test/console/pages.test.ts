import { expect, it } from 'vitest';
import { longTest } from '#test/support/long-test.ts';
import { sampleOf } from '#test/support/sample.ts';
import { violationsOf } from './axe.ts';
import { describeInBrowser, eventually } from './browser.ts';
import { failureOf, isLoaded, retry, visitor } from './page-states.ts';

/** The other states, and reloads, are in `pages.full.test.ts`. */
describeInBrowser('every page', (context) => {
  it('every page tells of a 500, loads after Retry, and shows again after Back', async () => {
    const visit = await visitor(context, 'administrator');
    const { page, pages, answerWith } = visit;
    expect(pages).toHaveLength(17);
    for (const { title, url } of sampleOf(pages, 0)) {
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
  });

  longTest('every page keeps what it shows when a refresh fails, says so, and reads again after Retry', async () => {
    const visit = await visitor(context, 'administrator');
    const { page, answerWith } = visit;
    const notice = page.locator('main').getByRole('status').filter({ hasText: 'could not be refreshed' });
    await page.getByRole('navigation').getByRole('link', { name: 'Categories' }).click();
    await isLoaded(visit, 'Categories');
    answerWith(500);
    // A window that is shown again refreshes what is no longer current.
    const show = async () => await page.evaluate("window.dispatchEvent(new Event('visibilitychange'))");
    await eventually(async () => {
      await show();
      return await notice.allInnerTexts();
    }).toEqual([expect.stringContaining('Answer 500')]);
    await eventually(async () => await page.locator('.category').count()).toBeGreaterThan(0);
    expect(await violationsOf(page)).toEqual([]);
    answerWith(undefined);
    await retry(visit);
    await isLoaded(visit, 'Categories');
  });

  longTest('every page says that the categories of its filters are missing, and offers them after Retry', async () => {
    const visit = await visitor(context, 'administrator');
    const { page } = visit;
    await page.route('**/api/categories*', (route) =>
      route.fulfill({ status: 500, json: { error: 'Internal error', code: 'INTERNAL' } }),
    );
    // Home reads the categories for its checklist while no listing is live; a reload forgets them.
    await page.goto(visit.pages.find(({ title }) => title === 'Listings')?.url ?? '');
    await page.getByText('The categories could not be loaded. Internal error').waitFor();
    const filter = page.locator('main').getByLabel('Category', { exact: true });
    await eventually(async () => await filter.locator('option').count()).toBe(1);
    await page.unroute('**/api/categories*');
    await retry(visit);
    await isLoaded(visit, 'Listings');
    await eventually(async () => await filter.locator('option').count()).toBeGreaterThan(1);
  });

  longTest('without a network the notice stays when an earlier response arrives late', async () => {
    const visit = await visitor(context, 'administrator');
    const { page } = visit;
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await page.route('**/api/admin/jobs', async (route) => {
      const response = await route.fetch();
      await released;
      await route.fulfill({ response });
    });
    const asked = page.waitForRequest('**/api/admin/jobs');
    await page.getByRole('navigation').getByRole('link', { name: 'Jobs' }).click();
    await asked;
    const notice = page.getByRole('status').filter({ hasText: 'Offline' });
    await page.context().setOffline(true);
    await notice.waitFor();
    release();
    await page.getByRole('row').nth(1).waitFor();
    expect(await notice.count()).toBe(1);
    await page.context().setOffline(false);
    await isLoaded(visit, 'Jobs');
  });

  longTest('a part of a page whose script the connection lost appears when it is back', async () => {
    const visit = await visitor(context, 'administrator');
    const { page } = visit;
    await page.route(
      '**/console/country-map-*.js',
      async (route) => {
        await page.context().setOffline(true);
        await route.abort('internetdisconnected');
      },
      { times: 1 },
    );
    await page.getByRole('navigation').getByRole('link', { name: 'Analytics' }).click();
    await page.getByRole('status').filter({ hasText: 'Offline' }).waitFor();
    await page.getByRole('heading', { name: 'Countries' }).waitFor();
    await page.context().setOffline(false);
    await page.locator('svg.country-map').waitFor();
    await isLoaded(visit, 'Analytics');
  });

  longTest('a part of a page whose script could not be reached is tried again', async () => {
    const visit = await visitor(context, 'administrator');
    const { page } = visit;
    await page.route('**/console/country-map-*.js', (route) => route.abort('connectionfailed'), { times: 2 });
    await page.getByRole('navigation').getByRole('link', { name: 'Analytics' }).click();
    await page.locator('svg.country-map').waitFor();
    await isLoaded(visit, 'Analytics');
  });

  longTest('every page of a moderator loads without a rejected request', async () => {
    const visit = await visitor(context, 'moderator');
    expect(visit.pages.map(({ title }) => title)).toEqual(['Home', 'Queue', 'Listings', 'Comments', 'Reports']);
    for (const { title, url } of visit.pages) {
      await visit.page.locator(`nav a[href="${new URL(url).pathname}"]`).click();
      await isLoaded(visit, title);
    }
    expect(visit.failures).toEqual([]);
  });
});
