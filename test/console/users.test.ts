import { beforeAll, expect, it } from 'vitest';
import { type Person, person, unique } from '#test/support/fixtures.ts';
import { longTest } from '#test/support/long-test.ts';
import { describeInBrowser, eventually } from './browser.ts';

describeInBrowser('the page Users', (context) => {
  let spammer: Person;

  beforeAll(async () => {
    spammer = await person(context.server, { name: unique('Spammer') });
    await context.directory.live(spammer);
    await context.directory.live(spammer, { name: unique('Listing') });
  });

  const profile = async () => {
    const { body } = await context.directory.get(`/api/admin/users/${spammer.id}`, context.directory.admin);
    return (body as { data: { is_banned: boolean; ban_reason: string | null; role: string } }).data;
  };

  it('the page Users finds a user, shows what the user did, and bans with a reason and an expiry, which can be undone', async () => {
    const page = await context.open('administrator', '/users');
    await page.getByRole('heading', { level: 1, name: 'Users', exact: true }).waitFor();
    await page.getByRole('searchbox', { name: 'Search' }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type(spammer.name);
    await page.getByText('1–1 of 1').waitFor();
    await page.getByRole('link', { name: spammer.name }).click();
    await page.getByRole('heading', { name: 'Listings 2' }).waitFor();
    await page.getByText('Project submitted').first().waitFor();

    await page.getByRole('button', { name: 'Ban', exact: true }).click();
    await page.getByText('Give a reason first.').waitFor();
    expect(await profile()).toMatchObject({ is_banned: false });
    await page.keyboard.type('Advertising');
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
    // The button that had the focus is gone, and so is the notice afterwards.
    const hasFocus = async () => await page.evaluate('document.activeElement !== document.body');
    expect(await hasFocus()).toBe(true);

    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('button', { name: 'Ban', exact: true }).waitFor();
    expect(await hasFocus()).toBe(true);
    expect(await profile()).toMatchObject({ is_banned: false, ban_reason: null });
  });

  longTest(
    'the page Users bans a user and rejects what waits of the user in one step, which can be undone',
    async () => {
      const sender = await person(context.server, { name: unique('Sender') });
      const one = await context.directory.submit(sender, { name: unique('Waiting') });
      const other = await context.directory.submit(sender, { name: unique('Waiting') });
      const statuses = async () =>
        await Promise.all(
          [one, other].map(async ({ id }) => (await context.directory.read(id, context.directory.admin)).status),
        );
      const page = await context.open('administrator', `/users?open=${sender.id}`);
      await page.getByLabel('Also reject 2 waiting listings').check();
      await page.getByLabel('Ban reason').fill('Advertising');
      await page.getByRole('button', { name: 'Ban', exact: true }).click();
      await page.getByRole('status').filter({ hasText: 'Rejected 2 listings.' }).waitFor();
      expect(await statuses()).toEqual(['rejected', 'rejected']);
      await page.getByRole('button', { name: 'Undo' }).click();
      await page.getByLabel('Also reject 2 waiting listings').waitFor();
      expect(await statuses()).toEqual(['pending', 'pending']);
    },
  );

  longTest(
    'the page Users keeps the open user after a reload, goes back to the search, and changes the role',
    async () => {
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
      await eventually(async () => await page.getByRole('searchbox', { name: 'Search' }).inputValue()).toBe(
        spammer.name,
      );
    },
  );

  longTest('the page Users erases a user after the name was typed', async () => {
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
  });
});
