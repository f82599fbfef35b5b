import { expect, it } from 'vitest';
import type { Revision } from '#contract/revisions.ts';
import type { CallResponse } from '#test/support/client.ts';
import { dataOf, invalidAt, type Person, person, submission, unique } from '#test/support/fixtures.ts';
import { asPerson, createKey } from '#test/support/keys.ts';
import { longTest } from '#test/support/long-test.ts';
import { checkoutOf, chooseOutcome } from '#test/support/payments.ts';
import { ownDirectory } from '#test/support/with-directory.ts';

const { server, directory } = await ownDirectory();
const [owner, stranger] = await Promise.all([person(server), person(server)]);
const moderator = await person(server);
const { id: moderatorId } = dataOf<{ id: string }>(await directory.get('/api/user/profile', moderator));
await directory.adminOk('PUT', `/api/admin/users/${moderatorId}`, { role: 'moderator' });

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
/** Defines a field. @returns its key. */
const define = async (given: object): Promise<string> => {
  const key = nextKey();
  await directory.adminOk('POST', FIELDS, { key, label: 'A field', type: 'text', ...given }, 201);
  return key;
};
const pathOf = ({ id }: { readonly id: string }): string => `/api/projects/${id}`;
const put = (path: string, fields: object, who: Person = owner): Promise<CallResponse> =>
  directory.as(who, 'PUT', path, { fields });
const shown = async (id: string, who?: Person) => (await directory.read(id, who)).fields ?? {};

const hours = { zone: 'Europe/Berlin', week: { mo: [['09:00', '17:30']], sa: [['22:00', '02:00']] }, closed: [] };

const many = Array.from({ length: 20 }, (_, index) => `o${index}`);

/** By type: attributes of the definition, values with what is stored of them, and wrong values. */
const types: readonly (readonly [string, object, readonly (readonly [unknown, unknown])[], readonly unknown[]])[] = [
  [
    'text',
    {},
    [
      [' one  line ', 'one  line'],
      ['a\nb', 'a b'],
    ],
    ['x'.repeat(201), 1, true, [], {}, '\ud800'],
  ],
  ['long_text', {}, [['a\r\nb', 'a\nb']], ['x'.repeat(5001), 1, {}]],
  [
    'number',
    { min: 0, max: 10 },
    [
      [0, 0],
      [-0, 0],
      [9.5, 9.5],
    ],
    [-1, 11, '5', true, 1e-200],
  ],
  ['select', { options }, [['a', 'a']], ['c', 'A', 1, ['a']]],
  [
    'multi_select',
    { options: [...options, ...many.map((value) => ({ value, label: value }))] },
    [
      [
        ['b', 'a', 'b'],
        ['a', 'b'],
      ],
      [many, many],
    ],
    [['c'], 'a', { 0: 'a' }, ['a', ...many]],
  ],
  [
    'boolean',
    {},
    [
      [true, true],
      [false, false],
    ],
    ['true', 1, 'yes'],
  ],
  ['date', {}, [['2024-02-29', '2024-02-29']], ['2023-02-29', '2024-1-1', '2024-02-29T00:00:00Z', 20240229]],
  [
    'url',
    {},
    [['https://example.com/a', 'https://example.com/a']],
    [
      'javascript:alert(1)',
      'example.com',
      `https://example.com/${'x'.repeat(2029)}`,
      'https://https//a.example',
      'https://intranet/',
      'https://a\u200b.example/',
      1,
    ],
  ],
  [
    'email',
    {},
    [['ann@example.com', 'ann@example.com']],
    [
      'ann',
      'ann@',
      `${'x'.repeat(250)}@example.com`,
      'ann@xn--a.com',
      'ann@exa\u202emple.com',
      `ann@${'x'.repeat(64)}.com`,
      1,
    ],
  ],
  ['phone', {}, [['+49 (30) 12.34-5', '+49 (30) 12.34-5']], ['call me', '+', '1'.repeat(41), 49]],
  [
    'hours',
    {},
    [
      [hours, hours],
      [
        {
          ...hours,
          week: {
            mo: [
              ['13:00', '24:00'],
              ['08:00', '12:00'],
            ],
            tu: [],
          },
          closed: ['2026-12-25', '2026-12-25'],
        },
        {
          ...hours,
          week: {
            mo: [
              ['08:00', '12:00'],
              ['13:00', '24:00'],
            ],
          },
          closed: ['2026-12-25'],
        },
      ],
    ],
    [
      'open',
      { ...hours, zone: 'Mars/Olympus' },
      { ...hours, zone: '+01:00' },
      { ...hours, week: { mo: [['9:00', '17:00']] } },
      { ...hours, week: { mo: [['09:00', '24:30']] } },
      { ...hours, week: { mo: [['24:00', '01:00']] } },
      { ...hours, week: { mo: [['09:00', '09:00']] } },
      { ...hours, week: { mo: [['09:00']] } },
      {
        ...hours,
        week: {
          mo: [
            ['09:00', '12:00'],
            ['11:00', '13:00'],
          ],
        },
      },
      { ...hours, week: { mo: [['22:00', '02:00']], tu: [['01:00', '03:00']] } },
      { ...hours, week: { su: [['22:00', '02:00']], mo: [['01:00', '03:00']] } },
      { ...hours, week: { mo: Array.from({ length: 5 }, (_, i) => [`0${i}:00`, `0${i}:30`]) } },
      { ...hours, closed: ['2026-02-30'] },
      { ...hours, closed: Array.from({ length: 61 }, () => '2026-12-25') },
    ],
  ],
];

