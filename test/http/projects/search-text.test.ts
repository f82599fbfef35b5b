import { expect, it } from 'vitest';
import type { Project } from '#contract/projects.ts';
import { dataOf, idsOf, metaOf, person, unique } from '#test/support/fixtures.ts';
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

const host = `${unique('site')}.example`;

it('a pasted address finds the listings with it, however it is searched, and those that contain it', async () => {
  const { slug, ids } = await listed(
    { url: `https://${host}/Tool` },
    { url: `http://www.${host}/Tool/?utm_source=x` },
    { description: `Replaces ${host}/tool.` },
    { url: `https://${host}/other` },
    { name: `Tool of ${host}`, url: 'https://elsewhere.example' },
  );
  const [same, other, text, , name] = ids as [string, string, string, string, string];
  const texts = [
    ...[`https://${host}/Tool`, `HTTP://WWW.${host}/Tool/`, ` www.${host}/Tool `, `${host}/Tool`, `${host}:80/Tool/`],
    ...[`https://${host.toUpperCase()}/Tool#top`, `${host}/Tool?ref=y`],
  ];
  for (const q of texts) {
    const has = /[#?]|:80/.test(q) ? [same, other] : [same, other, text];
    for (const path of ['/api/projects', '/api/admin/projects']) {
      for (const match of ['substring', 'words', 'fuzzy']) {
        const response = await search(slug, { q, match, sort: 'relevance', facets: 'category' }, path);
        expect([q, path, match, idsOf(response).toSorted()]).toEqual([q, path, match, has.toSorted()]);
        expect(idsOf(response).slice(0, 2).toSorted()).toEqual([same, other].toSorted());
        expect(response.body).toMatchObject({
          meta: {
            total: has.length,
            facets: { category: [{ value: slug, count: has.length }] },
            search: { match: 'substring', relaxed: false, did_you_mean: null },
          },
        });
      }
    }
  }
  // Of a site without a path all listings are found, and texts that name it.
  for (const q of [`https://${host}/`, `www.${host}`, `${host}/`, host])
    expect(await found(slug, { q })).toEqual(ids.toSorted());
  expect(await found(slug, { q: `https://${host}/Tool`, pricing: 'paid' })).toEqual([]);
  expect(await found(slug, { q: `https://${host}/tool of` })).toEqual([]);
  expect(await found(slug, { q: `tool of ${host}` })).toEqual([name]);
});

it('a pasted address highlights what of it is in texts', async () => {
  const { slug, ids } = await listed({ description: `Replaces ${host}/a.` });
  const response = await search(slug, { q: `https://www.${host}/a/`, match: 'words', highlight: 'true' });
  const end = 'Replaces '.length + `${host}/a`.length;
  expect(response.body).toMatchObject({
    meta: {
      search: {
        words: [`${host}/a`],
        highlights: { [ids[0] ?? '']: [{ field: 'description', index: null, ranges: [['Replaces '.length, end]] }] },
      },
    },
  });
});

it('pages of the listings with a pasted address repeat and skip none, the name or URL first in the administrators list', async () => {
  const url = `https://${host}/paged`;
  const { slug, ids } = await listed(
    { description: `${host}/paged` },
    { url: `${url}?a=1` },
    { url },
    { url: `${url}#x` },
  );
  for (const sort of ['oldest', 'relevance']) {
    const seen: string[] = [];
    for (let cursor = ''; seen.length < ids.length; ) {
      const query = { q: `${url}/`, sort, limit: '1', match: 'words', ...(cursor && { cursor }) };
      const page = await search(slug, query, '/api/admin/projects');
      expect(metaOf(page)).toMatchObject({ total: ids.length });
      seen.push(...idsOf(page));
      cursor = metaOf(page).nextCursor ?? '';
    }
    const [text, longer, same, anchor] = ids;
    expect(seen).toEqual(sort === 'oldest' ? [longer, same, anchor, text] : [anchor, same, text, longer]);
  }
});

it('a pasted address finds its listing in Unicode and in Punycode', async () => {
  const label = unique('büro');
  const { slug, ids } = await listed({ url: `https://${label}.example/a` });
  const { hostname } = new URL(`https://${label}.example`);
  for (const q of [
    `https://${label}.example/a/`,
    `${label.toUpperCase()}.example/a`,
    `http://${hostname}/a`,
    `www.${hostname}/`,
  ])
    expect([q, await found(slug, { q })]).toEqual([q, ids]);
});

it('a pasted address finds no listing that its reader may not see', async () => {
  const { slug } = await directory.addCategory();
  const url = `https://${host}/hidden`;
  const pending = await directory.submit(owner, { url, categories: [slug] });
  const deleted = await directory.live(owner, { url, categories: [slug] });
  await directory.adminOk('DELETE', `/api/projects/${deleted.id}`);
  expect(await found(slug, { q: url })).toEqual([]);
  const admin = (status: string) => found(slug, { q: url, status }, '/api/admin/projects');
  expect(await admin('pending')).toEqual([pending.id]);
  expect(await admin('deleted')).toEqual([deleted.id]);
});

it('the map and suggestions take a pasted address too', async () => {
  const { slug, ids } = await listed({ url: `https://${host}/mapped`, latitude: 1, longitude: 2 });
  const q = `http://www.${host}/mapped/`;
  const query = new URLSearchParams({ q, category: slug, bbox: '0,0,5,5', zoom: '3', match: 'fuzzy' });
  const map = await directory.ok(undefined, 'GET', `/api/projects/map?${query.toString()}`);
  expect(map.body).toMatchObject({ meta: { total: 1 } });
  const suggested = await directory.ok(
    undefined,
    'GET',
    `/api/search/suggest?${new URLSearchParams({ q }).toString()}`,
  );
  expect(suggested.body).toMatchObject({ data: { projects: [{ id: ids[0] }] } });
});

it('an address is found with what chats and address bars add, and www. stays where it is the site', async () => {
  const site = unique('port');
  const { slug, ids } = await listed(
    { url: `https://${host}/Chat` },
    { url: `http://10.1.2.3:8080/${site}` },
    { url: 'https://www.com/' },
  );
  for (const q of [`\u200bhttps://${host}/Chat`, `${host}/Chat\u200e\u2060`]) {
    expect(await found(slug, { q, match: 'words' })).toEqual([ids[0]]);
  }
  for (const q of [`10.1.2.3:8080/${site}/`, `http://10.1.2.3:8080/${site}`]) {
    expect(await found(slug, { q, match: 'words' })).toEqual([ids[1]]);
  }
  for (const q of ['https://www.com', 'www.com/', 'http://www.com/']) {
    expect([q, await found(slug, { q })]).toEqual([q, [ids[2]]]);
  }
});

it('text that is not quite an address is searched as text', async () => {
  const names = [
    'http://',
    'https://[',
    'http://%',
    'https://a',
    'http://[::1',
    'http://a@b.example',
    'https://www.',
    'www.',
    'www./',
    'node.js',
    '24/7',
    'a.b:',
    'a@b.example/c',
  ];
  const { slug, ids } = await listed(...names.map((name) => ({ name: `>${name}<`, url: 'https://plain.test' })));
  for (const [position, q] of names.entries()) {
    for (const match of ['substring', 'words', 'fuzzy'])
      expect([q, await found(slug, { q, match })]).toEqual([q, expect.arrayContaining([ids[position]])]);
  }
  expect(await found(slug, { q: 'node js', match: 'words' })).toEqual([ids[names.indexOf('node.js')]]);
});
