import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ImportReport } from '#contract/batches.ts';
import type { CustomValue } from '#contract/custom-fields.ts';
import type { ImportPreview } from '#contract/imports.ts';
import { importFields } from '#contract/projects.ts';
import { dataOf, invalidAt, person, unique } from '#test/support/fixtures.ts';
import { IMPORTS, importIn, startImport, uploadFile } from '#test/support/imports.ts';
import { longTest } from '#test/support/long-test.ts';
import { csv, importFile, readCsv, sendImport } from '#test/support/uploads.ts';
import { ownDirectory } from '#test/support/with-directory.ts';

const { server, directory } = await ownDirectory();
const { admin } = directory;

const FIELDS = '/api/admin/fields';
const options = [
  { value: 'sand', label: 'Sand beach' },
  { value: 'rocks', label: 'Rocks' },
  { value: 'free_wi-fi', label: 'Free Wi-Fi' },
];
const hours = { zone: 'Europe/Berlin', week: { mo: [['09:00', '17:30']], sa: [['22:00', '02:00']] }, closed: [] };

const define = async (key: string, given: object = {}): Promise<void> => {
  await directory.adminOk('POST', FIELDS, { key, label: `Field ${key}`, type: 'text', ...given }, 201);
};
const change = async (key: string, body: object): Promise<void> => {
  await directory.adminOk('PUT', `${FIELDS}/${key}`, body);
};

/** By type: attributes of the definition, cells with what is stored of them, wrong cells, and cells of stored values. */
const types: readonly (readonly [
  type: string,
  given: object,
  right: readonly (readonly [cell: string, stored: CustomValue])[],
  wrong: readonly string[],
  exported: string,
])[] = [
  [
    'text',
    {},
    [
      [' two words ', 'two words'],
      ["'=1+1", '=1+1'],
    ],
    ['x'.repeat(201)],
    "'=1+1",
  ],
  ['long_text', {}, [['a\r\nb', 'a\nb']], ['x'.repeat(5001)], 'a\nb'],
  [
    'number',
    { min: -5, max: 1000 },
    [
      ['1e2', 100],
      ['+.5', 0.5],
      ['-2.5', -2.5],
    ],
    ['many', '0x10', '1,000', 'Infinity', '-6', '1001'],
    '-2.5',
  ],
  [
    'select',
    { options },
    [
      ['Rocks', 'rocks'],
      ['free_wi-fi', 'free_wi-fi'],
    ],
    ['Free Wi-Fi', 'sand|rocks'],
    'free_wi-fi',
  ],
  ['multi_select', { options }, [['rocks| SAND |rocks', ['sand', 'rocks']]], ['sand|snow', 'sand,rocks'], 'sand|rocks'],
  [
    'boolean',
    {},
    [
      ['Yes', true],
      ['1', true],
      ['no', false],
      ['FALSE', false],
    ],
    ['maybe', '2'],
    'false',
  ],
  ['date', {}, [['2026-02-28', '2026-02-28']], ['28.02.2026', '2026-02-30', '2026-02-28T00:00:00Z'], '2026-02-28'],
  [
    'url',
    {},
    [['www.example.com/a', 'https://www.example.com/a']],
    ['javascript:alert(1)', 'none'],
    'https://www.example.com/a',
  ],
  ['email', {}, [['ann@example.com', 'ann@example.com']], ['ann'], 'ann@example.com'],
  ['phone', {}, [["'+49 30 1234", '+49 30 1234']], ['call us'], "'+49 30 1234"],
  [
    'hours',
    {},
    [[JSON.stringify(hours), hours]],
    ['Mo-Fr', '[]', '{"zone":"Berlin","week":{}}'],
    JSON.stringify(hours),
  ],
];
for (const [type, given] of types) await define(`as_${type}`, { type, ...given });

const slugOf = (name: string): string => name.toLowerCase().replaceAll(' ', '-');
const siteOf = (name: string): string => `https://${slugOf(name)}.example`;