it.each(types)(
  'a value of the type %s is stored as it is described, and a wrong one is 400',
  async (type, given, right, wrong) => {
    const key = await define({ type, ...given });
    const listing = await directory.live(owner);
    for (const [value, stored] of right) {
      expect(await put(pathOf(listing), { [key]: value })).toMatchObject({ status: 200 });
      expect((await shown(listing.id))[key]).toEqual(stored);
    }
    const kept = (await shown(listing.id))[key];
    for (const value of wrong) {
      const response = await put(pathOf(listing), { [key]: value });
      expect([value, response.status, response.body]).toMatchObject([value, 400, invalidAt('fields', key).body]);
    }
    expect((await shown(listing.id))[key]).toEqual(kept);
    for (const empty of [null, type === 'multi_select' ? [] : '']) {
      await put(pathOf(listing), { [key]: right[0]?.[0] });
      expect(await put(pathOf(listing), { [key]: empty })).toMatchObject({ status: 200 });
      expect(await shown(listing.id)).not.toHaveProperty(key);
    }
  },
);

it('values are merged by key; unknown keys, keys that do not apply and those for staff are ignored', async () => {
  const elsewhere = await directory.addCategory();
  const [one, other] = [await define({}), await define({})];
  const foreign = await define({ categories: [elsewhere.slug] });
  const reserved = await define({ edit: 'staff' });
  const listing = await directory.live(owner, { fields: { [one]: '1', [foreign]: 'x', [reserved]: 'x', unknown: 1 } });
  expect(await shown(listing.id)).toEqual({ [one]: '1' });
  const hostile = JSON.parse(`{"fields":{"${other}":"2","constructor":"x","":1}}`);
  await directory.ok(owner, 'PUT', pathOf(listing), hostile);
  expect(await shown(listing.id)).toEqual({ [one]: '1', [other]: '2' });
  await put(`/api/admin/projects/${listing.id}`, { [reserved]: 'by staff' }, directory.admin);
  await put(pathOf(listing), { [reserved]: 'by the owner', [one]: null });
  expect(await shown(listing.id)).toEqual({ [other]: '2', [reserved]: 'by staff' });
});

