import { describe, expect, it } from 'vitest';
import { unique } from '#test/support/fixtures.ts';
import { violationsOf } from './axe.ts';
import { type BrowserContext, chromiumPath, eventually, withBrowser } from './browser.ts';

describe.skipIf(chromiumPath === undefined)('the page Imports', () => {
  let context: BrowserContext;

  withBrowser((given) => {
    context = given;
  });

  it('takes a file, maps its columns, tries, imports and reverts it', async () => {
    const name = unique('Imported');
    const page = await context.open('administrator', '/imports');
    await page.getByLabel('File', { exact: true }).setInputFiles({
      name: `${name}.csv`,
      mimeType: 'text/csv',
      buffer: Buffer.from(
        `Title,url,description,categories\n${name},https://${name}.example.com/,,${context.directory.category}\n,x,,\n`,
      ),
    });
    await page.getByRole('button', { name: 'Dry run' }).waitFor();
    await page.getByLabel('Title').selectOption('Name');
    await page.getByRole('button', { name: 'Add a default' }).click();
    await page.getByLabel('Field', { exact: true }).selectOption('Description');
    await page.getByLabel('Default of Description').fill('From the default');
    await page.getByRole('cell', { name: 'From the default' }).first().waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'Dry run' }).click();
    await page.getByRole('heading', { name: 'Result of the dry run' }).waitFor();
    // The mapping is still there.
    await eventually(async () => await page.getByLabel('Title').inputValue()).toBe('name');
    await eventually(async () => await page.getByLabel('Default of Description').inputValue()).toBe('From the default');
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByRole('heading', { name: 'Result', exact: true }).waitFor();
    await page.reload();
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download 1 failed rows' }).click();
    await download;
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'Revert' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revert' }).click();
    await page.getByRole('status').filter({ hasText: 'Reverted 1, kept 0.' }).waitFor();
    await page.getByText('Reverted', { exact: true }).waitFor();
    await eventually(async () => await page.getByRole('button', { name: 'Revert' }).count()).toBe(0);
    await page.close();
  });
});
