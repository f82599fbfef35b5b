import { expect } from 'vitest';
import { longTest } from '#test/support/long-test.ts';
import { violationsOf } from './axe.ts';
import { describeInBrowser } from './browser.ts';

describeInBrowser('the page Webhooks', (context) => {
  longTest('the page Webhooks creates a webhook, shows its secret once, rotates it and deletes it', async () => {
    const page = await context.open('administrator', '/webhooks');
    await page.getByRole('button', { name: 'Create webhook' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('URL').fill('http://localhost/hook');
    await dialog.getByLabel('Project approved').check();
    await dialog.getByRole('button', { name: 'Create webhook' }).click();
    await dialog.getByRole('alert').waitFor();
    const host = `hooks.example.com`;
    await dialog.getByLabel('URL').fill(`https://${host}/x`);
    await dialog.getByRole('button', { name: 'Create webhook' }).click();
    await page.getByText(/^whsec_/).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'I have stored it' }).click();
    await page.getByRole('link', { name: host }).first().click();
    await page.getByText('No deliveries.').waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Rotate secret' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate secret' }).click();
    await page.getByText(/^whsec_/).waitFor();
    await page.getByRole('button', { name: 'I have stored it' }).click();
    await page.getByText('Previous secret valid until').waitFor();
    await page.getByRole('button', { name: 'Replay all failed' }).click();
    await page.getByRole('status').filter({ hasText: 'No delivery has failed, so none is sent again.' }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('link', { name: host }).first().waitFor({ state: 'detached' });
  });
});
