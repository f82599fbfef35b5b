import { expect } from 'vitest';
import type { Collection } from '#contract/collections.ts';
import { dataOf, unique } from '#test/support/fixtures.ts';
import { longTest } from '#test/support/long-test.ts';
import { violationsOf } from './axe.ts';
import { describeInBrowser, eventually } from './browser.ts';

describeInBrowser('the collections', (context) => {
  const stored = async (title: string): Promise<Collection | undefined> =>
    dataOf<Collection[]>(await context.directory.adminOk('GET', '/api/collections?limit=100')).find(
      (one) => one.title === title,
    );

  longTest(
    'a collection is created with listings that are found, ordered, previewed and removed, and deleted',
    async () => {
      const { directory } = context;
      const word = unique('Harbour').replaceAll(/\W/g, '');
      const names = ['Ale', 'Bock', 'Cider'].map((name) => `${name} ${word}`);
      const ids: string[] = [];
      for (const name of names) ids.push((await directory.live(directory.admin, { name })).id);
      const [ale = '', bock = '', cider = ''] = ids;
      const page = await context.open('administrator', '/listings?tab=collections');
      const title = `Tour ${word}`;
      await page.getByRole('button', { name: 'Add collection' }).click();
      const form = page.getByRole('dialog');
      await form.getByLabel('Title').fill(title);
      await form.getByLabel('Description').fill('Three to try.');
      await form.getByLabel('Everyone sees it').check();
      await form.getByRole('searchbox').fill(word);
      for (const name of names) await form.getByRole('button', { name: `Add ${name}` }).click();
      // Enter searches, and does not save.
      await form.getByRole('searchbox').press('Enter');
      const members = form.getByRole('list', { name: 'Listings in their order' }).getByRole('listitem');
      await members.filter({ hasText: 'Cider' }).getByRole('button', { name: 'Move up' }).click();
      expect(await violationsOf(page)).toEqual([]);
      await form.getByRole('button', { name: 'Preview' }).click();
      const preview = form.getByRole('region', { name: 'Preview' });
      await eventually(async () => await preview.getByRole('strong').allInnerTexts()).toEqual(
        [names[0], names[2], names[1]].map(String),
      );
      await form.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByRole('link', { name: title }).waitFor();
      expect(await stored(title)).toMatchObject({ is_public: true, project_ids: [ale, cider, bock], project_count: 3 });

      await directory.adminOk('DELETE', `/api/projects/${cider}`);
      await page.reload();
      const row = page.getByRole('listitem').filter({ hasText: title });
      await row.getByText('2 live listings').waitFor();
      await row.getByRole('button', { name: 'Edit' }).click();
      await members.filter({ hasText: 'Cider' }).getByText('Deleted').waitFor();
      await form.getByRole('button', { name: `Remove ${names[2]}` }).click();
      await members
        .filter({ hasText: 'Bock' })
        .dragTo(members.filter({ hasText: 'Ale' }), { targetPosition: { x: 60, y: 2 } });
      await form.getByRole('button', { name: 'Save', exact: true }).click();
      await eventually(async () => (await stored(title))?.project_ids).toEqual([bock, ale]);

      await row.getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      await eventually(async () => await stored(title)).toBe(undefined);
    },
  );

  longTest('the order of the collections is changed, and undone', async () => {
    const { directory } = context;
    const word = unique('Order').replaceAll(/\W/g, '');
    const titles = ['One', 'Two'].map((title) => `${title} ${word}`);
    for (const title of titles) await directory.adminOk('POST', '/api/admin/collections', { title }, 201);
    const order = async (): Promise<string[]> =>
      dataOf<Collection[]>(await directory.adminOk('GET', '/api/collections?limit=100'))
        .map(({ title }) => title)
        .filter((title) => titles.includes(title));
    expect(await order()).toEqual(titles);
    const page = await context.open('administrator', `/listings?tab=collections&q=${word}`);
    const row = page.getByRole('listitem').filter({ hasText: titles[1] ?? '' });
    await row.getByRole('button', { name: 'Move up' }).click();
    await eventually(order).toEqual(titles.toReversed());
    await page.getByRole('button', { name: 'Undo' }).click();
    await eventually(order).toEqual(titles);
    expect(await violationsOf(page)).toEqual([]);
  });

  longTest('moderators have no collections', async () => {
    const page = await context.open('moderator', '/listings?tab=collections');
    await page.getByRole('heading', { level: 1, name: 'Listings' }).waitFor();
    await page.getByRole('table').waitFor();
    expect(await page.getByRole('link', { name: 'Collections' }).count()).toBe(0);
  });
});
