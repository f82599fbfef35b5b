import { expect, it } from 'vitest';
import type { Project } from '#contract/projects.ts';
import { dataOf, idsOf, person } from '#test/support/fixtures.ts';
import { sharedDirectory } from '#test/support/with-directory.ts';

/** What `q` finds besides the same characters. Each test lists its own category, which isolates it from the others. */

const { server, directory } = await sharedDirectory();
const owner = await person(server);

/** A new category with live listings. */
const listed = async (...all: readonly Readonly<Record<string, unknown>>[]) => {
  const { slug } = await directory.addCategory();
  const ids: string[] = [];
  for (const fields of all) ids.push((await directory.live(owner, { categories: [slug], ...fields })).id);
  return { slug, ids };
};

const search = (category: string, query: Readonly<Record<string, string>>, path = '/api/projects') =>
  directory.ok(
    path.includes('admin') ? directory.admin : undefined,
    'GET',
    `${path}?${new URLSearchParams({ category, ...query }).toString()}`,
  );

const found = async (...args: Parameters<typeof search>): Promise<string[]> => idsOf(await search(...args)).toSorted();

it('apostrophes, quotation marks and dashes of every kind are found by each other, on both lists', async () => {
  const { slug, ids } = await listed(
    { name: 'Rock ’n’ Roll – „Café“' },
    { name: `Rock 'n' Roll - "Cafe"` },
    { description: 'Rock ʼnʼ Roll — «café»' },
    { tags: ['Rock `n´ Roll ‐ 「Café」'] },
    { name: 'Rock n Roll, Café' },
  );
  const expected = ids.slice(0, 4).toSorted();
  for (const path of ['/api/projects', '/api/admin/projects']) {
    for (const q of [`rock 'n' roll - "cafe"`, 'ROCK ‘N’ ROLL − ″CAFÉ″', 'rock ′n′ roll ‑ “cafe”'])
      expect([q, await found(slug, { q }, path)]).toEqual([q, expected]);
  }
});

it('highlights are offsets into texts whose apostrophes, quotation marks and dashes are spelt otherwise', async () => {
  const { slug, ids } = await listed({ name: 'ŉ Straße: Rock ’n’ Roll – „Café“ 5″' });
  const slices = async (query: Readonly<Record<string, string>>) => {
    const response = await search(slug, { ...query, highlight: 'true' });
    const { meta } = response.body as {
      meta: { search: { highlights: Record<string, { field: string; ranges: [number, number][] }[]> } };
    };
    const name = dataOf<Project[]>(response)[0]?.name ?? '';
    const ranges = meta.search.highlights[ids[0] ?? '']?.find(({ field }) => field === 'name')?.ranges ?? [];
    return ranges.map(([start, end]) => name.slice(start, end));
  };
  expect(await slices({ q: `'n' roll - "cafe" 5"` })).toEqual(['’n’ Roll – „Café“ 5″']);
  expect(await slices({ q: `'n s` })).toEqual(['ŉ S']);
  expect(await slices({ q: `strasse: rock ‘n` })).toEqual(['Straße: Rock ’n']);
  expect(await slices({ q: 'rock-n-roll', match: 'words' })).toEqual(['ŉ', 'Rock', 'n', 'Roll']);
});

it('a host is found in Unicode and in Punycode, however its listing writes it', async () => {
  const { slug, ids } = await listed(
    { url: 'https://bücher.example/a' },
    { url: 'https://xn--bcher-kva.example/b' },
    {},
  );
  const expected = ids.slice(0, 2).toSorted();
  for (const path of ['/api/projects', '/api/admin/projects']) {
    for (const q of ['bücher', 'bucher.example', 'BÜCHER.EXAMPLE', 'xn--bcher-kva', 'xn--bcher-kva.example'])
      expect([q, await found(slug, { q }, path)]).toEqual([q, expected]);
    for (const match of ['words', 'fuzzy']) expect(await found(slug, { q: 'bücher', match }, path)).toEqual(expected);
  }
});
