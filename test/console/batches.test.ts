import { expect } from 'vitest';
import { dataOf, person, unique } from '#test/support/fixtures.ts';
import { longTest } from '#test/support/long-test.ts';
import { describeInBrowser, eventually } from './browser.ts';

describeInBrowser('the page Batches', (context) => {
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

  longTest('the page Batches shows a batch with its items, keeps it open after a reload, and reverts it', async () => {
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
  });

  longTest(
    'the page Batches shows how far a revert in the background is, and says how it ended on any page',
    async () => {
      const { batch } = await deleteTwo();
      const revert = 'bat_01JZ0000000000000000000000';
      const { data } = (await context.directory.adminOk('GET', `/api/admin/batches/${batch}`)).body as { data: object };
      const page = await context.open('administrator', `/batches?open=${batch}`);
      const counts = { created: 0, updated: 1, skipped: 0, failed: 0 };
      let state = 'running';
      let reverted_by: string | null = null;
      await page.route(`**/api/admin/batches/${batch}/revert`, (route) => {
        reverted_by = revert;
        return route.fulfill({ status: 202, json: { data: { batch_id: revert, state, reverted: 0, kept: [] } } });
      });
      await page.route(`**/api/admin/batches/${revert}`, (route) =>
        route.fulfill({
          json: {
            data: {
              ...data,
              id: revert,
              kind: 'revert',
              reverts: batch,
              state,
              counts: state === 'done' ? { ...counts, skipped: 1 } : counts,
            },
          },
        }),
      );
      await page.route(`**/api/admin/batches/${batch}`, (route) =>
        route.fulfill({ json: { data: { ...data, reverted_by } } }),
      );
      await page.getByRole('button', { name: 'Revert' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Revert' }).click();
      await page.getByText('The revert continues in the background.').waitFor();
      await page.getByText('Being reverted').waitFor();
      await page.getByText('1 of 2 reverted').waitFor();
      await eventually(async () => await page.getByRole('button', { name: 'Revert' }).count()).toBe(0);
      await page.getByRole('navigation').getByRole('link', { name: 'Comments' }).click();
      const tray = page.getByRole('list', { name: 'Work in the background' });
      await tray.getByText('50%').waitFor();
      await page.reload();
      await tray.getByText('50%').waitFor();
      state = 'done';
      await page.getByRole('status').filter({ hasText: 'Reverted 1, kept 1.' }).waitFor();
    },
  );
});
