import { expect, it } from 'vitest';
import { longTest } from '#test/support/long-test.ts';
import { describeInBrowser, eventually } from './browser.ts';
import { canDecide, focused, submissionsOf } from './submissions.ts';

/** No decision without the moderator's will. */
describeInBrowser('decisions in the queue', (context) => {
  const { submit, statusOf, opened } = submissionsOf(context);
  const statusesOf = (ids: readonly string[]) => Promise.all(ids.map(statusOf));

  longTest(
    'the open item and its reason stay when another moderator decides, and no letter of the reason is a shortcut',
    async () => {
      const { directory } = context;
      const ids = await submit(['Held one', 'Held two', 'Held three']);
      const page = await context.open('moderator', '/queue');
      await opened(page, 'Held one');
      await page.keyboard.press('r');
      await page.keyboard.type('Sorry, ');
      await directory.ok(directory.admin, 'PUT', `/api/admin/projects/${ids[0]}/approve`);
      await eventually(async () => {
        await page.evaluate("window.dispatchEvent(new Event('visibilitychange'))");
        return await page.getByText(/Decided by .+ meanwhile/).count();
      }).toBe(1);
      await page.keyboard.type('a spam');
      expect(await page.getByLabel('Reason').inputValue()).toBe('Sorry, a spam');
      await opened(page, 'Held one');
      await page.keyboard.press('Control+Enter');
      // A field that loses the focus while its moderator types.
      await page.keyboard.type('x');
      await page.evaluate('document.activeElement.blur()');
      await page.keyboard.type('aa listing');
      expect(await statusesOf(ids)).toEqual(['live', 'pending', 'pending']);

      await page.getByRole('button', { name: 'Next item' }).last().click();
      await opened(page, 'Held two');
      await eventually(() => focused(page)).toBe('H2 Held two');
    },
  );

  longTest('a held key decides once, and a key press decides nothing before everything is shown', async () => {
    const ids = await submit(['Held key one', 'Held key two', 'Held key three']);
    const page = await context.open('moderator', '/queue');
    await opened(page, 'Held key one');
    await canDecide(page);
    for (let presses = 0; presses < 9; presses += 1) await page.keyboard.down('a');
    await page.keyboard.up('a');
    await opened(page, 'Held key two');
    await eventually(() => statusesOf(ids)).toEqual(['live', 'pending', 'pending']);

    const answers = Promise.withResolvers<void>();
    await page.route('**/dossier', async (route) => {
      await answers.promise;
      await route.continue();
    });
    await page.reload();
    await page.locator('.queue-row').first().waitFor();
    await page.locator('.skeleton').first().waitFor();
    await page.keyboard.press('a');
    await page.keyboard.press('r');
    answers.resolve();
    await canDecide(page);
    expect(await statusesOf(ids)).toEqual(['live', 'pending', 'pending']);
    // The first one that is decided takes the focus along.
    await page.keyboard.press('a');
    await eventually(() => focused(page)).toBe('H2 Held key three');
    await eventually(() => statusesOf(ids)).toEqual(['live', 'live', 'pending']);
  });

  longTest(
    'more than three decisions of the last seconds can be undone at once, and the time stands still under the focus',
    async () => {
      const names = ['Undo one', 'Undo two', 'Undo three', 'Undo four', 'Undo five'];
      const ids = await submit([...names, 'Undo six']);
      const page = await context.open('moderator', '/queue');
      await opened(page, 'Undo one');
      await page.clock.install();
      for (const name of names) {
        await opened(page, name);
        await canDecide(page);
        await page.keyboard.press('a');
      }
      const all = page.getByRole('button', { name: 'Undo 5' });
      await all.focus();
      await page.clock.runFor(30_000);
      await all.press('Enter');
      await eventually(() => statusesOf(ids)).toEqual(ids.map(() => 'pending'));
      await opened(page, 'Undo one');

      await page.reload();
      await opened(page, 'Undo one');
      await page.clock.install();
      await canDecide(page);
      await page.keyboard.press('a');
      await page.getByRole('button', { name: 'Undo' }).waitFor();
      await page.clock.runFor(10_500);
      await eventually(() => page.getByRole('button', { name: 'Undo' }).count()).toBe(0);
    },
  );

  it('decisions without a connection are counted, keep the window open, and are sent later', async () => {
    const ids = await submit(['Offline one', 'Offline two']);
    const page = await context.open('moderator', '/queue');
    await opened(page, 'Offline one');
    await canDecide(page);
    await page.getByText('1 of 2').waitFor();
    await page.context().setOffline(true);
    await page.keyboard.press('a');
    await page.getByText('1 change waits to be sent').waitFor();
    const isKept =
      "(() => { const e = new Event('beforeunload', { cancelable: true }); dispatchEvent(e); return e.defaultPrevented; })()";
    expect(await page.evaluate(isKept)).toBe(true);
    await page.context().setOffline(false);
    await eventually(() => statusesOf(ids)).toEqual(['live', 'pending']);
    await eventually(() => page.evaluate(isKept)).toBe(false);
  });

  longTest('no notice and no bar covers a button at 1280 by 800', async () => {
    await submit(['Covered one', 'Covered two', 'Covered three']);
    const page = await context.open('moderator', '/queue');
    await page.setViewportSize({ width: 1280, height: 800 });
    await opened(page, 'Covered one');
    await canDecide(page);
    await page.keyboard.press('a');
    await opened(page, 'Covered two');
    await page.keyboard.press('x');
    await page.getByRole('button', { name: 'Undo' }).waitFor();
    await canDecide(page);
    for (const name of ['Approve', 'Reject', 'Edit', 'Skip', 'Approve 1', 'Reject 1', 'Clear selection', 'Undo']) {
      const isOnTop = await page.getByRole('button', { name, exact: true }).evaluate((button) => {
        const { left, top, width, height } = button.getBoundingClientRect();
        const found = button.ownerDocument.elementFromPoint(left + width / 2, top + height / 2);
        return button === found || button.contains(found);
      });
      expect(isOnTop, name).toBe(true);
    }
  });

  longTest(
    'a saved reply is filled in for each rejected item, and an unknown placeholder is named before',
    async () => {
      const { directory } = context;
      const ids = await submit(['Filled one', 'Filled two']);
      const page = await context.open('moderator', '/queue');
      await opened(page, 'Filled one');
      await canDecide(page);
      await page.keyboard.press('r');
      await page.keyboard.type('{{name}} is thin. {{unknown}}');
      await page.keyboard.press('Control+Enter');
      await page.getByText('Nothing is filled in for {{unknown}}').waitFor();
      await page.keyboard.press('Escape');
      for (const name of ['Filled one', 'Filled two']) await page.getByLabel(`Select ${name}`).check();
      await page.getByRole('button', { name: 'Reject 2' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Reason').fill('Sorry, {{name}} at {{url}}. {{unknown}}');
      expect(await dialog.getByRole('button', { name: 'Reject 2' }).isDisabled()).toBe(true);
      await dialog.getByLabel('Reason').fill('Sorry, {{name}}.');
      await dialog.getByRole('button', { name: 'Reject 2' }).click();
      const reasonOf = async (id: string) => (await directory.read(id, directory.admin)).rejection_reason;
      await eventually(() => Promise.all(ids.map(reasonOf))).toEqual(['Sorry, Filled one.', 'Sorry, Filled two.']);
    },
  );

  longTest('editing is left only after a question, and no shortcut decides meanwhile', async () => {
    const [id = ''] = await submit(['Edited with a', 'Next to it']);
    const page = await context.open('administrator', '/queue');
    await opened(page, 'Edited with a');
    await canDecide(page);
    await page.keyboard.press('e');
    const name = page.getByLabel('Name', { exact: true });
    await eventually(() => name.evaluate((field) => field === field.ownerDocument.activeElement)).toBe(true);
    await name.fill('Typed');
    await page.getByRole('heading', { level: 1 }).click();
    await page.keyboard.press('a');
    const question = page.getByRole('dialog', { name: 'Discard unsaved changes?' });
    const stay = question.getByRole('button', { name: 'Keep editing' });
    for (const keys of [['Escape'], ['j'], ['g', 'l']]) {
      for (const key of keys) await page.keyboard.press(key);
      await stay.click();
    }
    expect(await name.inputValue()).toBe('Typed');
    expect(await statusOf(id)).toBe('pending');
    await name.press('Escape');
    await question.getByRole('button', { name: 'Discard' }).click();
    await opened(page, 'Edited with a');
    await eventually(() => focused(page)).toBe('H2 Edited with a');
  });

  longTest('the list says what speaks against its items, and a duplicate is nothing usual', async () => {
    await submit(['The very same name', 'The very same name too', 'LOUD NAME OF ALL CAPITALS']);
    const page = await context.open('moderator', '/queue');
    await opened(page, 'The very same name');
    const rows = page.locator('.queue-row');
    await rows.nth(1).getByText('Duplicate?').waitFor();
    await eventually(() => rows.nth(1).locator('[title]').last().getAttribute('title')).toContain('New account');
    const signals = page.locator('.dossier section').filter({ has: page.getByRole('heading', { name: 'Signals' }) });
    await signals.getByText('Duplicate?').waitFor();
    expect(await signals.getByText('Nothing unusual.').count()).toBe(0);
  });

  longTest('skipped items come again after all others', async () => {
    await submit(['Skipped one', 'Skipped two', 'Skipped three']);
    const page = await context.open('moderator', '/queue');
    for (const name of ['Skipped one', 'Skipped two', 'Skipped three']) {
      await opened(page, name);
      await page.keyboard.press('s');
    }
    await opened(page, 'Skipped one');
    await page.getByText('All items were skipped.').waitFor();
  });
});
