import { it } from 'vitest';
import { unique } from '#test/support/fixtures.ts';
import { describeInBrowser } from './browser.ts';

const ROWS = 5000;
const COUNT = new Intl.NumberFormat('en-US').format(ROWS);
const TIMEOUT = { timeout: 600_000 };

describeInBrowser('a large import', (context) => {
  it(`a large import of ${COUNT} rows is followed to its end while another page is open, and reverted`, async () => {
    const name = unique('brewery');
    const page = await context.open('administrator', '/imports');
    const rows = Array.from({ length: ROWS }, (_, at) => `${name} ${at},https://${name}-${at}.example.com/,Beer\n`);
    await page.getByLabel('File', { exact: true }).setInputFiles({
      name: `${name}.csv`,
      mimeType: 'text/csv',
      buffer: Buffer.from(`name,url,description\n${rows.join('')}`),
    });
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByText(`of ${COUNT} rows`).waitFor(TIMEOUT);
    await page.getByRole('navigation').getByRole('link', { name: 'Categories' }).click();
    await page.getByRole('heading', { level: 1, name: 'Categories' }).waitFor();
    await page.goBack();
    await page.getByRole('heading', { name: 'Result', exact: true }).waitFor(TIMEOUT);
    await page.getByText(COUNT, { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Revert' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revert' }).click();
    await page.getByText('Reverted', { exact: true }).waitFor(TIMEOUT);
    await page.getByRole('link', { name: 'All items' }).click();
    await page.getByText('Reverted by a later batch').waitFor();
  });
});
