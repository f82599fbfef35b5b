import { expect, it } from 'vitest';
import { dataOf, idsOf, invalidAt, metaOf, person, submission, unique } from '#test/support/fixtures.ts';
import { sharedDirectory } from '#test/support/with-directory.ts';

/** Texts as people paste and type them: invisible characters, blanks, and commas in values. */

const { server, directory } = await sharedDirectory();
const owner = await person(server);

/** Zero-width space, Hangul filler, braille blank, soft hyphen, byte order mark with blanks, joiner, mark of direction. */
const INVISIBLE = ['\u200b', '\u3164', '\u2800', '\u00ad', ' \ufeff\t', '\u200d', '\u200f', '\ufe0f'];

const valid = (fields: Readonly<Record<string, unknown>>) =>
  submission({ categories: [directory.category], ...fields });

it.each(INVISIBLE)('%j is no name, description, tag, comment or name of a category', async (invisible) => {
  const { id } = await directory.live(owner);
  for (const field of ['name', 'description']) {
    expect(await directory.as(owner, 'POST', '/api/projects', valid({ [field]: invisible }))).toMatchObject(
      invalidAt(field),
    );
  }
  expect(await directory.as(owner, 'POST', '/api/projects', valid({ tags: ['a', invisible] }))).toMatchObject(
    invalidAt('tags', 1),
  );
  expect(
    await directory.as(owner, 'POST', `/api/projects/${id}/comments`, { content: invisible.repeat(3) }),
  ).toMatchObject(invalidAt('content'));
  expect(await directory.asAdmin('POST', '/api/admin/categories', { name: invisible })).toMatchObject(
    invalidAt('name'),
  );
});

it.each(INVISIBLE)('%j is removed from both ends of names, tags and comments, and stays within them', async (one) => {
  const inside = `a${one}b`.replace('\t', ' ');
  const { id } = await directory.live(owner, {
    name: `${one}${inside}${one}`,
    tags: [`${one} x${one}`],
  });
  expect(await directory.read(id, owner)).toMatchObject({ name: inside.replaceAll(/ +/g, ' '), tags: ['x'] });
  const content = `${one}First\n${one}\nlast${one}\n`;
  const comment = dataOf<{ content: string }>(
    await directory.ok(owner, 'POST', `/api/projects/${id}/comments`, { content }, 201),
  );
  expect(comment.content).toBe(`First\n${one}\nlast`);
});

it('a name keeps what belongs to its first and last visible characters', async () => {
  const names = [
    'I ❤️',
    '1️⃣',
    '👩‍👧',
    '🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}',
    '⠃⠗⠇',
    'e\u0301',
    '؀1',
  ];
  for (const name of names) {
    const { id } = await directory.submit(owner, { name });
    expect(await directory.read(id, owner)).toMatchObject({ name });
  }
});

it('a name loses the selectors and tags of characters that have none', async () => {
  for (const end of ['\ufe0f', '\u{e0020}\u{e0068}\u{e0069}', '\u{e007f}', '\u180b', '\u{e0100}', '\u{13441}']) {
    const { id } = await directory.submit(owner, { name: `abc${end}`, tags: ['ai', `ai${end}`] });
    expect(await directory.read(id, owner)).toMatchObject({ name: 'abc', tags: ['ai'] });
  }
});

it.each(['', ' ', '\u200b', '\u2800 \u00ad'])('an optional text that is %j is null', async (blank) => {
  const stored = ['long_description', 'logo_url', 'video_url', 'address_city', 'address_country'] as const;
  const given = Object.fromEntries(stored.map((field) => [field, field.endsWith('url') ? 'https://a.example/' : 'x']));
  const empty = Object.fromEntries(stored.map((field) => [field, null]));
  const blanks = Object.fromEntries(stored.map((field) => [field, blank]));
  const { id } = await directory.submit(owner, blanks);
  expect(await directory.read(id, owner)).toMatchObject(empty);
  const other = await directory.live(owner, given);
  expect(await directory.read(other.id, owner)).toMatchObject(given);
  await directory.ok(owner, 'PUT', `/api/projects/${other.id}`, blanks);
  expect(await directory.read(other.id, owner)).toMatchObject(empty);

  // A time is a string too.
  await directory.ok(owner, 'PUT', `/api/projects/${id}`, {
    publish_at: new Date(Date.now() + 86_400_000).toISOString(),
  });
  await directory.ok(owner, 'PUT', `/api/projects/${id}`, { publish_at: blank });
  expect(await directory.read(id, owner)).toMatchObject({ publish_at: null });

  const profile = { bio: blank, website: blank, avatar_url: blank };
  await directory.ok(owner, 'PUT', '/api/user/profile', profile);
  expect(dataOf(await directory.get('/api/user/profile', owner))).toMatchObject({
    ...{ bio: null, website: null, avatar_url: null },
  });
  await directory.adminOk('PUT', `/api/admin/projects/${id}/reject`, { reason: blank });
  expect(await directory.read(id, owner)).toMatchObject({ status: 'rejected', rejection_reason: null });
});

