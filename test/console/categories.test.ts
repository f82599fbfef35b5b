import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import type { Category } from '#contract/categories.ts';
import { dataOf, person, unique } from '#test/support/fixtures.ts';
import { longTest } from '#test/support/long-test.ts';
import { describeInBrowser, eventually } from './browser.ts';

describeInBrowser('the page Categories', (context) => {
  const stored = async (id: string): Promise<Category> => dataOf(await context.directory.get(`/api/categories/${id}`));
  const rowOf = (page: Page, { name }: Category) => page.getByRole('listitem').filter({ hasText: name });
  const inSphere = async (sphere: string) => {
    const all = dataOf<Category[]>(await context.directory.get('/api/categories'));
    return all.filter((one) => one.sphere === sphere).map(({ id }) => id);
  };

  longTest(
    'the page Categories changes the order by buttons and by dragging, also into another sphere, and undoes it',
    async () => {
      const [one, other] = [unique('Sphere'), unique('Sphere')];
      const first = await context.directory.addCategory({ sphere: one });
      const second = await context.directory.addCategory({ sphere: one });
      const third = await context.directory.addCategory({ sphere: other });
      const page = await context.open('administrator', '/categories');
      await rowOf(page, second).getByRole('button', { name: 'Move up' }).click();
      await eventually(() => inSphere(one)).toEqual([second.id, first.id]);
      await page.keyboard.press('z');
      await eventually(() => inSphere(one)).toEqual([first.id, second.id]);

      // Taken back by key before the response of the change has arrived.
      const { promise: released, resolve: release } = Promise.withResolvers<void>();
      await page.route(
        '**/api/admin/categories/reorder',
        async (route) => {
          const response = await route.fetch();
          await released;
          await route.fulfill({ response });
        },
        { times: 1 },
      );
      await rowOf(page, second).getByRole('button', { name: 'Move up' }).click();
      await eventually(() => inSphere(one)).toEqual([second.id, first.id]);
      await page.keyboard.press('z');
      release();
      await eventually(() => inSphere(one)).toEqual([first.id, second.id]);

      await rowOf(page, third).dragTo(rowOf(page, first), { targetPosition: { x: 200, y: 4 } });
      await eventually(() => inSphere(one)).toEqual([third.id, first.id, second.id]);
    },
  );

  longTest(
    'the page Categories creates and edits a category, and merges a change by someone else per field',
    async () => {
      const name = unique('Tools');
      const page = await context.open('administrator', '/categories');
      await page.getByRole('button', { name: 'Add category' }).click();
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByText('must not be empty').waitFor();
      await page.getByLabel('Name').fill(name);
      await page.getByLabel('Color').fill('#2f55c8');
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByRole('link', { name }).click();
      await eventually(async () => await page.getByLabel('Color').inputValue()).toBe('#2f55c8');
      await page.reload();
      await page.getByRole('dialog', { name: `Edit ${name}` }).waitFor();
      await page.getByLabel('Description').fill('Mine');
      const id = new URL(page.url()).searchParams.get('open') ?? '';
      await context.directory.adminOk('PUT', `/api/admin/categories/${id}`, { description: 'Other', icon: '🔧' });
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByRole('group', { name: 'Description' }).getByRole('button', { name: 'Mine' }).waitFor();
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page
        .getByRole('status')
        .filter({ hasText: `Saved ${name}.` })
        .waitFor();
      expect(await stored(id)).toMatchObject({ description: 'Mine', icon: '🔧', color: '#2f55c8' });
    },
  );

  longTest(
    'the page Categories shows how many listings a merge and a removal affect, and takes them back',
    async () => {
      const [kept, merged] = [await context.directory.addCategory(), await context.directory.addCategory()];
      const owner = await person(context.server);
      const listing = await context.directory.live(owner, { categories: [merged.slug] });
      const categoriesOfListing = async () => (await context.directory.read(listing.id)).categories;
      const page = await context.open('administrator', '/categories');
      await rowOf(page, merged).getByRole('button', { name: 'Merge' }).click();
      const merge = page.getByRole('dialog').getByRole('button', { name: 'Merge' });
      // No category is chosen before its user does.
      await eventually(async () => await merge.isDisabled()).toBe(true);
      await page.getByLabel('Into', { exact: true }).selectOption({ label: kept.name });
      await page.getByText(`1 listing carries ${kept.name} instead.`).waitFor();
      await merge.click();
      await rowOf(page, merged).waitFor({ state: 'detached' });
      expect(await categoriesOfListing()).toEqual([kept.slug]);

      // The batch of the merge ends after the response, and one that runs cannot be reverted.
      const sent: string[] = [];
      page.on('request', (request) => {
        if (/\/api\/admin\/batches\//.test(request.url())) sent.push(request.method());
      });
      await page.route(
        '**/api/admin/batches/*',
        async (route) => {
          const response = await route.fetch();
          const { data } = (await response.json()) as { data: object };
          await route.fulfill({ json: { data: { ...data, state: 'running' } } });
        },
        { times: 1 },
      );
      await page.getByRole('button', { name: 'Undo' }).click();
      await rowOf(page, merged).waitFor();
      expect(sent.slice(0, 2)).toEqual(['GET', 'GET']);
      expect(sent.filter((method) => method === 'POST')).toHaveLength(1);
      await eventually(categoriesOfListing).toEqual([merged.slug]);

      await rowOf(page, merged).getByRole('button', { name: 'Delete' }).click();
      await page.getByText('1 listing loses this category.').waitFor();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      await rowOf(page, merged).waitFor({ state: 'detached' });
      expect(await categoriesOfListing()).toEqual([]);
    },
  );
});
