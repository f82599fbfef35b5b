import { beforeAll, expect } from 'vitest';
import { dataOf, person, unique } from '#test/support/fixtures.ts';
import { longTest } from '#test/support/long-test.ts';
import { violationsOf } from './axe.ts';
import { describeInBrowser, eventually } from './browser.ts';

interface StoredRule {
  readonly id: string;
  readonly name: string;
  readonly is_active: boolean;
}

describeInBrowser('the page Rules', (context) => {
  const word = unique('casino');

  beforeAll(async () => {
    const submitter = await person(context.server);
    await context.directory.submit(submitter, { name: `Best ${word}` });
  });

  const rules = async () =>
    dataOf<StoredRule[]>(await context.directory.get('/api/admin/rules', context.directory.admin));

  longTest('the page Rules creates a rule without effect, simulates it, and activates it', async () => {
    const name = unique('Rule');
    const page = await context.open('administrator', '/rules');
    await page.getByRole('button', { name: 'Add rule' }).click();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('must not be empty').waitFor();
    await page.getByText('must have at least one entry').waitFor();
    await page.getByLabel('Name').fill(name);
    await page.getByLabel('The text contains one of').fill(word);
    await page.getByLabel('Action', { exact: true }).selectOption('Reject');
    await page.getByLabel('Reason').fill('No gambling.');

    await page.getByRole('button', { name: 'Simulate' }).click();
    await page
      .getByRole('dialog')
      .getByRole('link', { name: `Best ${word}` })
      .waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText(`Saved ${name}. It is off until you activate it.`).waitFor();
    expect((await rules()).find((rule) => rule.name === name)).toMatchObject({ is_active: false });

    const row = page.getByRole('listitem').filter({ hasText: name });
    await row.getByRole('button', { name: 'Activate' }).click();
    await page
      .getByRole('dialog')
      .getByRole('link', { name: `Best ${word}` })
      .waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole('dialog').getByRole('button', { name: 'Activate' }).click();
    await row.getByRole('button', { name: 'Deactivate' }).waitFor();
    expect((await rules()).find((rule) => rule.name === name)).toMatchObject({ is_active: true });
    await row.getByRole('button', { name: 'Deactivate' }).click();
    await row.getByRole('button', { name: 'Activate', exact: true }).waitFor();
  });

  longTest(
    'the page Rules changes the order, keeps it and the open rule after a reload, and restores a deleted rule',
    async () => {
      const [first, second] = [unique('First'), unique('Second')];
      for (const name of [first, second]) {
        const body = { name, is_active: false, order: 500, action: 'hold', when: { all: [{ mail_unverified: true }] } };
        await context.directory.adminOk('POST', '/api/admin/rules', body, 201);
      }
      const page = await context.open('administrator', '/rules');
      const row = page.getByRole('listitem').filter({ hasText: second });
      await row.getByRole('button', { name: 'Move up' }).click();
      await expect
        .poll(async () => {
          const names = (await rules()).map(({ name }) => name);
          return names.indexOf(second) < names.indexOf(first);
        })
        .toBe(true);
      await row.getByRole('link', { name: second }).click();
      await page.reload();
      await page.getByRole('heading', { name: second }).waitFor();
      await page.getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('button', { name: 'Undo' }).click();
      await row.waitFor();
    },
  );

  longTest('the page Rules keeps saved replies', async () => {
    const name = unique('Reply');
    const page = await context.open('administrator', '/rules');
    await page.getByRole('button', { name: 'Add saved reply' }).click();
    await page.getByLabel('Name').fill(name);
    await page.getByLabel('Text').fill('Please describe {{name}}.');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Please describe {{name}}.').waitFor();
    await page.getByRole('button', { name: `Edit ${name}` }).click();
    await page.getByLabel('Text').fill('Please explain {{name}}.');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Please explain {{name}}.').waitFor();
    await page.getByRole('button', { name: `Delete ${name}` }).click();
    await page.getByText('Please explain {{name}}.').waitFor({ state: 'detached' });
  });

  longTest('the page Rules offers rules to start with, which are saved without effect', async () => {
    const page = await context.open('administrator', '/rules');
    await page.getByRole('button', { name: 'Nearly the same as another listing' }).click();
    await eventually(async () => await page.getByLabel('Name').inputValue()).toBe('Nearly the same as another listing');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('It is off until you activate it.').waitFor();
    const stored = (await rules()).find(({ name }) => name === 'Nearly the same as another listing');
    expect(stored).toMatchObject({ is_active: false, action: 'hold', when: { all: [{ duplicate_score: 0.9 }] } });
  });
});
