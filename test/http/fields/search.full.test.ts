import { expect, it } from 'vitest';
import { dataOf, idsOf, person } from '#test/support/fixtures.ts';
import { ownDirectory } from '#test/support/with-directory.ts';

/** Searches by words in the values of fields, in a directory of their own: corrections depend on all listings. */

const { server, directory } = await ownDirectory({ env: { SEARCH_LONG_DESCRIPTION: 'on' } });
const owner = await person(server);

const FIELDS = '/api/admin/fields';
const options = [
  { value: 'veg', label: 'Vegetarian kitchen' },
  { value: 'halal', label: 'Halal butchery' },
];
const defined = { chef: 'text', story: 'long_text', diet: 'select', diets: 'multi_select' };
for (const [key, type] of Object.entries(defined)) {
  const given = { key, label: key, type, searchable: true, ...(type.endsWith('select') && { options }) };
  await directory.adminOk('POST', FIELDS, given, 201);
}
await directory.adminOk('POST', FIELDS, { key: 'slogan', label: 'Slogan', type: 'text' }, 201);
for (const access of ['owner', 'staff']) {
  await directory.adminOk('POST', FIELDS, { key: access, label: access, type: 'text', searchable: true, access }, 201);
}

const { slug: first } = await directory.addCategory({ name: 'Elsewhere' });
const { slug: second } = await directory.addCategory({ name: 'Nowhere' });

const add = async (name: string, more: object = {}) =>
  (
    await directory.live(owner, {
      ...{ name, description: 'Plain.', url: 'https://plain.example', categories: [first], tags: [] },
      ...more,
    })
  ).id;

const chef = await add('A', { fields: { chef: 'Amélie Brightwater', slogan: 'Marzipan' } });
const story = await add('B', { fields: { story: 'Founded in\nLisbon by sailors.' } });
const diet = await add('C', { fields: { diet: 'veg' } });
const diets = await add('D', { fields: { diets: ['veg', 'halal'] } });
const tagged = await add('E', { tags: ['Kitchen'] });
const deep = await add('F', { long_description: 'With a kitchen.' });
const hidden = await add('G', { fields: { owner: 'Quicksilver' } });
await directory.adminOk('PUT', `/api/admin/projects/${hidden}`, { fields: { staff: 'Moonstone' } });

interface Body {
  readonly meta: {
    readonly search: { readonly did_you_mean: string | null; readonly highlights: object };
    readonly ranking: Readonly<Record<string, { readonly criteria: readonly { name: string; value: number }[] }>>;
  };
}

const metaOf = ({ body }: { readonly body: unknown }) => (body as Body).meta;

const search = async (q: string, match = 'words', path = '/api/projects') => {
  const caller = path.includes('admin') ? directory.admin : undefined;
  const query = new URLSearchParams({ q, match, sort: 'relevance', highlight: 'true' });
  return await directory.ok(caller, 'GET', `${path}?${query.toString()}`);
};
const found = async (q: string, match?: string, path?: string) => idsOf(await search(q, match, path));

await server.until(async () => expect(await found('plain')).toHaveLength(7));

it('words are found in texts and in labels of options, on both lists and with typos', async () => {
  for (const path of ['/api/projects', '/api/admin/projects']) {
    expect(await found('amelie brightw', 'words', path)).toEqual([chef]);
    expect(await found('Brigthwater', 'fuzzy', path)).toEqual([chef]);
    expect(await found('lisbon', 'words', path)).toEqual([story]);
    expect(await found('butchery', 'words', path)).toEqual([diets]);
  }
  // The value of an option is not a text.
  expect(await found('halal veg', 'words')).toEqual([diets]);
  expect(await found('vegan', 'words')).toEqual([]);
});

it('fields come after tags and before long descriptions', async () => {
  expect(await found('kitchen')).toEqual([tagged, diets, diet, deep]);
});

it('words side by side are counted within a value', async () => {
  const pairs = async (q: string) => {
    const query = new URLSearchParams({ q, match: 'words', sort: 'relevance', explain: 'true' });
    const response = await directory.ok(directory.admin, 'GET', `/api/admin/projects?${query.toString()}`);
    const { ranking } = metaOf(response);
    return ranking[diets]?.criteria.filter(({ name }) => /fields|pairs/.test(name)).map(({ value }) => value);
  };
  expect(await pairs('vegetarian kitchen')).toEqual([2, 2, 1]);
  expect(await pairs('kitchen halal')).toEqual([2, 2, 0]);
});

it('neither q alone nor a search for a substring looks into fields', async () => {
  expect(idsOf(await directory.ok(undefined, 'GET', '/api/projects?q=brightwater'))).toEqual([]);
  expect(await found('brightwater', 'substring')).toEqual([]);
  expect(await found('kitchen', 'substring')).toEqual([tagged]);
});

it('fields that are not searchable or not public are not searched, for no reader', async () => {
  for (const q of ['marzipan', 'quicksilver', 'moonstone']) {
    for (const path of ['/api/projects', '/api/admin/projects']) expect(await found(q, 'fuzzy', path)).toEqual([]);
  }
});

it('fields have no highlights, are suggested from, and correct a search', async () => {
  const highlighted = metaOf(await search('brightwater'));
  expect(highlighted.search.highlights).toEqual({ [chef]: [] });
  const suggested = await directory.ok(undefined, 'GET', '/api/search/suggest?q=brightwa');
  expect(dataOf<{ projects: { id: string }[] }>(suggested).projects.map(({ id }) => id)).toEqual([chef]);
  const { search: misspelt } = metaOf(await search('brihgtwater'));
  expect(misspelt.did_you_mean).toBe('brightwater');
});

it('a change of a definition is effective without a change of listings, and so is one of a listing', async () => {
  const change = async (key: string, body: object) => await directory.adminOk('PUT', `${FIELDS}/${key}`, body);
  await change('diet', { options: [{ value: 'veg', label: 'Greengrocer' }] });
  expect(await found('greengrocer')).toEqual([diet]);
  await change('diet', { options: [{ value: 'fish', label: 'Greengrocer' }] });
  expect(await found('greengrocer')).toEqual([]);
  await change('diet', { options });
  expect(await found('vegetarian')).toEqual([diets, diet]);
  const hidings = [{ searchable: false }, { access: 'owner' }, { categories: [second] }] as const;
  for (const hiding of hidings) {
    await change('chef', hiding);
    expect(await found('brightwater')).toEqual([]);
    await change('chef', { searchable: true, access: 'public', categories: [] });
    expect(await found('brightwater')).toEqual([chef]);
  }
  await directory.adminOk('DELETE', `${FIELDS}/chef`);
  expect(await found('brightwater')).toEqual([]);
  await change('chef', { deleted_at: null });
  expect(await found('brightwater')).toEqual([chef]);
  await change('slogan', { searchable: true });
  expect(await found('marzipan')).toEqual([chef]);
  await directory.adminOk('PUT', `/api/admin/projects/${story}`, { fields: { slogan: 'Marzipan' } });
  await directory.adminOk('PUT', `/api/admin/projects/${chef}`, { fields: { slogan: null } });
  expect(await found('marzipan')).toEqual([story]);
});
