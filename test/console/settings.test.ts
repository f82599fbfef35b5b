import { describe, expect, it } from 'vitest';
import { person } from '#test/support/fixtures.ts';
import { longTest } from '#test/support/long-test.ts';
import { violationsOf } from './axe.ts';
import { type BrowserContext, chromiumPath, eventually, withBrowser } from './browser.ts';

/** How long a page may take to show what it has read. */

const tabs = ['Layout', 'Theme', 'Map', 'Features', 'Limits', 'API keys', 'Administrators'];

describe.skipIf(chromiumPath === undefined)('the page Settings', () => {
  let context: BrowserContext;

  withBrowser((given) => {
    context = given;
  });

  it('previews and saves the theme, undoes it, shows the message of a wrong value, and merges after a 412', async () => {
    const page = await context.open('administrator', '/settings?tab=theme');
    const radius = page.getByLabel('Radius');
    await radius.waitFor();
    const before = await radius.inputValue();

    await radius.fill('very round');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('must be a length, such as 0.5rem').first().waitFor();
    await eventually(async () => await radius.inputValue()).toBe('very round');

    await radius.fill('13px');
    await eventually(async () => await page.locator('.site-preview').first().getAttribute('style')).toContain(
      '--radius: 13px',
    );
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('status').filter({ hasText: 'Saved.' }).waitFor();
    await page.reload();
    await eventually(async () => await radius.inputValue()).toBe('13px');
    await radius.fill('14px');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Undo' }).last().click();
    await eventually(async () => await radius.inputValue()).toBe('13px');

    // Another administrator saves between reading and saving.
    await radius.fill('15px');
    await context.directory.adminOk('PUT', '/api/admin/theme', { radius: '16px' });
    await page.getByRole('button', { name: 'Save' }).click();
    const merge = page.getByRole('dialog', { name: 'Changed by someone else' });
    await merge.getByText('16px').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await merge.getByRole('group', { name: 'Radius' }).getByRole('button', { name: 'Theirs' }).click();
    await merge.getByRole('button', { name: 'Save' }).click();
    await eventually(async () => await radius.inputValue()).toBe('16px');
    await context.directory.adminOk('PUT', '/api/admin/theme', { radius: before });
    await page.close();
  });

  it('creates a key that is shown once, and revokes it', async () => {
    const page = await context.open('administrator', '/settings?tab=keys');
    const name = `Importer ${Date.now()}`;
    await page.getByRole('button', { name: 'Create key' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill(name);
    await dialog.getByLabel('imports:write').check();
    await dialog.getByRole('button', { name: 'Create key' }).click();
    await page.getByText(/^dk_\w{40}$/).waitFor();
    await page.getByRole('button', { name: 'I have stored it' }).click();
    const row = page.getByRole('row').filter({ hasText: name });
    await row.getByText('Active').waitFor();
    await row.getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await row.getByText('Revoked').waitFor();
    await page.close();
  });

  it('makes a user an administrator, and undoes it', async () => {
    const user = await person(context.server);
    // A user is stored at the first request.
    await context.directory.ok(user, 'GET', '/api/user/profile');
    const page = await context.open('administrator', '/settings?tab=administrators');
    await page.getByLabel('Search users').fill(user.email);
    await page.getByRole('button', { name: 'Make administrator' }).click();
    const row = page.getByRole('row').filter({ hasText: user.email });
    await row.waitFor();
    await page.keyboard.press('z');
    await row.waitFor({ state: 'detached' });
    await page.close();
  });

  longTest('has no violation that axe finds', async () => {
    const page = await context.open('administrator', '/settings');
    for (const tab of tabs) {
      await page.getByRole('link', { name: tab, exact: true }).click();
      await page.locator('.card, .table').first().waitFor();
      expect(await violationsOf(page), tab).toEqual([]);
    }
    await page.close();
  });
});
