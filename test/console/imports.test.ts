import { expect, it } from 'vitest';
import { encode } from '#test/support/encode.ts';
import { dataOf, unique } from '#test/support/fixtures.ts';
import { longTest } from '#test/support/long-test.ts';
import { violationsOf } from './axe.ts';
import { describeInBrowser, eventually } from './browser.ts';

describeInBrowser('the page Imports', (context) => {
  it('the page Imports takes a file, maps its columns, tries, imports and reverts it', async () => {
    const name = unique('Imported');
    const page = await context.open('administrator', '/imports');
    await page.getByLabel('File', { exact: true }).setInputFiles({
      name: `${name}.csv`,
      mimeType: 'text/csv',
      buffer: Buffer.from(
        `Title,url,description,categories\n${name},https://${name}.example.com/,,${context.directory.category}\n,x,,\n`,
      ),
    });
    await page.getByRole('button', { name: 'Dry run' }).waitFor();
    await page.getByLabel('Title').selectOption('Name');
    await page.getByRole('button', { name: 'Add a default' }).click();
    await page.getByLabel('Field', { exact: true }).selectOption('Description');
    await page.getByLabel('Default of Description').fill('From the default');
    await page.getByRole('cell', { name: 'From the default' }).first().waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'Dry run' }).click();
    await page.getByRole('heading', { name: 'Result of the dry run' }).waitFor();
    await page.getByRole('listitem').filter({ hasText: '1 row: ' }).first().waitFor();
    await page.getByText('The dry run would write 1 listing.').waitFor();
    await page.getByText('Rows without a slug are compared by URL, each with a listing of its own.').waitFor();
    await page.getByLabel('Match by').selectOption('URL');
    await page.getByText('The mapping was changed after the dry run.').waitFor();
    await page.getByLabel('Match by').selectOption('Slug');
    // The mapping is still there.
    await eventually(async () => await page.getByLabel('Title').inputValue()).toBe('name');
    await eventually(async () => await page.getByLabel('Default of Description').inputValue()).toBe('From the default');
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByRole('heading', { name: 'Result', exact: true }).waitFor();
    await page.reload();
    // The outcome stays on every page until it is dismissed.
    const tray = page.getByRole('list', { name: 'Work in the background' });
    await tray.getByText('1 created, 0 updated, 1 failed.').waitFor();
    await tray.getByRole('button', { name: 'Dismiss' }).click();
    await eventually(async () => await tray.count()).toBe(0);
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download 1 failed row' }).click();
    expect((await download).suggestedFilename()).toBe(`${name}-failed-rows.csv`);
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'Revert' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revert' }).click();
    await page.getByRole('status').filter({ hasText: 'Reverted 1, kept 0.' }).waitFor();
    await page.getByText('Reverted', { exact: true }).waitFor();
    await eventually(async () => await page.getByRole('button', { name: 'Revert' }).count()).toBe(0);
  });

  it('the page Imports proposes the encoding of a file, shows its rows in another one, and imports what it shows', async () => {
    const name = unique('Кафе');
    const page = await context.open('administrator', '/imports');
    await page.getByLabel('File', { exact: true }).setInputFiles({
      name: `${unique('cyrillic')}.csv`,
      mimeType: 'text/csv',
      buffer: encode(
        `name,url,Описание,categories\n${name},https://x.example/,Свежая выпечка каждый день.,${context.directory.category}\n`,
        'windows-1251',
      ),
    });
    const encoding = page.getByLabel('Encoding');
    await eventually(async () => await encoding.inputValue()).toBe('windows-1251');
    await page.getByLabel('Описание').selectOption('Description');
    await encoding.selectOption('Western European (Windows)');
    const wrong = 'Ñâåæàÿ âûïå÷êà êàæäûé äåíü.';
    await page.getByRole('cell', { name: wrong }).waitFor();
    // The column has another name, and its field.
    await eventually(async () => await page.getByLabel('Îïèñàíèå').inputValue()).toBe('description');
    expect(await violationsOf(page)).toEqual([]);
    await encoding.selectOption('Cyrillic (Windows)');
    await page.getByRole('cell', { name: 'Свежая выпечка каждый день.' }).waitFor();
    await page.reload();
    await page.getByRole('cell', { name: 'Свежая выпечка каждый день.' }).waitFor();
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByRole('heading', { name: 'Result', exact: true }).waitFor();
    await eventually(async () => {
      const found = await context.directory.get(`/api/projects?q=${encodeURIComponent(name)}`);
      return dataOf<{ description: string }[]>(found).map(({ description }) => description);
    }).toEqual(['Свежая выпечка каждый день.']);
  });

  longTest('the page Imports maps columns of any name, and says which ones set nothing', async () => {
    const name = unique('Named');
    const page = await context.open('administrator', '/imports');
    await page.getByLabel('File', { exact: true }).setInputFiles({
      name: `${name}.csv`,
      mimeType: 'text/csv',
      buffer: Buffer.from(
        `sep=|\n__proto__|constructor|toString|categories|views_count|GPS\n"${name}" | ${unique('columns')}.example|<p>d</p>|${context.directory.category}|7|48,5; 2,25\n`,
      ),
    });
    const ignored = page.getByText('An import does not set the fields of these columns: views_count.');
    await ignored.waitFor();
    for (const [column, field] of [
      ['__proto__', 'Name'],
      ['constructor', 'URL'],
      ['toString', 'Description'],
    ] as const) {
      await eventually(async () => await page.getByLabel(column).inputValue()).toBe('');
      await page.getByLabel(column).selectOption(field);
    }
    await page.getByLabel('GPS').selectOption('Coordinates');
    await page.getByRole('cell', { name: '48,5; 2,25' }).waitFor();
    const texts = page.getByLabel('Texts');
    await eventually(async () => await texts.inputValue()).toBe('html');
    await page.getByRole('cell', { name: 'd', exact: true }).waitFor();
    await texts.selectOption('Plain text');
    await page.getByRole('cell', { name: '<p>d</p>' }).waitFor();
    await texts.selectOption('HTML, without its tags');
    await page.getByRole('cell', { name: 'd', exact: true }).waitFor();
    await page.getByRole('cell', { name }).waitFor();
    await page.getByLabel('views_count').selectOption('Ignore');
    await eventually(async () => await ignored.count()).toBe(0);
    await page.getByLabel('views_count').selectOption('Views count');
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'Dry run' }).click();
    await page.getByText('The dry run would write 1 listing.').waitFor();
    await ignored.waitFor();
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByRole('heading', { name: 'Result', exact: true }).waitFor();
    await ignored.waitFor();
    const found = await context.directory.get(`/api/projects?q=${name}`);
    expect(dataOf(found)).toMatchObject([{ name, description: 'd', views_count: 0, latitude: 48.5, longitude: 2.25 }]);
  });

  longTest('the page Imports empties the fields of blank cells on demand', async () => {
    const { id, slug } = await context.directory.live(context.directory.admin, { tags: ['one'] });
    const page = await context.open('administrator', '/imports');
    await page.getByLabel('File', { exact: true }).setInputFiles({
      name: `${unique('blank')}.csv`,
      mimeType: 'text/csv',
      buffer: Buffer.from(`id,name,url,description,categories,tags\n${id},,,,,\n`),
    });
    await page.getByLabel('Match by').selectOption('ID');
    await page.getByLabel('When a listing exists already').selectOption('Update the listing');
    await page.getByLabel('Blank cells, when a listing is updated').selectOption('Empty the field');
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByRole('heading', { name: 'Result', exact: true }).waitFor();
    expect(await context.directory.read(slug, context.directory.admin)).toMatchObject({ id, tags: [], categories: [] });
  });

  longTest(
    'the page Imports maps columns to further fields by their labels, and shows the entries of their lists',
    async () => {
      const options = [
        { value: 'sand', label: 'Sand' },
        { value: 'rocks', label: 'Rocks' },
      ];
      const define = async (type: string, given: object = {}): Promise<{ key: string; label: string }> => {
        const [key, label] = [unique('field').toLowerCase().replaceAll('-', '_'), unique(`Of type ${type}`)];
        await context.directory.adminOk('POST', '/api/admin/fields', { key, label, type, ...given }, 201);
        return { key, label };
      };
      const [surface, stars] = [await define('multi_select', { options }), await define('number')];
      const name = unique('With fields');
      const page = await context.open('administrator', '/imports');
      await page.getByLabel('File', { exact: true }).setInputFiles({
        name: `${name}.csv`,
        mimeType: 'text/csv',
        buffer: Buffer.from(
          `name,url,description,categories,${surface.label}\n${name},https://${unique('fields')}.example/,A place.,${context.directory.category},rocks|sand\n`,
        ),
      });
      await eventually(async () => await page.getByLabel(surface.label).inputValue()).toBe(`fields.${surface.key}`);
      await page.getByRole('columnheader', { name: surface.label }).waitFor();
      await page.getByRole('cell', { name: 'rocks · sand' }).waitFor();
      await page.getByRole('button', { name: 'Add a default' }).click();
      await page.getByLabel('Field', { exact: true }).selectOption(stars.label);
      await page.getByLabel(`Default of ${stars.label}`).fill('4.5');
      expect(await violationsOf(page)).toEqual([]);
      await page.getByRole('button', { name: 'Import', exact: true }).click();
      await page.getByRole('heading', { name: 'Result', exact: true }).waitFor();
      const slug = name.toLowerCase().replaceAll(' ', '-');
      await eventually(async () => (await context.directory.read(slug)).fields).toEqual({
        [surface.key]: ['sand', 'rocks'],
        [stars.key]: 4.5,
      });
    },
  );

  longTest(
    'the page Imports refuses a file that is no text, tells equal headers apart, and names the required fields that nothing fills',
    async () => {
      const page = await context.open('administrator', '/imports');
      const file = page.getByLabel('File', { exact: true });
      const png = Buffer.from('89504e470d0a1a0a0000000d49484452000000010000000108060000', 'hex');
      await file.setInputFiles({ name: 'picture.csv', mimeType: 'text/csv', buffer: png });
      await page.getByText('picture.csv is not a text file.').waitFor();
      const [long] = ['0'.repeat(400)];
      await file.setInputFiles({
        name: 'places.csv',
        mimeType: 'text/csv',
        buffer: Buffer.from(`id,name,note,note,brewery_kind,city\n${long},Place,a,b,Cafe,Bern\n`),
      });
      await page.getByRole('button', { name: 'Dry run' }).waitFor();
      for (const label of ['note (column 3)', 'note (column 4)'])
        await eventually(async () => await page.getByLabel(label).isDisabled()).toBe(true);
      await page.getByText('Nothing fills URL, Description, Categories.').waitFor();
      await page.getByRole('button', { name: 'Add a default' }).click();
      await page.getByLabel('Field', { exact: true }).selectOption('Description');
      await page.getByLabel('Default of Description').fill('{brewery_kind} in {city}');
      await page.getByRole('cell', { name: 'Cafe in Bern' }).waitFor();
      await page.getByText('Nothing fills URL, Categories.').waitFor();
      // The mapping outlives a reload.
      await page.reload();
      await page.getByRole('cell', { name: 'Cafe in Bern' }).waitFor();
      // A long value stays in its field.
      expect(await page.evaluate('document.querySelector(".mapping .hint").scrollWidth < 400')).toBe(true);
      for (const label of ['id', 'name', 'brewery_kind', 'city'])
        await page.getByLabel(label, { exact: true }).selectOption('Ignore');
      await eventually(async () => await page.getByRole('button', { name: 'Import', exact: true }).isDisabled()).toBe(
        true,
      );
      expect(await violationsOf(page)).toEqual([]);
    },
  );
});