const needed = ['name', 'url', 'description'];
const mapping = (keys: readonly string[], more: object = {}) => ({
  columns: Object.fromEntries([...needed, ...keys.map((key) => `fields.${key}`)].map((name) => [name, name])),
  ...more,
});
const fileOf = (keys: readonly string[], rows: readonly (readonly [name: string, ...cells: string[]])[]): string =>
  csv(
    [...needed, ...keys.map((key) => `fields.${key}`)],
    ...rows.map(([name, ...cells]) => [name, siteOf(name), 'A place.', ...cells]),
  );
const valuesOf = async (name: string): Promise<Record<string, CustomValue>> =>
  (await directory.read(slugOf(name), admin)).fields ?? {};
const run = (file: string, given: unknown): Promise<ImportReport> => importFile(server, admin.token, file, given);
const exported = async (): Promise<string> =>
  (await directory.adminOk('GET', '/api/admin/projects/export')).body as string;
const headerOf = (file: string): string[] => readCsv(file)[0] ?? [];
/** Maps every column of an exported file to the field of its name. */
const identity = (file: string) => Object.fromEntries(headerOf(file).map((name) => [name, name]));
/** The cell of a listing in an export. */
const cellOf = (file: string, name: string, column: string): string | undefined => {
  const [header = [], ...records] = readCsv(file);
  return records.find((record) => record[importFields.indexOf('name')] === name)?.[header.indexOf(column)];
};

it.each(types)(
  'a cell of the type %s is read and written in its text form, and a wrong one fails its row',
  async (type, _given, right, wrong, text) => {
    const key = `as_${type}`;
    const word = unique('Cell');
    const rows = [...right.map(([cell]) => cell), ...wrong].map((cell, at) => [`${word} ${at}`, cell] as const);
    const report = await run(fileOf([key], rows), mapping([key]));
    expect(report).toMatchObject({ created: right.length, failed: wrong.length });
    const column = `fields.${key}`;
    expect(report.errors).toEqual(
      wrong.map((_, at) => ({
        row: right.length + at + 2,
        column,
        message: expect.stringMatching(new RegExp(`^fields\\.${key}: `)),
      })),
    );
    for (const [at, [, stored]] of right.entries()) expect(await valuesOf(`${word} ${at}`)).toEqual({ [key]: stored });
    expect(cellOf(await exported(), `${word} ${right.length - 1}`, column)).toBe(text);
  },
);

