import { expect } from 'vitest';
import { person, unique } from '#test/support/fixtures.ts';
import { longTest } from '#test/support/long-test.ts';
import { violationsOf } from './axe.ts';
import { describeInBrowser, eventually, isTooWide } from './browser.ts';

const DAY_MS = 86_400_000;

describeInBrowser('the page Promotions', (context) => {
  longTest('the page Promotions grants a promotion, shows it in the calendar, ends and revokes it', async () => {
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
  });

  longTest('the calendar of publications has each scheduled listing at its time, and Home counts them', async () => {
    const { directory, server } = context;
    const owner = await person(server);
    const scheduled = async (name: string, days: number) => {
      const publish_at = new Date(Date.now() + days * DAY_MS).toISOString();
      const { id } = await directory.submit(owner, { name: unique(name), publish_at });
      await directory.adminOk('PUT', `/api/admin/projects/${id}/approve`);
      return await directory.read(id, directory.admin);
    };
    const [soon, beyond] = [await scheduled('In two weeks', 14), await scheduled('In ten weeks', 70)];
    const { body } = await directory.adminOk('GET', '/api/admin/summary');
    const count = (body as { data: { scheduled: number } }).data.scheduled;

    const page = await context.open('administrator');
    await page.getByRole('link', { name: `${count} Scheduled listings` }).click();
    await eventually(() => new URL(page.url()).searchParams.get('kind')).toBe('scheduled');

    await page.getByRole('navigation').getByRole('link', { name: 'Promotions' }).click();
    const publications = page.getByRole('region', { name: 'Publications' });
    const bar = publications.getByRole('link', { name: soon.name });
    await bar.waitFor();
    expect(await publications.getByRole('link', { name: beyond.name }).count()).toBe(0);
    // The calendar begins a week before the day of today, and has eight weeks.
    const [lane, box] = [await publications.locator('.lane').first().boundingBox(), await bar.boundingBox()];
    const week = ((box?.x ?? 0) - (lane?.x ?? 0)) / ((lane?.width ?? 0) / 8);
    expect([week >= 3, week < 3.2]).toEqual([true, true]);
    expect(await violationsOf(page)).toEqual([]);

    await page.getByRole('button', { name: 'Four weeks later' }).click();
    await publications.getByRole('link', { name: beyond.name }).waitFor();
    expect(await publications.getByRole('link', { name: soon.name }).count()).toBe(0);
    await page.setViewportSize({ width: 390, height: 800 });
    expect(await isTooWide(page)).toBe(false);
    await publications.getByRole('link', { name: beyond.name }).click();
    await page.getByRole('article', { name: beyond.name }).waitFor();
  });
});
