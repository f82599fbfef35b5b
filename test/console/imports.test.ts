import { describe, expect, it } from 'vitest';
import { unique } from '#test/support/fixtures.ts';
import { violationsOf } from './axe.ts';
import { type BrowserContext, chromiumPath, withBrowser } from './browser.ts';

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
        `Title,url,description,categories\n${name},https://${name}.example.com/,Text,${context.directory.category}\n,x,,\n`,
      ),
    });
    await page.getByRole('button', { name: 'Dry run' }).waitFor();
    await page.getByLabel('Title').selectOption('Name');
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'Dry run' }).click();
    await page.getByRole('heading', { name: 'Result of the dry run' }).waitFor();
    await page.getByLabel('Title').selectOption('Name');
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByRole('heading', { name: 'Result', exact: true }).waitFor();
    await page.reload();
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download 1 failed rows' }).click();
    await download;
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'Revert' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revert' }).click();
    await page.getByRole('status').filter({ hasText: 'Reverted 1 listings, kept 0.' }).waitFor();
    await page.close();
  });
});