describe('the columns of further fields', () => {
  it('come last in an export, in the order of the definitions, with values that only staff reads', async () => {
    await define('first_of_all', { sort_order: -1, access: 'staff' });
    await define('gone');
    const name = unique('Ordered');
    await run(fileOf(['first_of_all', 'gone'], [[name, 'secret', 'hidden']]), mapping(['first_of_all', 'gone']));
    await directory.adminOk('DELETE', `${FIELDS}/gone`);
    const file = await exported();
    const header = headerOf(file);
    expect(header.slice(0, importFields.length + 2)).toEqual([
      ...importFields,
      'fields.first_of_all',
      'fields.as_text',
    ]);
    expect(header).not.toContain('fields.gone');
    expect(cellOf(file, name, 'fields.first_of_all')).toBe('secret');
    expect(file).not.toContain('hidden');
  });

  it('lack values of categories that a listing is not in, which an import keeps', async () => {
    const category = await directory.addCategory();
    await define('elsewhere', { categories: [category.slug] });
    const name = unique('Moved');
    const columns = { ...mapping(['elsewhere']).columns, categories: 'categories' };
    const row = (slug: string, value: string) =>
      csv([...needed, 'fields.elsewhere', 'categories'], [name, siteOf(name), 'A place.', value, slug]);
    await run(row(category.slug, 'here'), { columns });
    expect(await valuesOf(name)).toEqual({ elsewhere: 'here' });
    // The value is for the categories that the row gives.
    await run(row(directory.category, 'ignored'), { columns, on_conflict: 'update' });
    expect(await valuesOf(name)).toEqual({});
    expect(cellOf(await exported(), name, 'fields.elsewhere')).toBe('');
    await run(row(category.slug, ''), { columns, on_conflict: 'update' });
    expect(await valuesOf(name)).toEqual({ elsewhere: 'here' });
  });

  it('fill from defaults, which may name columns, clear values and are checked before any row', async () => {
    const name = unique('Default');
    const keys = ['as_text', 'as_number', 'as_boolean', 'as_multi_select', 'as_hours', 'as_date'] as const;
    const defaults = {
      'fields.as_text': '{name} in {description}',
      'fields.as_number': 5,
      'fields.as_boolean': true,
      'fields.as_multi_select': ['rocks', 'sand'],
      'fields.as_hours': JSON.stringify(hours),
      'fields.as_date': '2026-01-01',
    };
    await run(fileOf(keys, [[name, '', '7', '', '', '', '']]), mapping(keys, { defaults }));
    expect(await valuesOf(name)).toEqual({
      as_text: `${name} in A place.`,
      as_number: 7,
      as_boolean: true,
      as_multi_select: ['sand', 'rocks'],
      as_hours: hours,
      as_date: '2026-01-01',
    });
    const clearing = {
      'fields.as_text': null,
      'fields.as_hours': { ...hours, zone: 'UTC' },
      'fields.as_multi_select': [],
    };
    await run(fileOf([], [[name]]), mapping([], { defaults: clearing, on_conflict: 'update' }));
    const { as_text: _, as_multi_select: __, ...kept } = await valuesOf(name);
    expect(kept).toEqual({
      as_number: 7,
      as_boolean: true,
      as_hours: { ...hours, zone: 'UTC' },
      as_date: '2026-01-01',
    });
    for (const wrong of [
      { 'fields.as_number': 'many' },
      { 'fields.as_select': 'snow' },
      { 'fields.as_date': 5 },
      { 'fields.unknown': 'x' },
    ]) {
      const [field = ''] = Object.keys(wrong);
      expect(
        await sendImport(server, admin.token, fileOf([], [[name]]), mapping([], { defaults: wrong })),
      ).toMatchObject(invalidAt('mapping', 'defaults', field));
    }
  });

  it('take no column for an unknown or deleted key', async () => {
    await define('no_more');
    await directory.adminOk('DELETE', `${FIELDS}/no_more`);
    for (const key of ['unknown', 'no_more', 'constructor', '']) {
      const file = fileOf([key], [[unique('Unknown'), 'x']]);
      const at = ['mapping', 'columns', `fields.${key}`];
      expect(await sendImport(server, admin.token, file, mapping([key]))).toMatchObject(invalidAt(...at));
      expect(await sendImport(server, admin.token, file, mapping([key]).columns)).toMatchObject(
        invalidAt('mapping', `fields.${key}`),
      );
    }
  });

  it('fail a row whose values are too large together, and are not needed in rows when they are required', async () => {
    const keys = ['as_long_text', 'big_1', 'big_2', 'big_3', 'needed_in_forms'];
    for (const key of ['big_1', 'big_2', 'big_3']) await define(key, { type: 'long_text' });
    await define('needed_in_forms', { required: true });
    const name = unique('Large');
    const large = 'x'.repeat(4500);
    const report = await run(
      fileOf(keys, [
        [name, large, large, large, large, ''],
        [`${name} 2`, '', '', '', '', ''],
      ]),
      mapping(keys),
    );
    expect(report).toMatchObject({ created: 1, failed: 1 });
    expect(report.errors).toEqual([{ row: 2, column: null, message: expect.stringMatching(/^fields: .*16384 bytes/) }]);
    expect((await directory.read(slugOf(`${name} 2`), admin)).fields_missing).toEqual(['needed_in_forms']);
    await change('needed_in_forms', { required: false });
  });

  it('are named in the changes of a batch, whose revert brings earlier values back', async () => {
    const name = unique('Reverted');
    const keys = ['as_text', 'as_number'];
    await run(fileOf(keys, [[name, 'before', '1']]), mapping(keys));
    const { batch_id } = await run(fileOf(keys, [[name, 'after', '1']]), mapping(keys, { on_conflict: 'update' }));
    expect(await valuesOf(name)).toEqual({ as_text: 'after', as_number: 1 });
    const items = await directory.adminOk('GET', `/api/admin/batches/${batch_id}/items`);
    expect(dataOf(items)).toMatchObject([
      { outcome: 'updated', changes: [{ field: 'fields.as_text', before: 'before', after: 'after' }] },
    ]);
    await directory.adminOk('POST', `/api/admin/batches/${batch_id}/revert`);
    expect(await valuesOf(name)).toEqual({ as_text: 'before', as_number: 1 });
  });

  it('show in a dry run what rows would change', async () => {
    const name = unique('Planned');
    const file = fileOf(
      ['as_number'],
      [
        [name, '5'],
        [`${name} 2`, 'five'],
      ],
    );
    const report = await run(file, mapping(['as_number'], { dry_run: true }));
    expect(report).toMatchObject({ dry_run: true, created: 1, failed: 1 });
    expect(await directory.get(`/api/projects/${slugOf(name)}`, admin)).toMatchObject({ status: 404 });
  });
});