it('readers see only the values that they may see: also in revisions, waiting edits, lists and exports', async () => {
  const keys = {
    open: await define({}),
    own: await define({ access: 'owner' }),
    hidden: await define({ access: 'staff' }),
  };
  const listing = await directory.live(owner, { fields: { [keys.open]: 'secret-1', [keys.own]: 'secret-2' } });
  await put(`/api/admin/projects/${listing.id}`, { [keys.hidden]: 'secret-3' }, directory.admin);
  const readers: readonly [Person | undefined, number][] = [
    [undefined, 1],
    [stranger, 1],
    [owner, 2],
    [moderator, 3],
    [directory.admin, 3],
    [asPerson(await createKey(server, directory.admin, ['projects:read'])), 3],
    [asPerson(await createKey(server, directory.admin, ['categories:write'])), 1],
  ];
  const seen = (response: CallResponse): number => new Set(JSON.stringify(response.body).match(/secret-\d/g)).size;
  for (const [who, count] of readers) {
    expect(seen(await directory.get(pathOf(listing), who))).toBe(count);
    expect(seen(await directory.get('/api/projects?limit=100', who))).toBe(count);
  }
  expect(seen(await directory.get(`${pathOf(listing)}/revisions`, owner))).toBe(2);
  expect(seen(await directory.get(`${pathOf(listing)}/revisions`, moderator))).toBe(3);
  expect(seen(await directory.get('/api/user/export', owner))).toBe(2);
  expect(seen(await directory.get('/api/me/submissions', owner))).toBe(2);
  expect(seen(await directory.get('/api/admin/projects', moderator))).toBe(3);
});

it('all values of a listing have at most 16 KB as JSON', async () => {
  const keys = await Promise.all(Array.from({ length: 4 }, () => define({ type: 'long_text' })));
  const listing = await directory.live(owner);
  // Members of the stored text: quotes, an id of 30 characters, a colon, and a comma or brace.
  const overhead = 1 + keys.length * (30 + 2 + 1 + 2 + 1);
  const rest = 16 * 1024 - overhead - 3 * 5000;
  const values = (last: number) =>
    Object.fromEntries(keys.map((key, index) => [key, 'x'.repeat(index < 3 ? 5000 : last)]));
  expect(await put(pathOf(listing), values(rest))).toMatchObject({ status: 200 });
  expect(await put(pathOf(listing), values(rest + 1))).toMatchObject(invalidAt('fields'));
  expect(await put(pathOf(listing), { [keys[0] ?? '']: null })).toMatchObject({ status: 200 });
});

it('required binds submissions and updates by owners that touch the field, and not staff', async () => {
  const before = await directory.live(owner);
  const key = await define({ required: true, min: 1, type: 'number' });
  const { id } = dataOf<{ id: string }[]>(await directory.adminOk('GET', FIELDS)).at(-1) ?? { id: '' };
  const body = submission({ categories: [directory.category] });
  expect(await directory.as(owner, 'POST', '/api/projects', body)).toMatchObject(invalidAt('fields', key));
  expect(await directory.as(owner, 'POST', '/api/projects', { ...body, fields: { [key]: null } })).toMatchObject(
    invalidAt('fields', key),
  );
  await directory.submit(directory.admin);
  expect(await directory.as(owner, 'PUT', pathOf(before), { description: 'New.' })).toMatchObject({ status: 200 });
  expect(await directory.read(before.id, owner)).toMatchObject({ fields_missing: [key] });
  expect(await directory.read(before.id)).not.toHaveProperty('fields_missing');
  await put(pathOf(before), { [key]: 5 });
  expect(await put(pathOf(before), { [key]: null })).toMatchObject(invalidAt('fields', key));
  expect(await directory.read(before.id, owner)).toMatchObject({ fields_missing: [] });
  // A narrowed bound leaves the value as it is until it is touched.
  await directory.adminOk('PUT', `${FIELDS}/${id}`, { min: 10 });
  const { fields } = await directory.read(before.id, owner);
  expect(fields).toMatchObject({ [key]: 5 });
  expect(await put(pathOf(before), { ...fields })).toMatchObject({ status: 200 });
  expect(await put(pathOf(before), { [key]: 6 })).toMatchObject(invalidAt('fields', key));
  expect(await put(`/api/admin/projects/${before.id}`, { [key]: null }, directory.admin)).toMatchObject({
    status: 200,
  });
  await directory.adminOk('PUT', `${FIELDS}/${id}`, { required: false });
});

