import { beforeAll, expect, it } from 'vitest';
import { features } from '#contract/route.ts';
import { type Person, person } from '#test/support/fixtures.ts';
import { describeInBrowser, eventually } from './browser.ts';
import { isLoaded, visitor } from './page-states.ts';

/** The pages of features that are off, by their path. */
const without = {
  '/comments': 'Comments',
  '/promotions': 'Promotions',
  '/analytics': 'Analytics',
  '/webhooks': 'Webhooks',
};

describeInBrowser(
  'the console while every feature is off',
  (context) => {
    let owner: Person;
    let listing: string;

    beforeAll(async () => {
      owner = await person(context.server);
      listing = (await context.directory.project('live', owner)).id;
    });

    it('the console without features leads only to what works, and says at the address of another page that its feature is off', async () => {
      const visit = await visitor(context, 'administrator');
      const { page, pages } = visit;
      const open = async (path: string) => await page.goto(new URL(path, page.url()).href);
      expect(pages).toHaveLength(17 - Object.keys(without).length);
      for (const { title, url } of pages) {
        await page.goto(url);
        await isLoaded(visit, title);
      }

      await open('/console');
      await page.getByText('Open reports').waitFor();
      for (const label of ['Promotions to approve', 'Failing webhooks', 'Page views, last 30 days']) {
        await eventually(async () => await page.getByText(label).count()).toBe(0);
      }

      for (const [path, title] of Object.entries(without)) {
        await open(`/console${path}`);
        await isLoaded(visit, title);
        await page.getByText('Not switched on').waitFor();
      }

      const tabs = page.locator('main .tabs').getByRole('link');
      await open('/console/settings?tab=map');
      await isLoaded(visit, 'Settings');
      await eventually(async () => await tabs.allInnerTexts()).toEqual([
        'Layout',
        'Theme',
        'Features',
        'Limits',
        'API keys',
        'Administrators',
      ]);

      await open(`/console/listings?open=${listing}&tab=comments`);
      await isLoaded(visit, 'Listings');
      await eventually(async () => await tabs.allInnerTexts()).toEqual(['Details', 'History']);
      await page.getByText('Upvotes 0', { exact: true }).waitFor();

      await open(`/console/users?open=${owner.id}`);
      await isLoaded(visit, 'Users');
      await eventually(async () => await page.getByLabel('Role').locator('option').allInnerTexts()).toEqual([
        'User',
        'Administrator',
      ]);
      await eventually(async () => await page.getByRole('heading', { name: 'Comments' }).count()).toBe(0);

      expect(visit.failures).toEqual([]);
    });

    it('the console without features has nothing for moderators', async () => {
      const page = await context.open('moderator');
      await page.getByRole('heading', { name: 'This account cannot use the console' }).waitFor();
      await page.getByText('Only administrators can use the console.').waitFor();
    });
  },
  Object.fromEntries(features.map((feature) => [`FEATURE_${feature.toUpperCase()}`, 'off'])),
);
