import { describe, expect, it } from 'vitest';
import { dataOf, person, unique } from '#test/support/fixtures.ts';
import { longTest } from '#test/support/long-test.ts';
import { violationsOf } from './axe.ts';
import { type BrowserContext, chromiumPath, eventually, withBrowser } from './browser.ts';

describe.skipIf(chromiumPath === undefined)('the page Batches', () => {
  let context: BrowserContext;

  withBrowser((given) => {
    context = given;
  });

  const deleteTwo = async () => {
    const owner = await person(context.server);
    const one = await context.directory.live(owner, { name: unique('Batched') });
    const other = await context.directory.live(owner, { name: unique('Batched') });
    const ids = [one.id, other.id];
    const response = await context.directory.adminOk('POST', '/api/admin/projects/bulk', { ids, action: 'delete' });
    return { ids, batch: dataOf<{ batch_id: string }>(response).batch_id };
  };
  const isDeleted = async (id: string) =>
    (await context.directory.read(id, context.directory.admin)).deleted_at !== null;

  it('shows a batch with its items, keeps it open after a reload, and reverts it', async () => {
    const { ids, batch } = await deleteTwo();
    const [first = ''] = ids;
    const page = await context.open('administrator', '/batches');
    await page.locator(`a[href*="${batch}"]`).click();
    const items = page.getByRole('region', { name: 'Items' });
    await items.getByRole('row').nth(2).waitFor();
    await page.reload();
    await items.getByRole('row').nth(2).waitFor();
    await page.getByLabel('Result').selectOption('Failed');
    await page.getByText('No items with this result.').waitFor();

    expect(await isDeleted(first)).toBe(true);
    await page.getByRole('button', { name: 'Revert' }).click();
    await page.getByRole('dialog', { name: 'Revert 2 listings?' }).getByRole('button', { name: 'Revert' }).click();
    await page.getByRole('status').filter({ hasText: 'Reverted 2, kept 0.' }).waitFor();
    await page.getByText('Reverted by a later batch').click();
    await page.getByRole('link', { name: 'Reverts another batch' }).waitFor();
    expect(await isDeleted(first)).toBe(false);
    await eventually(async () => await page.getByRole('button', { name: 'Revert' }).count()).toBe(0);
    await page.close();
  });

  longTest('has no violation that axe finds', async () => {
    const { batch } = await deleteTwo();
    const page = await context.open('administrator', '/batches');
    const link = page.locator(`a[href*="${batch}"]`);
    await link.waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await link.click();
    await page.getByRole('region', { name: 'Items' }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.close();
  });
});
