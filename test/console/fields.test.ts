import { expect } from 'vitest';
import type { AdminField } from '#contract/custom-fields.ts';
import { dataOf, person, unique } from '#test/support/fixtures.ts';
import { longTest } from '#test/support/long-test.ts';
import { importFile, readCsv } from '#test/support/uploads.ts';
import { violationsOf } from './axe.ts';
import { describeInBrowser, eventually } from './browser.ts';

describeInBrowser('the fields of listings', (context) => {
  const stored = async (label: string): Promise<AdminField | undefined> =>
    dataOf<AdminField[]>(await context.directory.adminOk('GET', '/api/admin/fields')).find(
      (one) => one.label === label,
    );

  longTest(
    'a field is defined, filled in a listing, shown with the label of its option, deleted and restored',
    async () => {
      const label = unique('Licence');
      const listing = await context.directory.live(await person(context.server));
      const page = await context.open('administrator', '/settings?tab=fields');
      await page.getByRole('button', { name: 'Add field' }).click();
      await page.getByLabel('Label', { exact: true }).fill(label);
      await page.getByLabel('Type').selectOption('select');
      await page.getByRole('button', { name: 'Add option' }).click();
      await page.getByLabel('Label of option 1').fill('Open source');
      await page.getByLabel('Filters lists and the map').check();
      expect(await page.getByLabel('Sorts lists').count()).toBe(0);
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByRole('link', { name: label }).waitFor();
      const field = await stored(label);
      expect(field).toMatchObject({
        type: 'select',
        filterable: true,
        options: [{ value: 'open-source', label: 'Open source' }],
      });
      expect(await violationsOf(page)).toEqual([]);

      const opened = await context.open('administrator', `/listings?open=${listing.id}`);
      await opened.getByLabel(label).selectOption({ label: 'Open source' });
      await opened.getByRole('button', { name: 'Save', exact: true }).click();
      await eventually(async () => (await context.directory.read(listing.id)).fields).toEqual({
        [field?.key ?? '']: 'open-source',
      });

      await page.reload();
      const row = page.getByRole('listitem').filter({ hasText: label });
      await row.getByRole('button', { name: 'Delete' }).click();
      await page.getByText('1 listing would no longer show it.').waitFor();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      const deleted = page.getByRole('region', { name: 'Deleted fields' });
      await deleted.getByText(label).waitFor();
      await deleted.getByRole('listitem').filter({ hasText: label }).getByRole('button', { name: 'Restore' }).click();
      await eventually(async () => (await stored(label))?.deleted_at).toBe(null);
    },
  );

  longTest(
    'the listings are filtered and sorted by fields, whose columns are chosen and which a saved view keeps',
    async () => {
      const { directory } = context;
      const word = unique('Field').toLowerCase().replaceAll(/\W/g, '');
      const labels = {
        seats: `Seats ${word}`,
        city: `City ${word}`,
        kinds: `Kinds ${word}`,
        open_air: `Outside ${word}`,
      };
      const options = ['Red', 'Green'].map((label) => ({ value: label.toLowerCase(), label }));
      const keyOf = (name: keyof typeof labels) => `${name}_${word}`;
      const define = async (name: keyof typeof labels, given: object) =>
        await directory.adminOk(
          'POST',
          '/api/admin/fields',
          { key: keyOf(name), label: labels[name], filterable: true, ...given },
          201,
        );
      await define('seats', { type: 'number', sortable: true, access: 'staff', unit: 'pcs' });
      await define('city', { type: 'text' });
      await define('kinds', { type: 'multi_select', options });
      await define('open_air', { type: 'boolean' });
      const owner = await person(context.server);
      const add = async (name: string, values: Partial<Record<keyof typeof labels, unknown>>) => {
        const { id } = await directory.live(owner, { name: `${name} ${word}` });
        const fields = Object.fromEntries(Object.entries(values).map(([key, value]) => [`${key}_${word}`, value]));
        await directory.adminOk('PUT', `/api/admin/projects/${id}`, { fields });
      };
      await add('Small', { seats: 10, city: 'Berne', kinds: ['red'], open_air: true });
      await add('Large', { seats: 300, city: 'Zürich', kinds: ['red', 'green'], open_air: false });
      await add('Empty', {});

      const page = await context.open('administrator', `/listings?q=${word}&sort=name`);
      const names = async () =>
        (await page.locator('td.main-cell a').allInnerTexts()).map((name) => name.replace(` ${word}`, ''));
      await eventually(names).toEqual(['Empty', 'Large', 'Small']);
      await page.getByText('Columns', { exact: true }).click();
      for (const label of [labels.seats, labels.kinds]) await page.getByLabel(label, { exact: true }).check();
      await page.keyboard.press('Escape');
      await page.getByRole('cell', { name: '300 pcs' }).waitFor();
      await page.getByRole('cell', { name: 'Red, Green' }).waitFor();

      const heading = page.getByRole('button', { name: labels.seats });
      await heading.click();
      await eventually(names).toEqual(['Large', 'Small', 'Empty']);
      await heading.click();
      await eventually(names).toEqual(['Small', 'Large', 'Empty']);
      expect(new URL(page.url()).searchParams.get('sort')).toBe(`fields.${keyOf('seats')}`);
      await page.getByLabel('Sort').selectOption(`${labels.seats}, descending`);
      await eventually(names).toEqual(['Large', 'Small', 'Empty']);

      const dialog = page.getByRole('dialog');
      const chips = page.getByRole('listitem').filter({ hasText: word });
      const filterBy = async (fill: () => Promise<void>) => {
        await page.getByRole('button', { name: 'Fields', exact: true }).click();
        await fill();
        await dialog.getByRole('button', { name: 'Apply' }).click();
      };
      const remove = async (label: string) =>
        await page.getByRole('button', { name: `Remove the filter ${label}` }).click();
      await filterBy(async () => {
        await dialog.getByLabel(`${labels.seats} (pcs) from`).fill('20');
        await dialog.getByLabel(`${labels.seats} (pcs) to`).fill('5');
      });
      await dialog.getByText('must not end before it begins').first().waitFor();
      expect(await violationsOf(page)).toEqual([]);
      await dialog.getByLabel(`${labels.seats} (pcs) to`).fill('');
      await dialog.getByRole('button', { name: 'Apply' }).click();
      await eventually(names).toEqual(['Large']);
      await page.reload();
      await eventually(names).toEqual(['Large']);
      // The chip has the key until the definitions are loaded.
      await eventually(() => chips.allInnerTexts()).toEqual([`${labels.seats}: 20 –`]);
      await remove(labels.seats);

      await filterBy(async () => await dialog.getByLabel(labels.city, { exact: true }).fill('zurich'));
      await eventually(names).toEqual(['Large']);
      await remove(labels.city);
      await filterBy(async () => {
        const kinds = dialog.getByRole('group', { name: labels.kinds });
        await kinds.getByLabel('Red').check();
        await kinds.getByLabel('Green').check();
        await dialog.getByLabel('Every one of these').check();
      });
      await eventually(names).toEqual(['Large']);
      expect(await chips.allInnerTexts()).toEqual([`${labels.kinds}: Red, Green (Every one of these)`]);
      await remove(labels.kinds);
      await filterBy(async () => void (await dialog.getByLabel(labels.open_air).selectOption('Yes')));
      await eventually(names).toEqual(['Small']);
      await page.getByText('Saved views').click();
      await page.getByLabel('Name of the view').fill(word);
      await page.getByRole('button', { name: 'Save view' }).click();
      await page.keyboard.press('Escape');
      await remove(labels.open_air);
      await filterBy(async () => await dialog.getByLabel(`Any value of ${labels.city}`).check());
      await eventually(names).toEqual(['Large', 'Small']);

      // A field of a saved view that is gone can be removed from it.
      await directory.adminOk('DELETE', `/api/admin/fields/${keyOf('open_air')}`);
      await page.getByText('Saved views').click();
      await page.getByRole('link', { name: word, exact: true }).click();
      await page.getByText('is not a filterable field').first().waitFor();
      await page.getByRole('button', { name: /^Remove the filter/ }).click();
      await eventually(names).toEqual(['Large', 'Small', 'Empty']);
      for (const name of ['seats', 'city', 'kinds'] as const) {
        await directory.adminOk('DELETE', `/api/admin/fields/${keyOf(name)}`);
      }
    },
  );

  longTest(
    'an export of the listings that match has the fields, and an import of the file brings their values back',
    async () => {
      const { directory } = context;
      const word = unique('Taken').toLowerCase().replaceAll(/\W/g, '');
      const options = ['Red', 'Green'].map((label) => ({ value: label.toLowerCase(), label }));
      const values = {
        text: '=1|2, "quoted"',
        number: -2.5,
        multi_select: ['red', 'green'],
        boolean: false,
        hours: { zone: 'Europe/Berlin', week: { mo: [['09:00', '17:30']] }, closed: ['2026-12-24'] },
      };
      const types = Object.keys(values) as (keyof typeof values)[];
      const keyOf = (type: keyof typeof values) => `${type}_${word}`;
      const byKey = (given: Readonly<Partial<Record<keyof typeof values, unknown>>>) =>
        Object.fromEntries(Object.entries(given).map(([type, value]) => [`${type}_${word}`, value]));
      for (const type of types) {
        const field = { key: keyOf(type), label: `A ${type} ${word}`, type, access: 'staff' };
        const given = type === 'multi_select' ? { ...field, options } : field;
        await directory.adminOk('POST', '/api/admin/fields', given, 201);
      }
      const owner = await person(context.server);
      const full = await directory.live(owner, { name: `Full ${word}` });
      const empty = await directory.live(owner, { name: `Empty ${word}` });
      const fill = async (id: string, fields: object) =>
        await directory.adminOk('PUT', `/api/admin/projects/${id}`, { fields });
      await fill(full.id, byKey(values));

      const page = await context.open('administrator', `/listings?q=${word}&sort=name`);
      await page.getByRole('link', { name: `Full ${word}` }).waitFor();
      await page.getByRole('button', { name: 'Export' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel(`A boolean ${word}`).uncheck();
      const downloading = page.waitForEvent('download');
      await dialog.getByRole('button', { name: 'Export 2' }).click();
      const file = (await (await (await downloading).createReadStream()).toArray()).join('');
      const [header = []] = readCsv(file);
      const columns = header.filter((name) => name.startsWith('fields.') && name.endsWith(word));
      expect(columns).toEqual(types.filter((type) => type !== 'boolean').map((type) => `fields.${keyOf(type)}`));

      await fill(full.id, byKey({ text: 'other', number: null, multi_select: ['green'], boolean: true, hours: null }));
      const mapping = Object.fromEntries(['id', 'name', ...columns].map((column) => [column, column]));
      const report = await importFile(context.server, directory.admin.token, file, {
        columns: mapping,
        match_by: 'id',
        on_conflict: 'update',
      });
      expect(report).toMatchObject({ updated: 2, failed: 0 });
      const fieldsOf = async (id: string) => (await directory.read(id, directory.admin)).fields;
      expect(await fieldsOf(full.id)).toEqual(byKey({ ...values, boolean: true }));
      expect(await fieldsOf(empty.id)).toEqual({});
      for (const type of types) await directory.adminOk('DELETE', `/api/admin/fields/${keyOf(type)}`);
    },
  );
});
