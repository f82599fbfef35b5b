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

  longTest(
    'the page Payments shows inquiries of a bank, and payments that are under way until they arrive',
    async () => {
      const { directory, server } = context;
      const [inquired, debited] = [unique('Inquired'), unique('Debited')];
      const { checkout_id: first } = await startPremium(directory, await person(server), { name: inquired });
      await chooseOutcome(directory, first, 'paid');
      await chooseOutcome(directory, first, 'inquiry');
      const { checkout_id: second } = await startPremium(directory, await person(server), { name: debited });
      await chooseOutcome(directory, second, 'processing');
      const page = await context.open('administrator', '/payments');
      const rowOf = (name: string) => page.getByRole('row').filter({ hasText: name });
      await rowOf(inquired).getByText('Fulfilled').waitFor();
      await rowOf(inquired).getByText('Bank inquiry').waitFor();
      await page.getByLabel('State').selectOption('Under way');
      await rowOf(inquired).waitFor({ state: 'detached' });
      await rowOf(debited).getByText('Under way').waitFor();
      await chooseOutcome(directory, second, 'paid');
      await page.getByLabel('State').selectOption('All');
      await rowOf(debited).getByText('Fulfilled').waitFor();
    },
  );
});