it('a value that stops applying is kept and hidden', async () => {
  const [here, there] = [await directory.addCategory(), await directory.addCategory()];
  const key = await define({ categories: [here.slug] });
  const listing = await directory.live(owner, { categories: [here.slug], fields: { [key]: 'kept' } });
  await directory.ok(owner, 'PUT', pathOf(listing), { categories: [there.slug] });
  expect(await shown(listing.id, owner)).not.toHaveProperty(key);
  await directory.ok(owner, 'PUT', pathOf(listing), { categories: [here.slug] });
  expect(await shown(listing.id)).toEqual({ [key]: 'kept' });
});

it('revisions and the event of an update name the fields, and a revision can be restored', async () => {
  const key = await define({ type: 'multi_select', options });
  const listing = await directory.live(owner, { fields: { [key]: ['a'] } });
  await put(pathOf(listing), { [key]: ['a', 'b'] });
  const revisions = dataOf<Revision[]>(await directory.get(`${pathOf(listing)}/revisions`, owner));
  const change = { field: `fields.${key}`, before: ['a'], after: ['a', 'b'] };
  expect(revisions[0]).toMatchObject({ changes: [change], applied: [change.field] });
  const path = `/api/admin/projects/${listing.id}/revisions/${revisions[0]?.id}/restore`;
  await directory.adminOk('POST', path, { fields: [change.field] });
  expect(await shown(listing.id)).toEqual({ [key]: ['a'] });
  const events = await directory.adminOk('GET', `/api/admin/events?kind=projectUpdated&subject=project:${listing.id}`);
  const all = dataOf<{ data: { changed: string[] } }[]>(events);
  expect(all.map(({ data }) => data.changed)).toEqual([[change.field], [change.field]]);
  expect(JSON.stringify(all)).not.toContain('"b"');
});

it('a paid submission keeps its values until it is paid', async () => {
  const key = await define({});
  const buyer = await person(server);
  const body = submission({ plan: 'premium', categories: [directory.category], fields: { [key]: 'paid for' } });
  const started = dataOf<{ checkout_id: string }>(await directory.ok(buyer, 'POST', '/api/projects', body));
  const required = await define({ required: true });
  await chooseOutcome(directory, started.checkout_id, 'paid');
  expect(await checkoutOf(directory, buyer, started.checkout_id)).toMatchObject({
    status: 'fulfilled',
    project: { name: body.name, fields: { [key]: 'paid for' } },
  });
  await directory.adminOk('DELETE', `${FIELDS}/${required}`);
});

longTest('every read of a listing has its values', async () => {
  const key = await define({});
  const tag = unique('tag').toLowerCase();
  const listing = await directory.live(owner, { tags: [tag], fields: { [key]: 'here' } });
  const relative = await directory.live(owner, { tags: [tag] });
  await directory.ok(stranger, 'PUT', `${pathOf(listing)}/bookmark`);
  const { slug } = await directory.addCollection({ project_ids: [listing.id], is_public: true });
  const reads: readonly (readonly [string, Person | undefined])[] = [
    [pathOf(listing), undefined],
    [`/api/projects?tag=${tag}`, undefined],
    [`${pathOf(relative)}/related`, undefined],
    ['/api/me/bookmarks', stranger],
    [`/api/collections/${slug}`, undefined],
    ['/api/me/submissions?limit=100', owner],
    ['/api/admin/projects?limit=100', moderator],
    [`/api/admin/projects/${listing.id}/dossier`, moderator],
  ];
  for (const [path, who] of reads) {
    const seen: unknown[] = [];
    JSON.stringify((await directory.ok(who, 'GET', path)).body, (_, value) => {
      if (value?.id === listing.id && 'description' in value) seen.push(value.fields);
      return value;
    });
    expect([path, seen]).toEqual([path, [{ [key]: 'here' }]]);
  }
});

