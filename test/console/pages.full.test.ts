import { expect, it } from 'vitest';
import { dataOf, person, unique } from '#test/support/fixtures.ts';
import { violationsOf } from './axe.ts';
import { describeInBrowser, eventually } from './browser.ts';
import { failureOf, isLoaded, retry, visitor } from './page-states.ts';

describeInBrowser('every page in every state', (context) => {
  it('every page in every state loads, survives reload and Back, and handles 401, 403, 429, 500, a lost connection and offline', async () => {
    const visit = await visitor(context, 'administrator');
    const { page, pages, answerWith, readsOf } = visit;
    const banner = (text: string) => page.getByRole('status').filter({ hasText: text });
    for (const { title, url } of pages) {
      await page.goto(url);
      await isLoaded(visit, title);
      expect(await violationsOf(page), title).toEqual([]);
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
  });

  it('no open item, tab or form has a violation that axe finds', async () => {
    const { directory, server } = context;
    const owner = await person(server, { name: unique('Owner') });
    const [listing, deleted] = [
      await directory.live(owner, { name: '京都の小さな喫茶店' }),
      await directory.live(owner),
    ];
    const category = await directory.addCategory({ color: '#14703f', sphere: unique('Sphere') });
    const body = { ids: [deleted.id], action: 'delete' };
    const batch = dataOf<{ batch_id: string }>(await directory.adminOk('POST', '/api/admin/projects/bulk', body));
    const listingTabs = ['details', 'history', 'comments', 'promotions', 'statistics'];
    const settingsTabs = ['theme', 'map', 'features', 'limits', 'keys', 'administrators'];
    const page = await context.open('administrator', '/rules');
    await page.getByRole('button', { name: 'Add rule' }).click();
    await page.getByRole('heading', { name: 'New rule' }).waitFor();
    expect(await violationsOf(page), 'the form of a new rule').toEqual([]);
    for (const path of [
      ...listingTabs.map((tab) => `listings?open=${listing.id}&tab=${tab}`),
      ...settingsTabs.map((tab) => `settings?tab=${tab}`),
      `users?open=${owner.id}`,
      `batches?open=${batch.batch_id}`,
      `categories?open=${category.id}`,
    ]) {
      await page.goto(new URL(`/console/${path}`, page.url()).href);
      await page.locator('main, [role=dialog]').getByRole('heading').first().waitFor();
      await eventually(async () => await page.locator('.skeleton').count()).toBe(0);
      expect(await violationsOf(page), path).toEqual([]);
    }
    await page.setViewportSize({ width: 390, height: 800 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
  });
});