describe('a large import', () => {
  longTest('proposes further fields by key or label, and imports them', async () => {
    await define('stars', { type: 'number', label: 'Rating (stars)' });
    await define('surface', { type: 'multi_select', options, label: 'Kind of beach' });
    await define('title_in_list', { label: 'Name' });
    const word = unique('Proposed');
    const header = ['name', 'Website', 'description', 'Kind of beach', 'STARS', 'fields.as_date', 'other'];
    const row = [word, siteOf(word), 'A place.', 'sand;rocks', '4.5', '2026-01-01', 'x'];
    const id = await uploadFile(
      directory,
      Buffer.from(csv(header, row, [`${word} 2`, siteOf(`${word} 2`), ...row.slice(2, 4), 'five', '', ''])),
    );
    const { mapping: proposed } = dataOf<ImportPreview>(await directory.adminOk('GET', `${IMPORTS}/${id}/preview`));
    expect(proposed).toEqual({
      columns: {
        name: 'name',
        Website: 'url',
        description: 'description',
        'Kind of beach': 'fields.surface',
        STARS: 'fields.stars',
        'fields.as_date': 'fields.as_date',
      },
      list_separator: ';',
      text: 'plain',
      encoding: 'utf-8',
    });
    const unknown = { columns: { ...proposed.columns, other: 'fields.other' } };
    expect(await directory.asAdmin('POST', `${IMPORTS}/${id}/start`, { mapping: unknown })).toMatchObject(
      invalidAt('mapping', 'columns', 'other'),
    );
    await startImport(directory, id, proposed);
    const { batch_id } = await importIn(directory, id, 'done');
    expect(await valuesOf(word)).toEqual({ surface: ['sand', 'rocks'], stars: 4.5, as_date: '2026-01-01' });
    const items = await directory.adminOk('GET', `/api/admin/batches/${batch_id}/items?outcome=failed`);
    expect(dataOf(items)).toMatchObject([{ row: 3, message: 'fields.stars: must be a number' }]);
    const errors = await directory.adminOk('GET', `/api/admin/batches/${batch_id}/errors.csv`);
    expect(readCsv(errors.body as string)[1]?.slice(4)).toEqual(['five', '', '', 'fields.stars: must be a number']);
  });

  it('proposes an API key only fields that it may read', async () => {
    await define('for_staff', { access: 'staff' });
    const id = await uploadFile(
      directory,
      Buffer.from(csv([...needed, 'for_staff', 'as_text'], ['a', 'b', 'c', 'd', 'e'])),
    );
    for (const [scopes, isProposed] of [
      [['imports:write'], false],
      [['imports:write', 'projects:read'], true],
    ] as const) {
      const { key } = dataOf<{ key: string }>(
        await directory.adminOk('POST', '/api/admin/keys', { name: 'k', scopes }, 201),
      );
      const response = await server.call('GET', `${IMPORTS}/${id}/preview`, { token: key });
      const { columns } = dataOf<ImportPreview>(response).mapping;
      expect(columns).toMatchObject({ as_text: 'fields.as_text' });
      expect('for_staff' in columns).toBe(isProposed);
    }
  });
});

