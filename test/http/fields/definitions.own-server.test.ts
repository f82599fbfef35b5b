import { afterEach, expect, it } from 'vitest';
import { fieldTypes } from '#contract/custom-fields.ts';
import { fieldKey } from '#data/keys.ts';
import { updateItem } from '#data/write.ts';
import {
  conflict,
  dataOf,
  INVALID,
  idOf,
  invalidAt,
  NOT_FOUND,
  person,
  STALE,
  success,
  TIME,
  unique,
} from '#test/support/fixtures.ts';
import { runJob } from '#test/support/jobs.ts';
import { longTest } from '#test/support/long-test.ts';
import { scanTable } from '#test/support/scan-table.ts';
import { ownDirectory } from '#test/support/with-directory.ts';

interface Definition {
  readonly id: string;
  readonly key: string;
  readonly etag: string;
}

const { server, directory } = await ownDirectory();
const owner = await person(server);
const FIELDS = '/api/admin/fields';

const options = [
  { value: 'a', label: 'Apple' },
  { value: 'b', label: 'Banana' },
];

let serial = 0;
const nextKey = (): string => {
  serial += 1;
  return `field_${serial}`;
};
const body = (given: object = {}) => ({ key: nextKey(), type: 'text', label: 'A field', ...given });
const create = (given: object = {}) => directory.asAdmin('POST', FIELDS, body(given));
const define = async (given: object = {}): Promise<Definition> => {
  const response = await create(given);
  expect(response).toMatchObject({ status: 201 });
  return dataOf<Definition>(response);
};
const change = (reference: string, given: object, headers: Record<string, string> = {}) =>
  directory.asAdmin('PUT', `${FIELDS}/${reference}`, given, headers);
const remove = (reference: string, query = '') => directory.asAdmin('DELETE', `${FIELDS}/${reference}${query}`);
const all = async (): Promise<(Definition & { deleted_at: string | null })[]> =>
  dataOf(await directory.adminOk('GET', FIELDS));
const fieldsOf = async (id: string) => (await directory.read(id)).fields;

afterEach(async () => {
  for (const { id, deleted_at } of await all()) if (deleted_at === null) await remove(id);
});

it('a definition has every member of the contract, with defaults', async () => {
  const key = unique('size').replaceAll('-', '_');
  expect(await create({ key, type: 'number', label: 'Size', unit: 'km', min: 1, max: 5 })).toMatchObject(
    success(
      {
        id: idOf('fld'),
        key,
        type: 'number',
        label: 'Size',
        help: null,
        unit: 'km',
        options: [],
        categories: [],
        required: false,
        access: 'public',
        edit: 'owner',
        filterable: false,
        sortable: false,
        searchable: false,
        in_card: false,
        min: 1,
        max: 5,
        sort_order: expect.any(Number),
        deleted_at: null,
        etag: expect.any(String),
      },
      201,
    ),
  );
});

it('all callers read the public definitions in their order, and only administrators the others', async () => {
  const last = await define({ sort_order: 500 });
  const first = await define({ sort_order: -5 });
  const hidden = await define({ access: 'owner' });
  const staff = await define({ access: 'staff', edit: 'owner' });
  const listed = dataOf<Definition[]>(await directory.get('/api/fields'));
  expect(listed.map(({ id }) => id)).toEqual([first.id, last.id]);
  expect(listed[0]).not.toHaveProperty('etag');
  expect((await all()).map(({ id }) => id)).toEqual(expect.arrayContaining([hidden.id, staff.id]));
  expect((await all()).find(({ id }) => id === staff.id)).toMatchObject({ edit: 'staff' });
});

it.each([
  ['key', { key: 'Upper' }],
  ['key', { key: '9lives' }],
  ['key', { key: 'x'.repeat(41) }],
  ['key', { key: '__proto__' }],
  ['key', { key: 'name' }],
  ['key', { key: 'fields' }],
  ['key', { key: 'upvote_count' }],
  ['type', { type: 'colour' }],
  ['label', { label: '' }],
  ['label', { label: 'x'.repeat(61) }],
  ['help', { help: 'x'.repeat(201) }],
  ['options', { type: 'select' }],
  ['options', { type: 'text', options }],
  ['options', { type: 'select', options: [...options, options[0]] }],
  ['options', { type: 'select', options: Array.from({ length: 201 }, (_, i) => ({ value: `v${i}`, label: 'x' })) }],
  ['unit', { type: 'text', unit: 'km' }],
  ['min', { type: 'date', min: 1 }],
  ['max', { type: 'number', min: 5, max: 4 }],
  ['filterable', { type: 'long_text', filterable: true }],
  ['filterable', { type: 'url', filterable: true }],
  ['sortable', { type: 'text', sortable: true }],
  ['sortable', { type: 'hours', sortable: true }],
  ['searchable', { type: 'number', searchable: true }],
  ['categories', { categories: ['no-such-category'] }],
  ['access', { access: 'none' }],
])('a wrong %s is 400: %j', async (member, given) => {
  expect(await create(given)).toMatchObject({ ...invalidAt(member) });
});

