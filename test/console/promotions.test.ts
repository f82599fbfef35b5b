import { describe, expect, it } from 'vitest';
import { violationsOf } from './axe.ts';
import { type BrowserContext, chromiumPath, withBrowser } from './browser.ts';

describe.skipIf(chromiumPath === undefined)('the page Promotions', () => {
  let context: BrowserContext;

  withBrowser((given) => {
    context = given;
  });

  it('grants a promotion, shows it in the calendar, ends and revokes it', async () => {
    const { id, slug } = await context.directory.live(context.directory.admin);
    const { name } = await context.directory.read(id);
    const page = await context.open('administrator', '/promotions');
    await page.getByRole('button', { name: 'Grant' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Listing').fill(slug);
    await dialog.getByRole('button', { name: 'Grant' }).click();
    await dialog.getByText('must name at least one placement').waitFor();
    await dialog.getByLabel('Catalog').check();
    expect(await violationsOf(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Grant' }).click();
    await page.getByRole('region', { name: 'Catalog' }).getByRole('link', { name }).waitFor();
    const row = page.getByRole('row').filter({ hasText: name });
    await row.getByText('Active').waitFor();

    await row.getByRole('button', { name: 'End', exact: true }).click();
    await row.getByText('Expired').waitFor();
    await page.keyboard.press('z');
    await row.getByText('Active').waitFor();
    await page.reload();
    await row.getByRole('button', { name: 'Revoke' }).click();
    await page.getByLabel('Reason').fill('Not our topic.');
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await row.getByText('Revoked').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.close();
  });
});
