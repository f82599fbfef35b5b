import { readFile } from 'node:fs/promises';
import { expect } from 'vitest';
import { person, unique } from '#test/support/fixtures.ts';
import { longTest } from '#test/support/long-test.ts';
import { chooseOutcome, startPremium } from '#test/support/payments.ts';
import { violationsOf } from './axe.ts';
import { describeInBrowser, eventually } from './browser.ts';

describeInBrowser('the page Payments', (context) => {
  longTest('the page Payments lists a payment with its totals, and filters by state over a reload', async () => {
    const { directory, server } = context;
    const name = unique('Paid listing');
    const { checkout_id } = await startPremium(directory, await person(server), { name });
    await chooseOutcome(directory, checkout_id, 'paid');
    const page = await context.open('administrator', '/payments');
    const row = page.getByRole('row').filter({ hasText: name });
    await row.getByText('Fulfilled').waitFor();
    await page.getByRole('heading', { name: 'By month' }).waitFor();
    await page.getByText('Net, USD').waitFor();
    await eventually(
      async () => await row.getByRole('link', { name: 'Open at the provider' }).getAttribute('href'),
    ).toContain(checkout_id);
    expect(await violationsOf(page)).toEqual([]);
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: /^Export \d+$/ }).click();
    const file = await readFile(await (await saved).path(), 'utf8');
    expect(file.split('\r\n')[0]).toMatch(/^user_id,project_id,id,title,state,/);
    expect(file).toContain(name);
    await page.getByLabel('State').selectOption('Refunded');
    await row.waitFor({ state: 'detached' });
    await page.reload();
    await eventually(async () => await page.getByLabel('State').inputValue()).toBe('refunded');
    await page.goBack();
    await row.waitFor();
  });
});