describe('an export that is imported again', () => {
  const text = fc.string({ unit: fc.constantFrom(...'\'=+-@＝\t; ",|\\aü'), minLength: 1, maxLength: 12 });
  const day = fc
    .date({ min: new Date('1900-01-01'), max: new Date('2100-01-01'), noInvalidDate: true })
    .map((date) => date.toISOString().slice(0, 10));
  const values = fc.record(
    {
      as_text: text.map((one) => `${one}x`),
      as_long_text: fc.array(text, { minLength: 1, maxLength: 3 }).map((lines) => `${lines.join('\n')}x`),
      as_number: fc.double({ min: -5, max: 1000, noNaN: true }).filter((one) => one === 0 || Math.abs(one) > 1e-100),
      as_select: fc.constantFrom(...options.map(({ value }) => value)),
      as_multi_select: fc.subarray(
        options.map(({ value }) => value),
        { minLength: 1 },
      ),
      as_boolean: fc.boolean(),
      as_date: day,
      as_url: fc.webUrl(),
      as_email: fc.nat(99).map((n) => `ann+${n}@example.com`),
      as_phone: fc.constantFrom('+49 30 1234', '-1', '(030) 12.34-5'),
      as_hours: fc.record({
        zone: fc.constantFrom('UTC', 'Asia/Tokyo'),
        week: fc.constant(hours.week),
        closed: fc.uniqueArray(day, { maxLength: 3 }).map((days) => days.sort()),
      }),
    },
    { requiredKeys: [] },
  );

  longTest('has the same values, whatever they are', async () => {
    const owner = await person(server);
    const listings: { id: string; given: object }[] = [];
    for (const given of fc.sample(values, { numRuns: 12, seed: 11 })) {
      listings.push({ id: (await directory.live(owner, { fields: given })).id, given });
    }
    const fieldsOf = async () =>
      new Map(
        await Promise.all(listings.map(async ({ id }) => [id, (await directory.read(id, admin)).fields] as const)),
      );
    const before = await fieldsOf();
    const file = await exported();
    const columns = identity(file);
    const records = readCsv(file).length - 1;

    // Values that are as they were are not checked, and nothing is written.
    await change('as_number', { min: 2000, max: 3000 });
    const versions = async () =>
      await Promise.all(listings.map(async ({ id }) => (await directory.read(id, admin)).updated_at));
    const updatedAt = await versions();
    const again = await run(file, { columns, match_by: 'id', on_conflict: 'update' });
    expect(again).toMatchObject({ updated: records, failed: 0, errors: [] });
    expect(await fieldsOf()).toEqual(before);
    expect(await versions()).toEqual(updatedAt);
    await change('as_number', { min: -5, max: 1000 });

    // Overwritten values return.
    for (const { id } of listings)
      await directory.adminOk('PUT', `/api/admin/projects/${id}`, { fields: { as_text: 'other', as_boolean: null } });
    const clearing = { 'fields.as_text': null };
    expect(await run(file, { columns, defaults: clearing, match_by: 'id', on_conflict: 'update' })).toMatchObject({
      failed: 0,
    });
    expect(await fieldsOf()).toEqual(before);

    // In place of purged listings.
    for (const { id } of listings) await directory.adminOk('DELETE', `/api/admin/projects/${id}?permanent=true`);
    expect(await run(file, { columns })).toMatchObject({ created: listings.length, failed: 0, errors: [] });
    expect(await fieldsOf()).toEqual(before);
    expect(await exported()).toBe(file);
  });
});
