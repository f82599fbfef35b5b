import { describe, expect, it } from 'vitest';
import { type Person, person, unique } from '#test/support/fixtures.ts';
import { longTest } from '#test/support/long-test.ts';
import { violationsOf } from './axe.ts';
import { type BrowserContext, chromiumPath, eventually, withBrowser } from './browser.ts';

describe.skipIf(chromiumPath === undefined)('the page Users', () => {
  let context: BrowserContext;
  let spammer: Person;

  withBrowser(async (given) => {
    context = given;
    spammer = await person(given.server, { name: unique('Spammer') });
    await given.directory.live(spammer);
    await given.directory.live(spammer, { name: unique('Listing') });
  });

  const profile = async () => {
    const { body } = await context.directory.get(`/api/admin/users/${spammer.id}`, context.directory.admin);
    return (body as { data: { is_banned: boolean; ban_reason: string | null; role: string } }).data;
  };

  it('finds a user, shows what the user did, and bans with a reason and an expiry, which can be undone', async () => {
    const page = await context.open('administrator', '/users');
    await page.getByRole('heading', { level: 1, name: 'Users', exact: true }).waitFor();
    await page.getByRole('searchbox', { name: 'Search' }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type(spammer.name);
    await page.getByText('1–1 of 1').waitFor();
    await page.getByRole('link', { name: spammer.name }).click();
    await page.getByRole('heading', { name: 'Listings 2' }).waitFor();
    await page.getByText('Project submitted').first().waitFor();

    await page.getByLabel('Reason').fill('Advertising');
    await page.getByLabel('Ban expires at').fill('2000-01-01T10:00');
    await page.getByRole('button', { name: 'Ban', exact: true }).click();
    await page.getByText('must be in the future').waitFor();
    await page.getByLabel('Ban expires at').fill('2099-01-01T10:00');
    await page.getByRole('button', { name: 'Ban', exact: true }).click();
    await page
      .getByRole('status')
      .filter({ hasText: `Banned ${spammer.name}.` })
      .waitFor();
    await page.getByRole('button', { name: 'Lift the ban' }).waitFor();
    expect(await profile()).toMatchObject({ is_banned: true, ban_reason: 'Advertising' });

    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('button', { name: 'Ban', exact: true }).waitFor();
    expect(await profile()).toMatchObject({ is_banned: false, ban_reason: null });
    await page.close();
  });

  longTest('keeps the open user after a reload, goes back to the search, and changes the role', async () => {
    const page = await context.open('administrator', `/users?q=${spammer.name}`);
    await page.getByRole('link', { name: spammer.name }).click();
    await page.getByRole('heading', { name: spammer.name }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: spammer.name }).waitFor();
    await page.getByLabel('Role').selectOption('moderator');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('status').filter({ hasText: 'is now: Moderator' }).waitFor();
    expect(await profile()).toMatchObject({ role: 'moderator' });
    await page.goBack();
    await page.getByText('1–1 of 1').waitFor();
    await eventually(async () => await page.getByRole('searchbox', { name: 'Search' }).inputValue()).toBe(spammer.name);
    await page.close();
  });

  it('erases a user after the name was typed', async () => {
    const gone = await person(context.server, { name: unique('Gone') });
    await context.directory.get('/api/user/profile', gone);
    const page = await context.open('administrator', `/users?open=${gone.id}`);
    await page.getByRole('button', { name: 'Erase' }).click();
    const confirm = page.getByRole('dialog').getByRole('button', { name: 'Erase' });
    await eventually(async () => await confirm.isDisabled()).toBe(true);
    await page.getByLabel('Confirmation').fill(gone.name);
    await confirm.click();
    await page
      .getByRole('status')
      .filter({ hasText: `Erased ${gone.name}.` })
      .waitFor();
    expect(await context.directory.get(`/api/admin/users/${gone.id}`, context.directory.admin)).toMatchObject({
      status: 404,
    });
    await page.close();
  });

  longTest('has no violation that axe finds', async () => {
    const page = await context.open('administrator', '/users');
    await page.getByRole('link', { name: spammer.name }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole('link', { name: spammer.name }).click();
    await page.getByRole('heading', { name: 'Listings 2' }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.close();
  });
});
