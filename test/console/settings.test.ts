import { expect, it } from 'vitest';
import { person } from '#test/support/fixtures.ts';
import { longTest } from '#test/support/long-test.ts';
import { violationsOf } from './axe.ts';
import { describeInBrowser, eventually } from './browser.ts';

/** How long a page may take to show what it has read. */

describeInBrowser('the page Settings', (context) => {
  it('the page Settings previews and saves the theme, undoes it, shows the message of a wrong value, and merges after a 412', async () => {
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
  });

  longTest(
    'the page Settings edits the name, the links and the texts of the site, and shows the messages of wrong ones',
    async () => {
      const page = await context.open('administrator', '/settings?tab=site');
      await page.getByLabel('Tagline').fill('Tools that last');
      await page.getByRole('button', { name: 'Add a link' }).click();
      const link = page.getByRole('group', { name: 'Link 1' });
      await link.getByLabel('Label').fill('Status');
      await link.getByLabel('Address').fill('status.example.com');
      await page.getByLabel('About').fill('# About us');
      await page.getByRole('button', { name: 'Save' }).click();
      await link.getByText('must be an http or https address').waitFor();
      expect(await violationsOf(page)).toEqual([]);

      await link.getByLabel('Address').fill('https://status.example.com');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('status').filter({ hasText: 'Saved.' }).waitFor();
      const stored = async () => (await context.directory.adminOk('GET', '/api/admin/site')).body;
      const links = [{ label: 'Status', url: 'https://status.example.com' }];
      expect(await stored()).toMatchObject({
        data: { tagline: 'Tools that last', links, texts: { about: '# About us' } },
      });

      await page.getByRole('button', { name: 'Remove link 1' }).click();
      await page.getByLabel('About').fill('');
      await page.getByRole('button', { name: 'Save' }).click();
      await eventually(stored).toMatchObject({ data: { tagline: 'Tools that last', links: [], texts: { about: '' } } });
      await page.getByRole('button', { name: 'Reset to defaults' }).click();
      await eventually(stored).toMatchObject({ data: { tagline: '', name: 'Directory' } });
    },
  );

  longTest('the page Settings creates a key that is shown once, and revokes it', async () => {
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
  });

  longTest('the page Settings makes a user an administrator, and undoes it', async () => {
    const user = await person(context.server);
    // A user is stored at the first request.
    await context.directory.ok(user, 'GET', '/api/user/profile');
    const page = await context.open('administrator', '/settings?tab=administrators');
    await page.getByLabel('Search users').fill(user.email);
    await page.getByRole('button', { name: 'Make administrator' }).click();
    const question = page.getByRole('dialog', { name: `Make ${user.name} an administrator?` });
    await question.getByRole('button', { name: 'Make administrator' }).click();
    const row = page.getByRole('row').filter({ hasText: user.email });
    await row.waitFor();
    await page.keyboard.press('z');
    await row.waitFor({ state: 'detached' });
  });

  longTest(
    'the page Settings derives readable colours from one, and warns of those that are hard to read',
    async () => {
      const page = await context.open('administrator', '/settings?tab=theme');
      const color = page.getByLabel('primary-foreground, light', { exact: true });
      await color.waitFor();
      expect(await page.getByText('text needs 4.5').count()).toBe(0);
      for (const name of ['Amber', 'Green', 'Teal']) {
        await page.getByRole('button', { name }).click();
        expect(await page.getByText('text needs 4.5').count()).toBe(0);
      }
      expect(await violationsOf(page)).toEqual([]);
      await color.fill('38 50% 50%');
      await page.getByText(/^Contrast \d(\.\d)? on primary; text needs 4\.5\.$/).waitFor();
      await page.getByRole('button', { name: 'Discard changes' }).click();
    },
  );

  longTest('the page Settings names the variables that switch features and set limits', async () => {
    const page = await context.open('administrator', '/settings?tab=features');
    await page
      .getByRole('listitem')
      .filter({ hasText: 'Review of conspicuous votes' })
      .getByText('FEATURE_VOTE_REVIEW')
      .waitFor();
    await page.getByRole('link', { name: 'Limits' }).click();
    for (const name of ['LIVE_EDITS', 'VERIFIED_EMAIL_REQUIRED']) await page.getByText(name).waitFor();
    // Every limit has its group.
    expect(await page.getByRole('heading', { name: 'More' }).count()).toBe(0);
    expect(await violationsOf(page)).toEqual([]);
  });
});
