import { expect, it } from 'vitest';
import { longTest } from '#test/support/long-test.ts';
import { violationsOf } from './axe.ts';
import { describeInBrowser, eventually } from './browser.ts';
import { submissionsOf } from './submissions.ts';

describeInBrowser('the queue', (context) => {
  const { submit, statusOf, opened } = submissionsOf(context);

  it('the queue is worked off by keyboard: approve, reject with a saved reply, skip, undo', async () => {
    const reply = { name: 'Thin', text: '{{name}} says too little.' };
    await context.directory.ok(context.directory.admin, 'POST', '/api/admin/replies', reply, 201);
    const [first = '', second = '', third = ''] = await submit(['First of three', 'Second of three', 'Third of three']);
    const page = await context.open('moderator', '/queue');
    await opened(page, 'First of three');
    await page.keyboard.press('a');
    await opened(page, 'Second of three');
    await eventually(() => statusOf(first)).toBe('live');

    await page.keyboard.press('r');
    expect(await page.getByLabel('Reason').evaluate((field) => field === field.ownerDocument.activeElement)).toBe(true);
    await page.getByLabel('Saved replies').selectOption('Thin');
    await eventually(async () => await page.getByLabel('Reason').inputValue()).toBe('Second of three says too little.');
    await page.getByLabel('Reason').press('Control+Enter');
    await opened(page, 'Third of three');
    await eventually(() => statusOf(second)).toBe('rejected');

    await page.getByRole('button', { name: 'Undo' }).last().waitFor();
    await page.keyboard.press('z');
    await eventually(() => statusOf(second)).toBe('pending');
    await opened(page, 'Second of three');
    await page.keyboard.press('j');
    await opened(page, 'Third of three');
    expect(page.url()).toContain(third);
    await page.reload();
    await opened(page, 'Third of three');
  });

  it('the queue is decided once when two moderators work on it', async () => {
    const [id = ''] = await submit(['Contested']);
    const one = await context.open('moderator', '/queue');
    const other = await context.open('administrator', '/queue');
    await Promise.all([opened(one, 'Contested'), opened(other, 'Contested')]);
    // The list that this moderator has seen stays: the decision itself must be refused.
    await other.route('**/api/admin/projects?status=pending*', (route) => route.abort());
    await one.keyboard.press('a');
    await eventually(() => statusOf(id)).toBe('live');
    await other.getByRole('button', { name: 'Reject' }).click();
    await other.getByLabel('Reason').fill('Too late.');
    await other.getByLabel('Reason').press('Control+Enter');
    await other.getByRole('status').filter({ hasText: 'decided or changed by someone else' }).waitFor();
    expect(await statusOf(id)).toBe('live');
  });

  longTest('the queue decides about all selected items, and edits the open one', async () => {
    const [first = '', second = '', third = ''] = await submit(['Bulk one', 'Bulk two', 'Edited here']);
    const page = await context.open('administrator', '/queue');
    await opened(page, 'Bulk one');
    await page.keyboard.press('x');
    await page.getByLabel('Select Bulk two').check();
    await page.getByRole('button', { name: 'Approve 2' }).click();
    await eventually(() => Promise.all([statusOf(first), statusOf(second)])).toEqual(['live', 'live']);
    await opened(page, 'Edited here');
    await page.keyboard.press('e');
    await page.getByLabel('Name', { exact: true }).fill('Edited there');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('article', { name: 'Edited there' }).waitFor();
    expect(await statusOf(third)).toBe('pending');
  });

  it('the queue has no accessibility violation, with names from right to left, long names and on a small screen', async () => {
    await submit(['مكتبة النور', 'A name without an end '.repeat(4)]);
    const page = await context.open('administrator', '/queue');
    await opened(page, 'مكتبة النور');
    await page.getByText('Possible duplicates').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.setViewportSize({ width: 390, height: 800 });
    expect(await violationsOf(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
  });
});
