import type { Page } from 'playwright-core';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { category, dataOf, type Person, person, unique } from '#test/support/fixtures.ts';
import { longTest } from '#test/support/long-test.ts';
import { violationsOf } from './axe.ts';
import { beginSession, describeInBrowser, eventually, isTooWide } from './browser.ts';

/** The form of a submission on the public pages, and what follows it. */

describeInBrowser('the form of a submission', (context) => {
  let page: Page;
  let user: Person;
  let categoryName: string;
  let problems: string[];

  const origin = (): string => `http://localhost:${context.server.server.port}`;

  const open = async (path = '/submit'): Promise<void> => {
    await page.goto(`${origin()}${path}`);
    await page.getByLabel('Name', { exact: true }).waitFor();
  };

  const openAs = async (path = '/submit'): Promise<void> => {
    await open();
    await beginSession(page, user);
    await open(path);
  };

  const saved = () => page.getByText('Saved as a draft.').waitFor();

  const draftsOf = async (): Promise<readonly { id: string; content: Record<string, unknown> }[]> =>
    dataOf(await context.directory.ok(user, 'GET', '/api/me/drafts'));

  /** Fills in what a submission needs. @returns the name. */
  const fill = async (): Promise<string> => {
    const name = unique('Typed');
    await page.getByLabel('Name', { exact: true }).fill(name);
    await page.getByLabel('Web address').fill(`https://${name.toLowerCase()}.example.com`);
    await page.getByLabel('Short description').fill('It keeps tea warm.');
    await page.getByLabel(categoryName, { exact: true }).check();
    await page.getByLabel('Price').selectOption('Free plan');
    return name;
  };

  beforeEach(async () => {
    problems = [];
    user = await person(context.server);
    const { body } = await context.directory.adminOk('GET', `/api/categories/${context.directory.category}`);
    categoryName = (body as { data: { name: string } }).data.name;
    page = await context.browser.newPage({ locale: 'en-US', timezoneId: 'UTC' });
    page.setDefaultTimeout(90_000);
    page.on('pageerror', ({ message }) => problems.push(message));
    page.on('console', (message) => {
      if (message.type() === 'error' && !message.text().includes('Failed to load resource'))
        problems.push(message.text());
    });
  });

  afterEach(async () => {
    await page.close();
    expect(problems).toEqual([]);
  });

  it('what is typed survives a reload and signing in, becomes a draft, and is submitted', async () => {
    await open();
    const name = await fill();
    await page.getByText('Kept in this browser.').waitFor();
    await page.reload();
    await eventually(() => page.getByLabel('Name', { exact: true }).inputValue()).toBe(name);
    expect(await page.getByLabel(categoryName, { exact: true }).isChecked()).toBe(true);
    await beginSession(page, user);
    await page.reload();
    await saved();
    const [draft] = await draftsOf();
    expect(new URL(page.url()).searchParams.get('draft')).toBe(draft?.id);
    expect(draft?.content).toMatchObject({ name, categories: [context.directory.category], pricing_type: 'freemium' });
    await page.getByLabel('Full description').fill('## Why\n\n**Tea.**');
    await page.getByLabel('Tags').fill('tea, warm, Vienna\\, Austria');
    await page.getByRole('button', { name: 'Submit for review' }).click();
    await page.getByRole('heading', { name: 'Your listing was submitted' }).waitFor();
    await page.getByText('Position in the queue').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    expect(await draftsOf()).toEqual([]);
    const id = new URL(page.url()).searchParams.get('submitted');
    expect((await context.directory.ok(user, 'GET', `/api/projects/${id}`)).body).toMatchObject({
      data: {
        name,
        status: 'pending',
        plan: 'standard',
        tags: ['tea', 'warm', 'Vienna, Austria'],
        long_description: '## Why\n\n**Tea.**',
      },
    });
    await page.reload();
    await page.getByText(name).waitFor();
    await page.goto(`${origin()}/submit`);
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('');
  });

  longTest('a user without a verified email address submits where none is required', async () => {
    user = await person(context.server, { email_verified: false });
    await openAs();
    await fill();
    expect(await page.getByText('verified email address').count()).toBe(0);
    await page.getByRole('button', { name: 'Submit for review' }).click();
    await page.getByRole('heading', { name: 'Your listing was submitted' }).waitFor();
  });

  longTest('the button of a signed-out visitor leads to signing in and back', async () => {
    await open();
    await page.getByLabel('Name', { exact: true }).fill('Tea');
    await page.getByRole('button', { name: 'Sign in to submit' }).click();
    await page.getByRole('button', { name: 'Sign in as user' }).click();
    await page.waitForURL(/\/submit\?draft=dft_/);
    await eventually(() => page.getByLabel('Name', { exact: true }).inputValue()).toBe('Tea');
    await page.getByRole('button', { name: 'Submit for review' }).waitFor();
    await page.goto(`${origin()}/me`);
    await page.getByRole('button', { name: 'Delete the draft Tea' }).click();
    await page.getByRole('link', { name: 'Tea', exact: true }).waitFor({ state: 'detached' });
  });

  longTest('problems of the draft stand beside inputs that were left, and a refused submission shows all', async () => {
    await openAs();
    await page.getByLabel('Web address').fill('no address');
    await page.getByLabel('Short description').focus();
    await page.locator('#input-url-problem').waitFor();
    expect(await page.locator('#input-name-problem').count()).toBe(0);
    await page.getByRole('button', { name: 'Submit for review' }).click();
    await page.locator('#input-name-problem').waitFor();
    expect(await page.evaluate('document.activeElement.name')).toBe('name');
    expect(await page.getByLabel('Web address').getAttribute('aria-describedby')).toContain('input-url-problem');
    expect(await violationsOf(page)).toEqual([]);
    expect(dataOf(await context.directory.ok(user, 'GET', '/api/me/submissions'))).toEqual([]);
  });

  longTest('listings of the same site are named, and a taken slug is said at its input', async () => {
    const url = `https://${unique('known').toLowerCase()}.example.com`;
    const known = await context.directory.live(context.directory.admin, { url });
    await openAs();
    await fill();
    await page.getByLabel('Web address').fill(`${url}/again`);
    await page.getByLabel('End of the address of the page').fill(known.slug);
    await page.getByText('The directory already has listings of this site.').waitFor();
    await page.getByLabel('City').focus();
    await page.locator('#input-slug-problem').waitFor();
    await page.getByRole('button', { name: 'Submit for review' }).click();
    await eventually(() => page.evaluate('document.activeElement.name')).toBe('slug');
  });

  longTest('has an input for each type of field, with opening hours as a week', async () => {
    const { directory } = context;
    const keys: Record<string, string> = {};
    const created = await directory.adminOk(
      'POST',
      '/api/admin/categories',
      category({ name: unique('With fields') }),
      201,
    );
    const { slug, name: label } = dataOf<{ slug: string; name: string }>(created);
    categoryName = label;
    const define = async (type: string, more: object = {}): Promise<void> => {
      const key = unique(type).replaceAll('-', '_').toLowerCase();
      keys[type] = key;
      const body = { key, type, label: `The ${type}`, categories: [slug], ...more };
      await directory.adminOk('POST', '/api/admin/fields', body, 201);
    };
    const options = [
      { value: 'a', label: 'Option A' },
      { value: 'b', label: 'Option B' },
    ];
    await define('text');
    await define('long_text');
    await define('number', { unit: 'kg', max: 10 });
    await define('select', { options });
    await define('multi_select', { options });
    await define('boolean');
    await define('date');
    await define('email', { required: true });
    await define('hours');
    await define('phone', { edit: 'staff' });
    await context.server.until(async () => {
      const { body } = await context.server.call('GET', '/submit');
      return String(body).includes('The phone');
    });
    await openAs();
    expect(await page.getByText('The text').count()).toBe(0);
    const name = await fill();
    await page.getByLabel('The text').fill('Green');
    await page.getByLabel('The long_text').fill('Long');
    await page.getByLabel('The number (kg)').fill('11');
    await page.getByLabel('The select').selectOption('Option B');
    await page.getByRole('group', { name: 'The multi_select' }).getByLabel('Option A').check();
    await page.getByLabel('The boolean').selectOption('Yes');
    await page.getByLabel('The date').fill('2026-03-04');
    await page.getByRole('button', { name: 'Add a time for Monday' }).click();
    await page.getByLabel('Monday, closes, time 1').fill('18:30');
    await page.getByLabel('Closed on').fill('2026-12-25');
    expect(await page.getByText('The phone').count()).toBe(0);
    await page.locator(`[id="input-fields-${keys.number}-problem"]`).waitFor();
    await page.getByLabel('The number (kg)').fill('9.5');
    for (const width of [1280, 360]) {
      await page.setViewportSize({ width, height: 900 });
      expect(await violationsOf(page)).toEqual([]);
      expect([width, await isTooWide(page)]).toEqual([width, false]);
    }
    await page.getByRole('button', { name: 'Submit for review' }).click();
    await page.locator(`[id="input-fields-${keys.email}-problem"]`).waitFor();
    await page.getByLabel('The email').fill('tea@example.com');
    await page.getByRole('button', { name: 'Preview' }).click();
    await page.getByRole('rowheader', { name: 'Monday' }).waitFor();
    await page.getByRole('button', { name: 'Back to the form' }).click();
    await page.getByRole('button', { name: 'Submit for review' }).click();
    await page.getByRole('heading', { name: 'Your listing was submitted' }).waitFor();
    const id = new URL(page.url()).searchParams.get('submitted');
    const { fields } = dataOf<{ fields: object }>(await directory.ok(user, 'GET', `/api/projects/${id}`));
    expect([name, fields]).toEqual([
      name,
      {
        [keys.text ?? '']: 'Green',
        [keys.long_text ?? '']: 'Long',
        [keys.number ?? '']: 9.5,
        [keys.select ?? '']: 'b',
        [keys.multi_select ?? '']: ['a'],
        [keys.boolean ?? '']: true,
        [keys.date ?? '']: '2026-03-04',
        [keys.email ?? '']: 'tea@example.com',
        [keys.hours ?? '']: { zone: 'UTC', week: { mo: [['09:00', '18:30']] }, closed: ['2026-12-25'] },
      },
    ]);
  });

  longTest('the preview is the page of the listing, with Markdown and without effect', async () => {
    await openAs();
    const name = await fill();
    await page
      .getByLabel('Full description')
      .fill('# Why\n\n<b>no</b> **Tea.** &copy; &nope; &#x1F375; [x](javascript:alert(1))');
    await saved();
    await page.getByRole('button', { name: 'Preview' }).click();
    await page.getByRole('heading', { level: 1, name }).waitFor();
    await page.getByRole('heading', { level: 3, name: 'Why' }).waitFor();
    await page.getByText('<b>no</b>').waitFor();
    await page.locator('.prose strong', { hasText: 'Tea.' }).waitFor();
    expect(await page.locator('a[href^="javascript"]').count()).toBe(0);
    expect(await page.locator('.listing-actions[inert]').count()).toBe(1);
    for (const width of [1280, 360]) {
      await page.setViewportSize({ width, height: 900 });
      expect(await violationsOf(page)).toEqual([]);
      expect([width, await isTooWide(page)]).toEqual([width, false]);
    }
    const wordsOf = async (): Promise<readonly string[]> =>
      (await page.locator('.listing-head, .listing-main, .site-link, .facts').allInnerTexts()).join(' ').split(/\s+/);
    await page.setViewportSize({ width: 1280, height: 900 });
    const shown = await wordsOf();
    const [draft] = await draftsOf();
    const listing = await context.directory.live(user, { ...draft?.content });
    await page.goto(`${origin()}/projects/${listing.slug}`);
    await page.getByText('Report this listing').waitFor();
    expect(await wordsOf()).toEqual(shown);
  });

  longTest('a draft that changed elsewhere is not overwritten without a question', async () => {
    await openAs();
    await page.getByLabel('Name', { exact: true }).fill('Mine');
    await saved();
    const [draft] = await draftsOf();
    const change = (name: string) =>
      context.directory.ok(user, 'PUT', `/api/me/drafts/${draft?.id}`, { content: { name } });
    await change('Other');
    await page.getByLabel('Name', { exact: true }).fill('Mine again');
    await page.getByText('This draft was changed in another window').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    expect((await draftsOf())[0]?.content).toEqual({ name: 'Other' });
    await page.getByRole('button', { name: 'Keep this version' }).click();
    await saved();
    expect((await draftsOf())[0]?.content).toMatchObject({ name: 'Mine again' });
    await change('Third');
    await page.getByLabel('Name', { exact: true }).fill('Lost');
    await page.getByRole('button', { name: 'Show the other version' }).click();
    await eventually(() => page.getByLabel('Name', { exact: true }).inputValue()).toBe('Third');
  });

  longTest('what cannot be saved on the account is kept in the browser and saved later', async () => {
    await openAs();
    await page.route('**/api/me/drafts', (route) => route.abort(), { times: 1 });
    await page.getByLabel('Name', { exact: true }).fill('Offline');
    await page.getByText('Not saved on your account yet').waitFor();
    await page.reload();
    await saved();
    expect((await draftsOf())[0]?.content).toMatchObject({ name: 'Offline' });
    await context.directory.ok(user, 'DELETE', `/api/me/drafts/${(await draftsOf())[0]?.id}`);
    await page.getByLabel('Name', { exact: true }).fill('Deleted elsewhere');
    await eventually(async () => (await draftsOf())[0]?.content).toMatchObject({ name: 'Deleted elsewhere' });
  });

  longTest('with too many drafts the text stays in the browser, and can be submitted', async () => {
    for (let index = 0; index < 20; index += 1)
      await context.directory.ok(user, 'POST', '/api/me/drafts', { content: {} }, 201);
    await openAs();
    await fill();
    await page.getByText('Kept in this browser only.').waitFor();
    await page.getByRole('button', { name: 'Submit for review' }).click();
    await page.getByRole('heading', { name: 'Your listing was submitted' }).waitFor();
  });

  longTest(
    'a listing is edited from the account: with its values, what is wrong, and what was changed meanwhile',
    async () => {
      const { directory } = context;
      const at = new Date(Date.now() + 86_400_000).toISOString().slice(0, 16);
      const { id } = await directory.submit(user, {
        name: unique('Edited'),
        tags: ['tea, black'],
        address_city: 'Lyon',
        publish_at: `${at}:00.000Z`,
      });
      await context.server.until(async () => {
        const { body } = await directory.ok(user, 'GET', '/api/me/submissions');
        return (body as { data: unknown[] }).data.length === 1;
      });
      const read = async () => dataOf<Record<string, unknown>>(await directory.ok(user, 'GET', `/api/projects/${id}`));
      await openAs('/submit');
      await page.goto(`${origin()}/me`);
      await page.getByRole('link', { name: 'Edit Edited-' }).click();
      await page.getByRole('heading', { level: 1, name: 'Edit Edited-' }).waitFor();
      expect(await page.getByLabel('Publish at').inputValue()).toBe(at);
      expect(await page.getByLabel('Tags').inputValue()).toBe('tea\\, black');
      const save = () => page.getByRole('button', { name: 'Save the changes' }).click();
      await save();
      await page.getByText('Nothing was changed.').waitFor();
      await page.getByLabel('Name', { exact: true }).fill('');
      await page.getByLabel('City').fill('');
      await save();
      await page.locator('#input-name-problem').waitFor();
      await eventually(() => page.evaluate('document.activeElement.name')).toBe('name');
      for (const width of [1280, 360]) {
        await page.setViewportSize({ width, height: 900 });
        expect(await violationsOf(page)).toEqual([]);
        expect([width, await isTooWide(page)]).toEqual([width, false]);
      }
      await page.getByLabel('Name', { exact: true }).fill('Edited again');
      await page.getByLabel('Publish at').fill('');
      await save();
      await page.getByText('Saved. A moderator reviews the listing next.').waitFor();
      expect(await read()).toMatchObject({
        name: 'Edited again',
        address_city: null,
        publish_at: null,
        tags: ['tea, black'],
      });
      await page.getByRole('heading', { level: 1, name: 'Edit Edited again' }).waitFor();

      await directory.adminOk('PUT', `/api/admin/projects/${id}/approve`);
      await page.getByLabel('Tags').fill('');
      await save();
      await page.getByText('This listing was changed since you opened it.').waitFor();
      expect(await read()).toMatchObject({ tags: ['tea, black'] });
      await page.getByRole('button', { name: 'Show the other version' }).click();
      await page.getByLabel('Name', { exact: true }).waitFor();
      expect(await page.getByLabel('Publish at').count()).toBe(0);
      await page.getByLabel('Tags').fill('');
      await save();
      await page.getByText('Saved. The page of the listing shows it.').waitFor();
      expect(await read()).toMatchObject({ tags: [], status: 'live' });
    },
  );

  longTest('a rejected listing is edited and submitted again; that of another user is not edited', async () => {
    const { directory } = context;
    const { id } = await directory.submit(user, { name: unique('Refused') });
    await directory.adminOk('PUT', `/api/admin/projects/${id}/reject`, { reason: 'Too short.' });
    await openAs(`/submit?edit=${id}`);
    await page.getByText('Reason: Too short.').waitFor();
    await page.getByLabel('Short description').fill('It keeps tea warm for hours.');
    await page.getByRole('button', { name: 'Save the changes' }).click();
    await page.getByText('Saved. Submit the listing again when it is ready.').waitFor();
    await page.getByRole('button', { name: 'Submit again' }).click();
    await page.getByText('Saved. A moderator reviews the listing next.').waitFor();
    expect(dataOf(await directory.ok(user, 'GET', `/api/projects/${id}`))).toMatchObject({
      status: 'pending',
      description: 'It keeps tea warm for hours.',
    });
    const other = await directory.live(directory.admin);
    await page.goto(`${origin()}/submit?edit=${other.id}`);
    await page.getByText('Only its owner can edit this listing.').waitFor();
  });

  longTest('a draft that is gone says so', async () => {
    await openAs();
    await page.goto(`${origin()}/submit?draft=dft_unknown`);
    await page.getByText('This draft does not exist any more').waitFor();
    expect(await violationsOf(page)).toEqual([]);
  });

  longTest('a time of publication is part of the submission', async () => {
    await openAs();
    await fill();
    const at = `${new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 14)}30`;
    await page.getByLabel('Publish at').fill(at);
    await page.getByRole('button', { name: 'Submit for review' }).click();
    await page.getByText('If it is approved, it becomes public on').waitFor();
    const id = new URL(page.url()).searchParams.get('submitted');
    const sent = dataOf<{ publish_at: string }>(await context.directory.ok(user, 'GET', `/api/projects/${id}`));
    expect(sent.publish_at).toBe(`${at}:00.000Z`);
  });

  it('premium is paid on the payment page, and the page after it shows the submission waiting', async () => {
    await openAs();
    const name = await fill();
    await page.getByLabel('Premium').check();
    await page.getByRole('button', { name: 'Continue to payment ($49.00)' }).click();
    await page.waitForURL(/\/_local\/checkout\/chk_/);
    await page.getByRole('button', { name: /cancel|expire/i }).click();
    await page.waitForURL(/\/checkout\/cancel\?checkout=chk_/);
    await page.getByText('Nothing was charged.').waitFor();
    await page.getByText('the draft is in your account').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole('main').getByRole('link', { name: 'Your account' }).click();
    await page.getByRole('link', { name }).click();
    await page.getByRole('button', { name: 'Continue to payment ($49.00)' }).click();
    await page.waitForURL(/\/_local\/checkout\/chk_/);
    await page.getByRole('button', { name: /^Pay/ }).click();
    await page.waitForURL(/\/checkout\/success\?checkout=chk_/);
    await page.getByText('Position in the queue').waitFor();
    await page.getByText(name).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    expect(await draftsOf()).toEqual([]);
  });

  longTest('premium is paid by a debit that takes days, and the page after it says so', async () => {
    await openAs();
    await fill();
    await page.getByLabel('Premium').check();
    await page.getByRole('button', { name: 'Continue to payment ($49.00)' }).click();
    await page.waitForURL(/\/_local\/checkout\/chk_/);
    await page.getByRole('button', { name: /takes days/ }).click();
    await page.waitForURL(/\/checkout\/success\?checkout=chk_/);
    await page.getByText('The payment is under way.').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    // The draft is kept until the payment arrives.
    expect(await draftsOf()).toHaveLength(1);
  });

  longTest('axe reports nothing right to left, and without script the page says what it needs', async () => {
    for (const width of [1280, 360]) {
      await page.setViewportSize({ width, height: 900 });
      for (const path of ['/submit', '/checkout/success', '/checkout/cancel']) {
        await page.goto(`${origin()}${path}`);
        await page.evaluate(`document.documentElement.dir = 'rtl'`);
        if (path === '/submit') await page.getByLabel('Name', { exact: true }).waitFor();
        expect([path, await violationsOf(page)]).toEqual([path, []]);
        expect([path, width, await isTooWide(page)]).toEqual([path, width, false]);
      }
    }
    const plain = await context.browser.newPage({ javaScriptEnabled: false });
    await plain.goto(`${origin()}/submit`);
    await plain.getByText('Submitting needs JavaScript.').waitFor();
    await plain.close();
  });

  longTest(
    'the page of a listing that is not public shows it to its owner and the staff, and to no one else',
    async () => {
      const { directory } = context;
      const name = unique('Hidden');
      const long_description = '**Tea.**';
      const { id, slug } = await directory.submit(user, { name, long_description });
      await directory.adminOk('PUT', `/api/admin/projects/${id}/reject`, { reason: 'Too short.' });
      await openAs();
      await page.goto(`${origin()}/projects/${slug}`);
      await page.getByRole('heading', { level: 1, name }).waitFor();
      await page.getByText('Reason: Too short.').waitFor();
      await page.locator('.prose strong', { hasText: 'Tea.' }).waitFor();
      for (const width of [1280, 360]) {
        await page.setViewportSize({ width, height: 900 });
        expect(await violationsOf(page)).toEqual([]);
        expect([width, await isTooWide(page)]).toEqual([width, false]);
      }
      for (const [visitor, isShown] of [
        [directory.admin, true],
        [await person(context.server), false],
      ] as const) {
        await page.context().clearCookies();
        await beginSession(page, visitor);
        const answered = page.waitForResponse((response) => response.url().endsWith(`/api/projects/${slug}`));
        await page.goto(`${origin()}/projects/${slug}`);
        await (await answered).finished();
        if (isShown) await page.getByRole('heading', { level: 1, name }).waitFor();
        else await page.getByRole('heading', { name: 'This page does not exist' }).waitFor();
      }
      expect(await page.getByText(name).count()).toBe(0);
    },
  );
});
