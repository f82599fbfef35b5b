import { expect, it } from 'vitest';
import { metaOf, person, unique } from '#test/support/fixtures.ts';
import { longTest } from '#test/support/long-test.ts';
import { csv, importFile } from '#test/support/uploads.ts';
import { violationsOf } from './axe.ts';
import { describeInBrowser, eventually, isTooWide } from './browser.ts';

describeInBrowser('the listings', (context) => {
  const live = async (name: string): Promise<string> =>
    (await context.directory.project('live', await person(context.server), { name })).id;

  it('the listings are searched and filtered in the address, which Back and reload restore', async () => {
    await live('Findable lighthouse');
    const page = await context.open('moderator', '/listings');
    const link = page.getByRole('link', { name: 'Findable lighthouse' });
    await page.getByLabel('Search', { exact: true }).fill('lighthouse');
    await page.waitForURL(/q=lighthouse/);
    await page.getByRole('group', { name: 'Status' }).getByRole('link', { name: /^Live/ }).click();
    await page.waitForURL(/status=live/);
    await link.click();
    await page.getByRole('heading', { level: 2, name: 'Findable lighthouse' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { level: 2, name: 'Findable lighthouse' }).waitFor();
    await page.goBack();
    await link.waitFor();
    await eventually(async () => await page.getByLabel('Search', { exact: true }).inputValue()).toBe('lighthouse');
    await eventually(async () => await page.getByRole('button', { name: 'Export' }).count()).toBe(0);
  });

  longTest(
    'the listings are searched by words with typos, the best match first, and a correction is offered',
    async () => {
      const owner = await person(context.server);
      await context.directory.live(owner, { name: 'Kaleidoscope workshop zyq', description: 'Made by hand.' });
      await context.directory.live(owner, { name: 'Museum of optics', description: 'Keeps a kaleidoscope.' });
      const page = await context.open('moderator', '/listings');
      const search = page.getByLabel('Search', { exact: true });
      await search.fill('kaleidoscpe');
      const names = page.locator('td.main-cell a');
      await eventually(async () => await names.allInnerTexts()).toEqual([
        'Kaleidoscope workshop zyq',
        'Museum of optics',
      ]);
      expect(await page.locator('td.main-cell mark').allInnerTexts()).toEqual(['Kaleidoscope']);
      expect(await page.getByLabel('Sort').inputValue()).toBe('relevance');
      await page.getByLabel('Sort').selectOption('Newest');
      await eventually(async () => await names.allInnerTexts()).toEqual([
        'Museum of optics',
        'Kaleidoscope workshop zyq',
      ]);

      await search.fill('kaleidoscope zyx');
      await page.getByText('These have at least half of them.').waitFor();
      await page.getByLabel('Select all on this page').check();
      expect(await page.getByRole('button', { name: /^Select all \d/ }).count()).toBe(0);
      expect(await violationsOf(page)).toEqual([]);
      await page.getByRole('button', { name: 'Did you mean “kaleidoscope zyq”?' }).click();
      await eventually(async () => await names.allInnerTexts()).toEqual(['Kaleidoscope workshop zyq']);

      // A part of a URL is searched as it is.
      const url = 'https://optics.example/kaleidoscope/visit';
      await context.directory.live(owner, { url });
      await search.fill(url.slice(8, -2));
      await eventually(async () => await names.count()).toBe(1);
    },
  );

  longTest(
    'the page Listings says where listings come from when there are none, and when no listing matches the filters',
    async () => {
      const page = await context.open('administrator', '/comments');
      const meta = { total: 0, page: 1, pageSize: 50, hasMore: false, nextCursor: null };
      await page.route('**/api/admin/projects?*', (route) => route.fulfill({ json: { data: [], meta } }));
      await page.getByRole('navigation').getByRole('link', { name: 'Listings' }).click();
      await page.getByText('No listings yet').waitFor();
      await page.getByLabel('Search', { exact: true }).fill('lighthouse');
      await page.getByText('No listing matches these filters.').waitFor();
      await page.getByLabel('Search', { exact: true }).fill('');
      await page.getByRole('link', { name: 'Import listings from a CSV file' }).click();
      await page.getByRole('heading', { level: 1, name: 'Imports' }).waitFor();
    },
  );

  it('the listings are edited with the messages of the contract, merged after a concurrent change, and restored', async () => {
    const { directory } = context;
    const id = await live('Original');
    const page = await context.open('administrator', `/listings?open=${id}`);
    const field = (name: string) => page.getByLabel(name, { exact: true });
    await field('URL').fill('no address');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('must be an http or https address').waitFor();
    await field('URL').fill('https://mine.example');
    await field('Name').fill('My name');
    // The form keeps the version that it was opened with.
    await directory.ok(directory.admin, 'PUT', `/api/admin/projects/${id}`, { name: 'Their name', tags: ['theirs'] });
    await page.getByRole('button', { name: 'Save' }).click();
    const dialog = page.getByRole('dialog', { name: 'Changed by someone else' });
    await dialog.getByRole('button', { name: 'Theirs' }).click();
    expect(await violationsOf(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await eventually(async () => await directory.read(id, directory.admin)).toMatchObject({
      name: 'Their name',
      url: 'https://mine.example',
      tags: ['theirs'],
    });
    // Until the form has the response, leaving it asks about words that are not saved.
    await page.locator('.save-bar .truncate').waitFor({ state: 'hidden' });

    await page.getByRole('link', { name: 'History' }).click();
    await page.getByRole('button', { name: 'Restore' }).first().click();
    await eventually(async () => (await directory.read(id, directory.admin)).url).not.toBe('https://mine.example');
  });

  longTest('the listings are deleted with an undo, and changed in bulk after a dry run', async () => {
    const { directory } = context;
    const ids = [await live('Zebra one'), await live('Zebra two')];
    const page = await context.open('administrator', '/listings?q=zebra');
    for (const name of ['Zebra one', 'Zebra two']) await page.getByLabel(`Select ${name}`).check();
    await page.getByRole('button', { name: 'Delete 2' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Dry run' }).click();
    await dialog.getByText('Updated 2').waitFor();
    const deleted = async () =>
      (await Promise.all(ids.map((id) => directory.read(id, directory.admin)))).map((one) => one.deleted_at !== null);
    expect(await deleted()).toEqual([false, false]);
    await dialog.getByRole('button', { name: 'Delete 2' }).click();
    await eventually(deleted).toEqual([true, true]);
    await eventually(() => page.evaluate('document.activeElement !== document.body')).toBe(true);
    await page.getByRole('button', { name: 'Undo' }).click();
    await eventually(deleted).toEqual([false, false]);
  });

  longTest(
    'the listings of one owner are listed with a chip that removes the filter, which a link from the user sets',
    async () => {
      const owner = await person(context.server, { name: unique('Owner') });
      await context.directory.live(owner, { name: 'Lagoon of one owner' });
      await live('Lagoon of another');
      const page = await context.open('administrator', `/users?open=${owner.id}`);
      await page.getByRole('link', { name: 'Show all Listings' }).click();
      await page.waitForURL(/owner=/);
      await page.getByRole('link', { name: 'Lagoon of one owner' }).waitFor();
      expect(await page.getByRole('row').count()).toBe(2);
      await page.getByText(`Owner: ${owner.name}`).waitFor();
      await page.getByRole('button', { name: 'Show the listings of every owner' }).click();
      await page.getByLabel('Search', { exact: true }).fill('lagoon of');
      await page.getByRole('link', { name: 'Lagoon of another' }).waitFor();
      await page.getByRole('link', { name: 'Lagoon of one owner' }).waitFor();
    },
  );

  longTest(
    'the selected listings are in the address, stay over an opened listing and a reload, and are counted per action',
    async () => {
      const { directory } = context;
      await live('Quarry one');
      const deleted = await live('Quarry two');
      await directory.ok(directory.admin, 'PUT', `/api/admin/projects/${deleted}`, {
        deleted_at: new Date().toISOString(),
      });
      const page = await context.open('administrator', '/listings?q=quarry&status=all');
      await page.getByLabel('Select all on this page').check();
      await page.getByText('2 selected').waitFor();
      const actions = page.locator('.bulk-bar').getByRole('button');
      await eventually(async () => await actions.allTextContents()).toEqual([
        'Delete 1',
        'Restore 1',
        'Set categories 1',
        'Clear selection',
      ]);
      await page.getByRole('link', { name: 'Quarry one' }).click();
      await page.getByRole('heading', { level: 2, name: 'Quarry one' }).waitFor();
      await page.goBack();
      await page.getByText('2 selected').waitFor();
      await page.reload();
      await page.getByText('2 selected').waitFor();
      await page.getByLabel('Search', { exact: true }).fill('nothing matches this');
      await page.getByText('2 not on this page').waitFor();
      await page.getByLabel('Search', { exact: true }).fill('');
      await page.getByRole('group', { name: 'Status' }).getByRole('link', { name: 'Deleted' }).click();
      await page.getByRole('link', { name: 'Quarry two' }).waitFor();
    },
  );

  longTest(
    'the listings that match the filters are changed in requests of 100, which are undone together',
    async () => {
      const { directory } = context;
      const rows = Array.from({ length: 120 }, (_, at) => [
        `Glacier ${at}`,
        `https://glacier-${at}.example/`,
        'Ice',
        directory.category,
      ]);
      const names = ['name', 'url', 'description', 'categories'];
      const columns = Object.fromEntries(names.map((name) => [name, name]));
      await importFile(context.server, directory.admin.token, csv(names, ...rows), { columns });
      const page = await context.open('administrator', '/listings?q=glacier');
      await page.getByText('1–50 of 120').waitFor();
      await page.getByLabel('Select all on this page').check();
      await page.getByRole('button', { name: 'Select all 120 matching' }).click();
      await page.reload();
      await page.getByText('All 120 matching selected').waitFor();
      await page.getByRole('button', { name: 'Delete 120' }).click();
      const dialog = page.getByRole('dialog', { name: 'Delete 120 listings?' });
      await dialog.getByRole('button', { name: 'Dry run' }).click();
      await dialog.getByText('Updated 120').waitFor();
      await dialog.getByRole('button', { name: 'Delete 120' }).click();
      await page.getByRole('status').filter({ hasText: 'Changed 120 listings.' }).waitFor();
      const count = async (status: string) =>
        metaOf(await directory.adminOk('GET', `/api/admin/projects?q=glacier&status=${status}`)).total;
      await eventually(async () => await count('deleted')).toBe(120);
      await page.getByRole('button', { name: 'Undo' }).click();
      await eventually(async () => await count('deleted')).toBe(0);
    },
  );

  longTest('the menus of the listings are closed by Escape and by a click outside', async () => {
    const page = await context.open('administrator', '/listings');
    await page.locator('summary', { hasText: 'Columns' }).click();
    await page.getByLabel('Pricing').last().waitFor();
    // The page may still be loading, and a key is lost while it is drawn again.
    await eventually(async () => {
      await page.keyboard.press('Escape');
      return await page.locator('details.menu[open]').count();
    }).toBe(0);
    await page.locator('summary', { hasText: 'Columns' }).click();
    await page.locator('summary', { hasText: 'Saved views' }).click();
    await eventually(async () => await page.locator('details.menu[open]').count()).toBe(1);
    await page.getByRole('heading', { level: 1 }).click();
    await eventually(async () => await page.locator('details.menu[open]').count()).toBe(0);
  });

  longTest(
    'an administrator adds a listing, opens it, and adds a copy; messages of the contract stand at the fields',
    async () => {
      const { directory } = context;
      const { data: categories } = (await directory.ok(directory.admin, 'GET', '/api/categories')).body as {
        data: { slug: string; name: string }[];
      };
      const [category = { slug: '', name: '' }] = categories;
      const page = await context.open('administrator', '/listings');
      await page.getByRole('link', { name: 'New listing' }).click();
      const dialog = page.getByRole('dialog', { name: 'New listing' });
      const name = `Made here ${Date.now()}`;
      await dialog.getByLabel('Name', { exact: true }).fill(name);
      await dialog.getByLabel('URL', { exact: true }).fill('no address');
      await dialog.getByRole('button', { name: 'Save' }).click();
      await dialog.getByText('must be an http or https address').waitFor();
      await dialog.getByLabel('URL', { exact: true }).fill('https://made-here.example');
      await dialog.getByLabel('Description', { exact: true }).fill('Made in the console.');
      await dialog.getByLabel('Categories').fill(category.name);
      await dialog.getByLabel('Categories').press('Enter');
      expect(await violationsOf(page)).toEqual([]);
      await dialog.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('heading', { level: 2, name }).waitFor();
      const id = new URL(page.url()).searchParams.get('open') ?? '';
      const made = await directory.read(id, directory.admin);
      expect(made).toMatchObject({ name, status: 'live', categories: [category.slug] });
      const publicPage = page.getByRole('link', { name: 'Public page' });
      expect(await publicPage.getAttribute('href')).toBe(`${new URL(page.url()).origin}/projects/${made.slug}`);

      await page.getByRole('link', { name: 'Duplicate' }).click();
      const copy = page.getByRole('dialog', { name: 'New listing' });
      await eventually(() => copy.getByLabel('Name', { exact: true }).inputValue()).toBe(`Copy of ${name}`);
      await copy.getByLabel('Publish at once').uncheck();
      await copy.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('heading', { level: 2, name: `Copy of ${name}` }).waitFor();
      expect(await publicPage.count()).toBe(0);
    },
  );

  longTest('a row opens where it is pressed, and Ctrl S saves with the number of changes in sight', async () => {
    const id = await live('Pressed anywhere');
    const page = await context.open('administrator', '/listings?q=Pressed+anywhere');
    await page.setViewportSize({ width: 1280, height: 700 });
    await page
      .getByRole('row', { name: /Pressed anywhere/ })
      .getByText('Live')
      .click();
    await page.getByRole('heading', { level: 2, name: 'Pressed anywhere' }).waitFor();
    await page.getByLabel('Description', { exact: true }).fill('Saved by a key.');
    await page.getByText('1 unsaved change: Description').waitFor();
    const save = page.getByRole('button', { name: 'Save', exact: true });
    expect((await save.boundingBox())?.y).toBeLessThan(700);
    await page.keyboard.press('Control+s');
    await eventually(async () => (await context.directory.read(id, context.directory.admin)).description).toBe(
      'Saved by a key.',
    );
  });

  longTest('the form of a listing shows the images at the addresses in it, and says which is none', async () => {
    const { id, slug } = await context.directory.live(context.directory.admin);
    const page = await context.open('administrator', `/listings?open=${id}`);
    const { origin } = new URL(page.url());
    await page.getByLabel('Logo URL').fill(`${origin}/badges/${slug}.svg`);
    const image = page.getByRole('img', { name: `Image at ${origin}/badges/${slug}.svg` });
    await eventually(
      async () => await image.evaluate((one) => (one as unknown as { naturalWidth: number }).naturalWidth),
    ).toBeGreaterThan(0);
    expect(await violationsOf(page)).toEqual([]);
    await page.getByLabel('Logo URL').fill(`${origin}/api/health`);
    await page.getByText(`There is no image at ${origin}/api/health.`).waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Discard' }).click();
  });

  longTest('the matching listings are exported with chosen columns', async () => {
    const mark = `exported${Date.now()}`;
    const { directory } = context;
    const key = mark.slice(0, 40);
    await directory.adminOk('POST', '/api/admin/fields', { key, type: 'text', label: 'Motto' }, 201);
    const fields = { [key]: 'A motto' };
    await directory.adminOk('PUT', `/api/admin/projects/${await live(`${mark} one`)}`, { fields });
    await live(`${mark} two`);
    const page = await context.open('administrator', `/listings?q=${mark}`);
    await page
      .getByRole('row', { name: new RegExp(mark) })
      .first()
      .waitFor();
    // The list leaves values out of large listings, which the file has.
    await page.route('**/api/admin/projects?*limit=100*', async (route) => {
      const { data, meta } = (await (await route.fetch()).json()) as { data: object[]; meta: object };
      await route.fulfill({ json: { data: data.map((one) => ({ ...one, fields: {}, truncated: true })), meta } });
    });
    await page.getByRole('button', { name: 'Export' }).click();
    const dialog = page.getByRole('dialog', { name: 'Export listings' });
    await dialog.getByLabel('The 2 that match the filters').waitFor();
    await dialog.getByLabel('Description').uncheck();
    const fileOf = async (button: RegExp) => {
      const downloading = page.waitForEvent('download');
      await dialog.getByRole('button', { name: button }).click();
      return (await (await (await downloading).createReadStream()).toArray()).join('');
    };
    const lines = (await fileOf(/^Export 2$/)).trimEnd().split('\r\n');
    expect(lines).toHaveLength(3);
    // Spreadsheets take a file without a byte order mark for one in another encoding.
    expect(lines[0]).toMatch(/^\ufeffid,name,slug,url,status,/);
    expect(lines.join()).toContain(`${mark} two`);
    expect(lines.filter((line) => line.endsWith(',A motto'))).toHaveLength(1);
    await page.getByRole('button', { name: 'Export', exact: true }).click();
    await dialog.getByLabel(/^All /).check();
    expect(await fileOf(/^Export /)).toMatch(/^\ufeffid,slug,name,/);
  });

  longTest('the map shows the live listings that match in clusters, and opens them, by keyboard too', async () => {
    const word = `mapped${Date.now()}`;
    const { directory } = context;
    const at = async (name: string, latitude: number, longitude: number) =>
      await directory.live(directory.admin, { name: `${name} ${word}`, latitude, longitude });
    await at('Lisbon', 38.72, -9.14);
    await at('Porto', 41.15, -8.61);
    await at('First', 52.52, 13.4);
    await at('Second', 52.52, 13.4);
    await directory.live(directory.admin, { name: `Nowhere ${word}` });
    const page = await context.open('administrator', `/listings?q=${word}`);
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await page.getByRole('button', { name: 'Map', exact: true }).click();
    await page.getByText('Listings in view: 4').waitFor();
    const surface = page.getByRole('application');
    const [zoomIn, samePlace] = ['2 listings, zoom in', '2 listings at the same place'];
    // A cluster is set apart by its zoom, and a reload shows the same part of the map.
    await surface.focus();
    const cluster = page.getByRole('button', { name: /\d listings, zoom in/ }).first();
    await cluster.press('Enter');
    await eventually(() => new URL(page.url()).hash).not.toMatch(/^#[0-2]\./);
    await page.goto(`${page.url().split('#')[0]}#4.00/40.00/-9.00`);
    await page.reload();
    await page.getByRole('button', { name: zoomIn }).first().press('Enter');
    const lisbon = page.getByRole('button', { name: `Lisbon ${word}` });
    await lisbon.waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await lisbon.press('Enter');
    await page.getByRole('heading', { level: 2, name: `Lisbon ${word}` }).waitFor();
    await page.goBack();
    await lisbon.waitFor();

    await page.getByRole('button', { name: 'Whole map' }).click();
    await page.goto(`${page.url().split('#')[0]}#12.00/52.52/13.40`);
    await page.reload();
    await page.getByRole('button', { name: samePlace }).press('Enter');
    await page.getByRole('link', { name: `First ${word}` }).waitFor();
    await page.keyboard.press('Escape');
    expect(await page.getByRole('link', { name: `First ${word}` }).count()).toBe(0);
    await page.getByRole('button', { name: samePlace }).press('Enter');
    await page.getByRole('link', { name: `Second ${word}` }).click();
    await page.getByRole('heading', { level: 2, name: `Second ${word}` }).waitFor();
    await page.goBack();

    // Filters change the map at once; what only the staff sees is not on it.
    await page.getByLabel('Pricing').selectOption('paid');
    await page.getByText('Listings in view: 0').waitFor();
    await page.setViewportSize({ width: 390, height: 800 });
    expect(await isTooWide(page)).toBe(false);
    await page.getByRole('button', { name: 'Map', exact: true }).click();
    await page.getByText('No listing matches these filters.').waitFor();
  });
});
