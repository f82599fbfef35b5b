import { describe, expect, it } from 'vitest';
import { person } from '#test/support/fixtures.ts';
import { longTest } from '#test/support/long-test.ts';
import { sampleOf } from '#test/support/sample.ts';
import { violationsOf } from './axe.ts';
import { type BrowserContext, chromiumPath, eventually, withBrowser } from './browser.ts';

describe.skipIf(chromiumPath === undefined)('the listings', () => {
  let context: BrowserContext;

  withBrowser((given) => {
    context = given;
  });

  const live = async (name: string): Promise<string> =>
    (await context.directory.project('live', await person(context.server), { name })).id;

  it('are searched and filtered in the address, which Back and reload restore', async () => {
    await live('Findable lighthouse');
    const page = await context.open('moderator', '/listings');
    const link = page.getByRole('link', { name: 'Findable lighthouse' });
    await page.getByLabel('Search', { exact: true }).fill('lighthouse');
    await page.waitForURL(/q=lighthouse/);
    await page.getByLabel('Status', { exact: true }).selectOption('live');
    await page.waitForURL(/status=live/);
    await link.click();
    await page.getByRole('heading', { level: 2, name: 'Findable lighthouse' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { level: 2, name: 'Findable lighthouse' }).waitFor();
    await page.goBack();
    await link.waitFor();
    await eventually(async () => await page.getByLabel('Search', { exact: true }).inputValue()).toBe('lighthouse');
    await eventually(async () => await page.getByRole('button', { name: 'Export' }).count()).toBe(0);
    await page.close();
  });

  longTest(
    'are absent from an empty directory, which says where they come from, and from filters that match none',
    async () => {
      const page = await context.open('administrator', '/comments');
      const meta = { total: 0, page: 1, pageSize: 50, hasMore: false, nextCursor: null };
      await page.route('**/api/admin/projects?*', (route) => route.fulfill({ json: { data: [], meta } }));
      await page.getByRole('navigation').getByRole('link', { name: 'Listings' }).click();
      await page.getByText('No listings yet').waitFor();
      await page.getByLabel('Search', { exact: true }).fill('lighthouse');
      await page.getByText('No listing matches these filters.').waitFor();
      await page.getByLabel('Search', { exact: true }).fill('');
      await page.getByRole('link', { name: 'Import listings from a CSV file' }).click();
      await page.getByRole('heading', { level: 1, name: 'Imports' }).waitFor();
      await page.close();
    },
  );

  it('are edited with the messages of the contract, merged after a concurrent change, and restored', async () => {
    const { directory } = context;
    const id = await live('Original');
    const page = await context.open('administrator', `/listings?open=${id}`);
    const field = (name: string) => page.getByLabel(name, { exact: true });
    await field('URL').fill('no address');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('must be an http or https address').waitFor();
    await field('URL').fill('https://mine.example');
    await field('Name').fill('My name');
    // The form keeps the version that it was opened with.
    await directory.ok(directory.admin, 'PUT', `/api/admin/projects/${id}`, { name: 'Their name', tags: ['theirs'] });
    await page.getByRole('button', { name: 'Save' }).click();
    const dialog = page.getByRole('dialog', { name: 'Changed by someone else' });
    await dialog.getByRole('button', { name: 'Theirs' }).click();
    expect(await violationsOf(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await eventually(async () => await directory.read(id, directory.admin)).toMatchObject({
      name: 'Their name',
      url: 'https://mine.example',
      tags: ['theirs'],
    });

    await page.getByRole('link', { name: 'History' }).click();
    await page.getByRole('button', { name: 'Restore' }).first().click();
    await eventually(async () => (await directory.read(id, directory.admin)).url).not.toBe('https://mine.example');
    await page.close();
  });

  it('are deleted with an undo, and changed in bulk after a dry run', async () => {
    const { directory } = context;
    const ids = [await live('Zebra one'), await live('Zebra two')];
    const page = await context.open('administrator', '/listings?q=zebra');
    for (const name of ['Zebra one', 'Zebra two']) await page.getByLabel(`Select ${name}`).check();
    await page.getByRole('button', { name: 'Delete 2' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Dry run' }).click();
    await dialog.getByText('Updated 2').waitFor();
    const deleted = async () =>
      (await Promise.all(ids.map((id) => directory.read(id, directory.admin)))).map((one) => one.deleted_at !== null);
    expect(await deleted()).toEqual([false, false]);
    await dialog.getByRole('button', { name: 'Delete 2' }).click();
    await eventually(deleted).toEqual([true, true]);
    await page.getByRole('button', { name: 'Undo' }).click();
    await eventually(deleted).toEqual([false, false]);
    await page.close();
  });

  longTest('have no violation that axe finds', async () => {
    const id = await live('京都の小さな喫茶店');
    const page = await context.open('administrator', '/listings');
    await page.getByRole('link', { name: '京都の小さな喫茶店' }).first().waitFor();
    expect(await violationsOf(page)).toEqual([]);
    for (const tab of sampleOf(['', '&tab=history', '&tab=comments', '&tab=promotions', '&tab=statistics'], 0)) {
      await page.goto(`${new URL(page.url()).origin}/console/listings?open=${id}${tab}`);
      await page.getByRole('heading', { level: 2, name: '京都の小さな喫茶店' }).waitFor();
      await page.getByRole('status', { name: 'Loading' }).waitFor({ state: 'detached' });
      expect([tab, await violationsOf(page)]).toEqual([tab, []]);
    }
    await page.setViewportSize({ width: 390, height: 800 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
    await page.close();
  });
});