it('a blank value of a further field removes it', async () => {
  const key = unique('motto').replaceAll('-', '_');
  await directory.adminOk('POST', '/api/admin/fields', { key, type: 'text', label: 'Motto', help: '\u200b' }, 201);
  const { id } = await directory.live(owner, { fields: { [key]: '\u200bLive\u200b' } });
  expect(await directory.read(id, owner)).toMatchObject({ fields: { [key]: 'Live' } });
  await directory.ok(owner, 'PUT', `/api/projects/${id}`, { fields: { [key]: '\u3164 ' } });
  expect((await directory.read(id, owner)).fields).not.toHaveProperty(key);
});

it('what a facet shows can be asked for: a comma in a value is written with a backslash', async () => {
  const word = unique('place');
  const tags = [`Vienna, Austria ${word}`, `${word}\\, so to say`, `C:\\${word}`, `,${word},`, word];
  const ids: string[] = [];
  for (const tag of tags) ids.push((await directory.live(owner, { description: word, tags: [tag] })).id);
  const { facets } = metaOf(await directory.get(`/api/projects?q=${word}&facets=tag`));
  expect(facets?.tag?.map(({ value }) => value).toSorted()).toEqual(tags.toSorted());

  const found = async (...values: string[]): Promise<string[]> => {
    const list = values.map((value) => value.replaceAll(',', '\\,')).join(',');
    return idsOf(await directory.get(`/api/projects?tag=${encodeURIComponent(list)}`)).toSorted();
  };
  for (const [at, tag] of tags.entries()) expect(await found(tag), tag).toEqual([ids[at]]);
  expect(await found(...tags)).toEqual(ids.toSorted());
  // Without the backslash they are two.
  expect(idsOf(await directory.get(`/api/projects?tag=${encodeURIComponent(`Vienna, ${word}`)}`))).toEqual([ids[4]]);
});

it('a sphere may have a comma', async () => {
  const sphere = `Food, ${unique('drink')}`;
  const { slug } = await directory.addCategory({ sphere });
  const { id } = await directory.live(owner, { categories: [slug] });
  const list = encodeURIComponent(sphere.replace(',', '\\,'));
  expect(idsOf(await directory.get(`/api/projects?sphere=${list}`))).toEqual([id]);
});

it('tags that differ in case, width or composition are one: on a listing, in a facet, as a filter and for related ones', async () => {
  const word = unique('tag');
  const [plain, upper, wide] = [
    `${word} straße é`,
    `${word.toUpperCase()} STRASSE E\u0301`,
    `ｔ${word.slice(1)} Straße É`,
  ];
  const first = await directory.live(owner, { description: word, tags: [plain, upper, wide, `${word} other`] });
  expect(await directory.read(first.id)).toMatchObject({ tags: [plain, `${word} other`] });
  const others = [
    await directory.live(owner, { description: word, tags: [upper] }),
    await directory.live(owner, { description: word, tags: [upper] }),
    await directory.live(owner, { description: word, tags: [wide] }),
  ];
  const all = [first, ...others].map(({ id }) => id).toSorted();
  const facet = async () => metaOf(await directory.get(`/api/projects?q=${word}&facets=tag`)).facets?.tag;
  expect(await facet()).toEqual([
    { value: upper, count: 4 },
    { value: `${word} other`, count: 1 },
  ]);
  for (const spelling of [plain, upper, wide, `${word} STRASSE é`]) {
    const found = await directory.get(`/api/projects?tag=${encodeURIComponent(spelling)}&facets=pricing`);
    expect(idsOf(found).toSorted(), spelling).toEqual(all);
    expect(metaOf(found)).toMatchObject({ total: 4, facets: { pricing: [{ value: 'free', count: 4 }] } });
  }
  const related = dataOf<{ id: string }[]>(await directory.get(`/api/projects/${first.id}/related?limit=20`));
  expect(
    related
      .slice(0, 3)
      .map(({ id }) => id)
      .toSorted(),
  ).toEqual(others.map(({ id }) => id).toSorted());

  // The spelling that most listings use changes with them.
  await directory.ok(owner, 'PUT', `/api/projects/${others[0]?.id}`, { tags: [plain] });
  await directory.ok(owner, 'PUT', `/api/projects/${others[2]?.id}`, { tags: [plain] });
  expect(await facet()).toEqual([
    { value: plain, count: 4 },
    { value: `${word} other`, count: 1 },
  ]);
  // A dotless i is another letter, and accents count.
  const other = await directory.live(owner, { tags: [`${word} ı`, `${word} i`, `${word} é`, `${word} e`] });
  expect((await directory.read(other.id)).tags).toHaveLength(4);
});

it('a spelling that only hidden listings use is not shown to visitors', async () => {
  const word = unique('hidden');
  await directory.live(owner, { tags: [word] });
  for (let at = 0; at < 2; at += 1) await directory.submit(owner, { tags: [word.toUpperCase()] });
  const facetOf = async (path: string) =>
    metaOf(await directory.get(`${path}tag=${word}&facets=tag`, directory.admin)).facets?.tag?.filter(
      ({ value }) => value.toLowerCase() === word,
    );
  expect(await facetOf('/api/projects?')).toEqual([{ value: word, count: 1 }]);
  expect(await facetOf('/api/admin/projects?status=all&')).toEqual([{ value: word.toUpperCase(), count: 3 }]);
});