it.each([
  ['value', { value: 'Upper', label: 'x' }],
  ['value', { value: 'x'.repeat(41), label: 'x' }],
  ['label', { value: 'x', label: '' }],
  ['label', { value: 'x', label: 'x'.repeat(61) }],
])('a wrong %s of an option is 400: %j', async (member, option) => {
  expect(await create({ type: 'select', options: [option] })).toMatchObject(invalidAt('options', 0, member));
});

/** By attribute, the types that may have it. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  filterable: ['text', 'number', 'select', 'multi_select', 'boolean', 'date', 'hours'],
  sortable: ['number', 'boolean', 'date'],
  searchable: ['text', 'long_text', 'select', 'multi_select'],
  unit: ['number'],
  min: ['number'],
  max: ['number'],
};

it.each(Object.entries(allowed))('%s is for the types %j, and 400 for all others', async (attribute, names) => {
  const value = attribute === 'unit' ? 'km' : attribute.startsWith('m') ? 1 : true;
  for (const type of fieldTypes) {
    const given = { type, [attribute]: value, ...(type.includes('select') && { options }) };
    const response = await create(given);
    expect([type, response]).toMatchObject([type, names.includes(type) ? { status: 201 } : invalidAt(attribute)]);
  }
});

it('a key is taken until its definition is purged', async () => {
  const { key, id } = await define();
  expect(await create({ key })).toMatchObject(conflict('FIELD_EXISTS'));
  expect(await remove(key)).toMatchObject(success({ id, deleted_at: TIME }));
  expect(await create({ key })).toMatchObject(conflict('FIELD_EXISTS'));
});

it('key and type never change, and the present ones are ignored', async () => {
  const { id, key } = await define();
  expect(await change(id, { key: 'another' })).toMatchObject(invalidAt('key'));
  expect(await change(id, { type: 'number' })).toMatchObject(invalidAt('type'));
  expect(await change(key, { key, type: 'text', label: 'New' })).toMatchObject(success({ id, label: 'New' }));
  expect(await change(id, { filterable: true, label: '' })).toMatchObject(INVALID);
});

it('If-Match takes the tag of a definition', async () => {
  const { id, etag } = await define();
  const tag = { 'if-match': `"${etag}"` };
  expect(await change(id, { label: 'First' }, tag)).toMatchObject({ status: 200 });
  expect(await change(id, { label: 'Second' }, tag)).toMatchObject(STALE);
  expect(await directory.asAdmin('DELETE', `${FIELDS}/${id}`, undefined, tag)).toMatchObject(STALE);
});

it('an unknown definition is 404, and so is the deletion of a deleted one', async () => {
  expect(await change('unknown', {})).toMatchObject(NOT_FOUND);
  expect(await remove('unknown')).toMatchObject(NOT_FOUND);
  const { id } = await define();
  await remove(id);
  expect(await remove(id)).toMatchObject(NOT_FOUND);
});

it('a change is in the audit log', async () => {
  const { id } = await define();
  await change(id, { label: 'New' });
  const log = await directory.adminOk('GET', `/api/admin/audit?subject=field:${id}`);
  expect(dataOf<{ action: string }[]>(log).map(({ action }) => action)).toEqual(['fields.update', 'fields.create']);
});

longTest.each([
  ['fields', 40, {}],
  ['filterable fields', 20, { filterable: true }],
  ['sortable fields', 10, { type: 'number', sortable: true }],
  ['searchable fields', 10, { searchable: true }],
])('there are at most so many %s: %i, also after concurrent requests and a restoration', async (_, max, given) => {
  const responses = [];
  for (let made = 0; made < max + 2; made += 6) {
    responses.push(...(await Promise.all(Array.from({ length: 6 }, () => create(given)))));
  }
  expect(responses.filter(({ status }) => status === 201)).toHaveLength(max);
  const other = responses.find(({ status }) => status !== 201);
  expect(other).toMatchObject(conflict('LIMIT_REACHED'));
  const [one] = responses.filter(({ status }) => status === 201).map((response) => dataOf<Definition>(response));
  await remove(one?.id ?? '');
  await define(given);
  expect(await change(one?.id ?? '', { deleted_at: null })).toMatchObject(conflict('LIMIT_REACHED'));
});

it('a deleted field is hidden with its values at once and comes back with them', async () => {
  const { id, key } = await define();
  const listing = await directory.live(owner, { fields: { [key]: 'kept' } });
  expect(await fieldsOf(listing.id)).toEqual({ [key]: 'kept' });
  expect(await remove(id, '?dry_run=true')).toMatchObject(success({ dry_run: true, listings: 1 }));
  await remove(id);
  expect(await fieldsOf(listing.id)).toEqual({});
  expect(dataOf<Definition[]>(await directory.get('/api/fields'))).not.toContainEqual(expect.objectContaining({ id }));
  expect(await change(id, { deleted_at: null })).toMatchObject(success({ id, deleted_at: null }));
  expect(await fieldsOf(listing.id)).toEqual({ [key]: 'kept' });
});

longTest(
  'after 30 days a deleted definition is purged: its key is free, and a new field shows none of its values',
  async () => {
    const { id, key } = await define();
    const recent = await define();
    const listing = await directory.live(owner, { fields: { [key]: 'old', [recent.key]: 'stays' } });
    await remove(id);
    await remove(recent.id);
    expect(await runJob(server, 'purge-deleted')).toMatchObject({ fields: 0 });
    await updateItem(fieldKey(id), { set: { deleted_at: new Date(Date.now() - 30 * 86_400_000).toISOString() } });
    expect(await runJob(server, 'purge-deleted')).toMatchObject({ fields: 1 });
    expect(await change(id, { deleted_at: null })).toMatchObject(NOT_FOUND);
    await define({ key });
    expect(await fieldsOf(listing.id)).toEqual({});
    // The value goes with the next write, without a trace in the revision; that of the other field stays.
    const stored = async () =>
      JSON.stringify((await scanTable(server)).find(({ type, id: own }) => type === 'project' && own === listing.id));
    expect(await stored()).toContain(id);
    await directory.ok(owner, 'PUT', `/api/projects/${listing.id}`, { description: 'New.' });
    expect(await stored()).not.toContain(id);
    expect(await fieldsOf(listing.id)).toEqual({});
    await change(recent.id, { deleted_at: null });
    expect(await fieldsOf(listing.id)).toEqual({ [recent.key]: 'stays' });
  },
);

longTest('a dry run counts the listings that would show less, and changes nothing', async () => {
  const { id, key } = await define({ type: 'multi_select', options });
  const both = await directory.live(owner, { fields: { [key]: ['a', 'b'] } });
  await directory.submit(owner, { fields: { [key]: ['a'] } });
  await directory.live(owner);
  const dryRun = (given: object) => directory.asAdmin('PUT', `${FIELDS}/${id}?dry_run=true`, given);
  expect(await dryRun({ options: options.slice(0, 1) })).toMatchObject(success({ dry_run: true, listings: 1 }));
  expect(await dryRun({ options: options.slice(1) })).toMatchObject(success({ dry_run: true, listings: 2 }));
  expect(await dryRun({ access: 'staff' })).toMatchObject(success({ dry_run: true, listings: 2 }));
  expect(await dryRun({ label: 'Other' })).toMatchObject(success({ dry_run: true, listings: 0 }));
  expect(await fieldsOf(both.id)).toEqual({ [key]: ['a', 'b'] });
});

longTest('a removed option is hidden and comes back', async () => {
  const one = await define({ type: 'select', options });
  const several = await define({ type: 'multi_select', options });
  const listing = await directory.live(owner, { fields: { [one.key]: 'a', [several.key]: ['b', 'a'] } });
  for (const { id } of [one, several]) await change(id, { options: options.slice(1) });
  expect(await fieldsOf(listing.id)).toEqual({ [several.key]: ['b'] });
  for (const { id } of [one, several]) await change(id, { options });
  expect(await fieldsOf(listing.id)).toEqual({ [one.key]: 'a', [several.key]: ['a', 'b'] });
});

longTest('a field of categories follows their renaming, merging and deletion', async () => {
  const [here, there] = [await directory.addCategory(), await directory.addCategory()];
  const { key } = await define({ categories: [here.slug] });
  const listing = await directory.live(owner, { categories: [here.slug], fields: { [key]: 'x' } });
  expect(await fieldsOf(listing.id)).toEqual({ [key]: 'x' });
  await directory.adminOk('PUT', `/api/projects/${listing.id}`, { categories: [there.slug] });
  expect(await fieldsOf(listing.id)).toEqual({});
  await directory.adminOk('PUT', `/api/projects/${listing.id}`, { categories: [here.slug] });
  const renamed = unique('renamed');
  await directory.adminOk('PUT', `/api/admin/categories/${here.id}`, { slug: renamed });
  expect(await fieldsOf(listing.id)).toEqual({ [key]: 'x' });
  await directory.adminOk('POST', `/api/admin/categories/${here.id}/merge`, { into: there.id });
  expect(await fieldsOf(listing.id)).toEqual({ [key]: 'x' });
  const [definition] = dataOf<{ categories: string[] }[]>(await directory.get('/api/fields'));
  expect(definition?.categories).toEqual([there.slug]);
  await directory.adminOk('DELETE', `/api/admin/categories/${there.id}`);
  expect(await fieldsOf(listing.id)).toEqual({});
});
