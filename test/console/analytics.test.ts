import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { violationsOf } from './axe.ts';
import { type BrowserContext, chromiumPath, eventually, withBrowser } from './browser.ts';

describe.skipIf(chromiumPath === undefined)('the page Analytics', () => {
  let context: BrowserContext;

  withBrowser((given) => {
    context = given;
  });

  it('shows a range chosen by brushing, keeps it over a reload, and exports it', async () => {
    const page = await context.open('administrator', '/analytics');
    const plot = page.locator('.line-chart .u-over');
    const { x, y, width, height } = (await plot.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
    await page.mouse.move(x + width * 0.5, y + height / 2);
    await page.mouse.down();
    await page.mouse.move(x + width * 0.9, y + height / 2, { steps: 4 });
    await page.mouse.up();
    await page.waitForURL(/from=\d{4}-\d\d-\d\d/);
    const { search } = new URL(page.url());
    await page.reload();
    await page.getByRole('heading', { name: 'Countries' }).waitFor();
    const range = new URLSearchParams(search);
    await eventually(async () => await page.getByLabel('From', { exact: true }).inputValue()).toBe(range.get('from'));
    await eventually(async () => await page.getByLabel('To', { exact: true }).inputValue()).toBe(range.get('to'));
    await page.getByRole('img', { name: 'Map of views' }).waitFor();
    expect(await violationsOf(page)).toEqual([]);

    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export' }).click();
    const csv = await readFile(await (await download).path(), 'utf8');
    expect(csv).toContain('section,name,metric,value\r\n');
    expect(csv).toContain(`traffic,${range.get('from')},pageviews,`);
    await page.goBack();
    await page.close();
  });
});