longTest('values are set in bulk, as a batch that can be reverted', async () => {
  const key = await define({ type: 'select', options });
  const [one, other] = [await directory.live(owner, { fields: { [key]: 'a' } }), await directory.live(owner)];
  const action = { ids: [one.id, other.id], action: 'set_fields', fields: { [key]: 'b' } };
  const change = { field: `fields.${key}`, before: 'a', after: 'b' };
  const plan = dataOf(await directory.adminOk('POST', '/api/admin/projects/bulk?dry_run=true', action));
  expect(plan).toMatchObject({ counts: { updated: 2 }, items: [{ changes: [change] }, {}] });
  const report = dataOf<{ batch_id: string }>(await directory.adminOk('POST', '/api/admin/projects/bulk', action));
  expect([await shown(one.id), await shown(other.id)]).toEqual([{ [key]: 'b' }, { [key]: 'b' }]);
  const items = await directory.adminOk('GET', `/api/admin/batches/${report.batch_id}/items`);
  expect(dataOf(items)).toMatchObject([{ changes: [change] }, {}]);
  await directory.adminOk('POST', `/api/admin/batches/${report.batch_id}/revert`);
  expect([await shown(one.id), await shown(other.id)]).toEqual([{ [key]: 'a' }, {}]);
  const wrong = await directory.adminOk('POST', '/api/admin/projects/bulk', { ...action, fields: { [key]: 'c' } });
  expect(dataOf(wrong)).toMatchObject({ failed: 2, succeeded: 0 });
});

it.each([
  ['number', {}, 5, '5', '6'],
  ['boolean', {}, true, 'true', 'false'],
  ['multi_select', { options }, ['a', 'b'], 'b', 'c'],
  ['text', {}, 'Tést', 'TEST', 'tes'],
])('a rule tells submissions by a value of the type %s', async (type, given, value, same, other) => {
  const key = await define({ type, ...given });
  const rule = (values: string[], action: string) => ({
    name: 'By field',
    when: { all: [{ field_is: { [key]: values } }] },
    action,
  });
  const made = [
    await directory.adminOk('POST', '/api/admin/rules', rule([other], 'reject'), 201),
    await directory.adminOk('POST', '/api/admin/rules', rule([other, same], 'approve'), 201),
  ];
  expect(await directory.submit(owner, { fields: { [key]: value } })).toMatchObject({ status: 'live' });
  expect(await directory.submit(owner)).toMatchObject({ status: 'pending' });
  for (const response of made) {
    await directory.adminOk('DELETE', `/api/admin/rules/${dataOf<{ id: string }>(response).id}`);
  }
});

it('text_contains of a rule includes text fields, and a wrong key in field_is is 400', async () => {
  const key = await define({ type: 'long_text' });
  const rule = { name: 'Words', when: { any: [{ text_contains: ['forbidden'] }] }, action: 'reject' };
  const { id } = dataOf<{ id: string }>(await directory.adminOk('POST', '/api/admin/rules', rule, 201));
  expect(await directory.submit(owner, { fields: { [key]: 'A FORBIDDEN word' } })).toMatchObject({
    status: 'rejected',
  });
  await directory.adminOk('DELETE', `/api/admin/rules/${id}`);
  for (const field of ['constructor', '__proto__', 'Upper', '']) {
    const when = JSON.parse(`{"all":[{"field_is":{"${field}":["x"]}}]}`);
    expect(await directory.asAdmin('POST', '/api/admin/rules', { ...rule, when })).toMatchObject({ status: 400 });
  }
});
