import { readFile } from 'node:fs/promises';
import { expect } from 'vitest';
import { rollUpAll, trackAccepted } from '#test/support/analytics.ts';
import { person } from '#test/support/fixtures.ts';
import { longTest } from '#test/support/long-test.ts';
import { violationsOf } from './axe.ts';
import { describeInBrowser, eventually } from './browser.ts';

describeInBrowser('the page Analytics', (context) => {
  longTest('the page Analytics shows a range chosen by brushing, keeps it over a reload, and exports it', async () => {
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
    await eventually(async () => await page.getByLabel('From (UTC)').inputValue()).toBe(range.get('from'));
    await eventually(async () => await page.getByLabel('To (UTC)').inputValue()).toBe(range.get('to'));
    await page.getByRole('img', { name: 'Map of views' }).waitFor();
    expect(await violationsOf(page)).toEqual([]);

    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export' }).click();
    const csv = await readFile(await (await download).path(), 'utf8');
    expect(csv).toContain('section,name,metric,value\r\n');
    expect(csv).toContain(`traffic,${range.get('from')},pageviews,`);
    await page.goBack();
  });

  longTest(
    'the page Analytics lists what visitors searched for, what a search finds today, and exports it',
    async () => {
      const { server, directory } = context;
      const { id: project_id } = await directory.live(await person(server), { name: 'Windmill of searches' });
      const search = (q: string, results: number) => ({ type: 'search', path: '/', q, results });
      const events = [
        search('windmil searches', 1),
        search('windmil searches', 1),
        search('watermil searches', 0),
        search('clicked searches', 2),
        { type: 'search_click', path: '/', q: 'clicked searches', project_id, position: 3 },
        search('jane@example.org', 1),
      ];
      await trackAccepted(server, { events });
      await rollUpAll();
      const page = await context.open('administrator', '/analytics?range=7d');
      await page.getByRole('group', { name: 'Parts of the analytics' }).getByRole('link', { name: 'Searches' }).click();
      const row = (q: string) => page.getByRole('row', { name: new RegExp(`^${q}`) });
      await row('windmil searches').waitFor();
      expect(await row('windmil searches').getByRole('cell').allInnerTexts()).toEqual([
        'windmil searches',
        '2',
        '1',
        '0',
        '0',
        '–',
      ]);
      expect(await row('clicked searches').getByRole('cell').last().textContent()).toBe('3');
      await row('\\(removed\\)').waitFor();
      expect(await row('\\(removed\\)').getByRole('button').count()).toBe(0);
      // The range stays; it has no groups here.
      expect(new URL(page.url()).searchParams.get('range')).toBe('7d');
      expect(await page.getByLabel('Group by').count()).toBe(0);
      expect(await violationsOf(page)).toEqual([]);

      await page.getByRole('button', { name: 'Without results' }).click();
      await row('watermil searches').waitFor();
      await eventually(async () => await row('windmil searches').count()).toBe(0);
      const downloading = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Export' }).click();
      const csv = await readFile(await (await downloading).path(), 'utf8');
      expect(csv).toContain('q,searches,visitors,no_results,clicks,average_position\r\n');
      expect(csv).toContain('watermil searches,1,1,1,0,\r\n');
      expect(csv).not.toContain('windmil');
      await page.getByRole('button', { name: 'Without clicks' }).click();
      await row('windmil searches').waitFor();
      await eventually(async () => await row('clicked searches').count()).toBe(0);

      await row('windmil searches').getByRole('button').click();
      const dialog = page.getByRole('dialog', { name: '“windmil searches” today' });
      await dialog.getByRole('link', { name: 'Windmill of searches' }).waitFor();
      expect(await dialog.locator('mark').allInnerTexts()).toEqual(['Windmill', 'searches']);
      expect(await violationsOf(page)).toEqual([]);
      await page.reload();
      await dialog.getByRole('link', { name: 'Open in Listings' }).click();
      await page.getByRole('heading', { level: 1, name: 'Listings' }).waitFor();
      await page.getByRole('link', { name: 'Windmill of searches' }).waitFor();
    },
  );
});
