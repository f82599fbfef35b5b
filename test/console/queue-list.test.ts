import { expect } from 'vitest';
import { person } from '#test/support/fixtures.ts';
import { longTest } from '#test/support/long-test.ts';
import { violationsOf } from './axe.ts';
import { describeInBrowser, eventually } from './browser.ts';
import { canDecide, submissionsOf } from './submissions.ts';

describeInBrowser('the list of the queue', (context) => {
  const { submit, statusOf, opened } = submissionsOf(context);

  longTest(
    'the reason opens with r and closes with Esc, and the actions stay in place while both panes scroll',
    async () => {
      const names = Array.from({ length: 14 }, (_, at) => `Scrolled ${at}`);
      await submit(names);
      const page = await context.open('moderator', '/queue');
      await page.setViewportSize({ width: 1280, height: 600 });
      await opened(page, 'Scrolled 0');
      await canDecide(page);
      expect(await page.getByLabel('Reason').count()).toBe(0);
      await page.keyboard.press('r');
      await page.getByLabel('Reason').fill('Too thin.');
      await page.getByLabel('Reason').press('Escape');
      await eventually(() => page.getByLabel('Reason').count()).toBe(0);
      await page.keyboard.press('r');
      expect(await page.getByLabel('Reason').inputValue()).toBe('Too thin.');

      const approve = page.getByRole('button', { name: 'Approve', exact: true });
      const before = await approve.boundingBox();
      await page.locator('.queue-detail').evaluate((pane) => pane.scrollTo(0, pane.scrollHeight));
      await page.locator('.queue-list').evaluate((pane) => pane.scrollTo(0, pane.scrollHeight));
      expect(await approve.boundingBox()).toEqual(before);
      expect(await page.evaluate('document.documentElement.scrollHeight - innerHeight')).toBeLessThanOrEqual(0);
    },
  );

  longTest('all submissions of one user are rejected together', async () => {
    const ids = await submit(['Wanted by others']);
    const { directory, server } = context;
    const sender = await person(server);
    for (const name of ['Advert one', 'Advert two', 'Advert three'])
      ids.push((await directory.submit(sender, { name, long_description: `All about ${name}.` })).id);
    const page = await context.open('administrator', '/queue');
    await opened(page, 'Wanted by others');
    await page.getByRole('link', { name: /Advert one/ }).click();
    await opened(page, 'Advert one');
    await page.getByRole('link', { name: 'Show all 3' }).click();
    await eventually(() => page.locator('.queue-row').count()).toBe(3);
    await page.getByRole('button', { name: 'Select all 3' }).click();
    await page.getByRole('button', { name: 'Approve 3' }).waitFor();
    await page.getByRole('button', { name: 'Show the submissions of everybody' }).click();
    await eventually(() => page.locator('.queue-row').count()).toBe(4);
    await page.getByRole('link', { name: /Advert two/ }).click();
    await opened(page, 'Advert two');
    await page.getByRole('button', { name: 'Reject all 3' }).click();
    const dialog = page.getByRole('dialog', { name: 'Reject 3' });
    await dialog.getByLabel('Reason').fill('Advertising.');
    await dialog.getByRole('button', { name: 'Reject 3' }).click();
    await eventually(() => Promise.all(ids.map(statusOf))).toEqual(['pending', 'rejected', 'rejected', 'rejected']);
  });

  longTest('a submission stands beside the listing that it repeats, which its rejection names', async () => {
    const { directory, server } = context;
    await submit([]);
    const owner = await person(server);
    const url = `https://repeated-${Date.now()}.example/`;
    const first = await directory.submit(owner, { name: 'Repeated garden', url });
    await directory.ok(directory.admin, 'PUT', `/api/admin/projects/${first.id}/approve`);
    const again = await directory.submit(owner, { name: 'Repeated garden', url, long_description: 'All about again.' });
    const page = await context.open('moderator', '/queue');
    await canDecide(page);
    const beside = page.getByRole('region', { name: 'Beside Repeated garden' });
    await beside.getByText('the same').first().waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await beside.getByRole('button', { name: 'Reject as duplicate' }).click();
    await eventually(() => page.getByLabel('Reason').inputValue()).toBe(
      `This is already listed as Repeated garden: ${url}`,
    );
    await page.getByLabel('Reason').press('Control+Enter');
    await eventually(() => statusOf(again.id)).toBe('rejected');
  });

  longTest('the list is ordered by risk and narrowed by category, and counts what was skipped', async () => {
    await submit(['Quiet one', 'Quiet two', 'LOUD AND ALL IN CAPITALS']);
    const page = await context.open('moderator', '/queue');
    await opened(page, 'Quiet one');
    await page.keyboard.press('s');
    await page.getByText('2 of 3 · 1 skipped').waitFor();
    await page.getByLabel('Order').selectOption('Riskiest first');
    await page.locator('.queue-row').first().getByText('LOUD AND ALL IN CAPITALS').waitFor();
    await page.reload();
    await page.locator('.queue-row').first().getByText('LOUD AND ALL IN CAPITALS').waitFor();
    const category = page.getByLabel('Category');
    await category.selectOption({ index: 1 });
    await eventually(() => new URL(page.url()).searchParams.has('category')).toBe(true);
    await page.getByRole('button', { name: 'Select all 3' }).waitFor();
  });

  longTest(
    'scheduled listings have a filter of their own, with their times, and are published at once or rejected',
    async () => {
      const { directory, server } = context;
      await submit(['Waits for a decision']);
      const owner = await person(server);
      const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
      const schedule = async (name: string, days: number) => {
        const fields = { name, long_description: `All about ${name}.`, publish_at: inDays(days) };
        const { id } = await directory.submit(owner, fields);
        await directory.adminOk('PUT', `/api/admin/projects/${id}/approve`);
        return id;
      };
      const [late, soon] = [await schedule('Public late', 20), await schedule('Public soon', 5)];
      const page = await context.open('administrator', '/queue');
      await opened(page, 'Waits for a decision');
      expect(await page.locator('.queue-row').count()).toBe(1);
      await page.getByRole('link', { name: 'Scheduled 2' }).click();
      await opened(page, 'Public soon');
      expect(await page.locator('.queue-row').allInnerTexts()).toEqual([
        expect.stringContaining('Public soon'),
        expect.stringContaining('Public late'),
      ]);
      await page.getByText(/^.*approved, becomes public/).waitFor();
      expect(await violationsOf(page)).toEqual([]);
      await page.getByRole('button', { name: 'Publish now', disabled: false }).click();
      await eventually(() => statusOf(soon)).toBe('live');
      await opened(page, 'Public late');
      await page.getByRole('button', { name: 'Reject', exact: true, disabled: false }).click();
      await page.getByLabel('Reason').fill('Not yet.');
      await page.getByLabel('Reason').press('Control+Enter');
      await eventually(() => statusOf(late)).toBe('rejected');
      await page.getByText('No listing is scheduled').waitFor();
    },
  );
});
