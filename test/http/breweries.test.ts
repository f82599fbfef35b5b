import { existsSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sortKeys } from '#contract/projects.ts';
import { multipart } from '#test/support/requests.ts';
import { startTestWorld, type TestWorld } from '#test/support/world.ts';

/** 11,000 real listings, imported from a file and then browsed, filtered and searched over HTTP. */

const file = new URL('../../../shared/data/breweries.csv', import.meta.url);

interface Brewery {
  readonly name: string;
  readonly type: string;
  readonly url: string;
}

/** Reads the file by a machine of its own, so that the service's reader is not its own judge. */
const readBreweries = (text: string): Brewery[] => {
  const records: string[][] = [[]];
  let cell = '';
  let quoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] as string;
    if (quoted) {
      if (character !== '"') cell += character;
      else if (text[at + 1] === '"') {
        cell += '"';
        at += 1;
      } else quoted = false;
    } else if (character === '"') quoted = true;
    else if (character === ',' || character === '\n') {
      (records.at(-1) as string[]).push(cell.replace(/\r$/, ''));
      cell = '';
      if (character === '\n') records.push([]);
    } else cell += character;
  }
  if (cell !== '') (records.at(-1) as string[]).push(cell);
  const [header = [], ...rows] = records.filter((record) => record.length > 0);
  const column = (name: string) => header.indexOf(name);
  return rows.map((row) => ({
    name: row[column('name')] ?? '',
    type: row[column('brewery_type')] ?? '',
    url: row[column('website_url')] ?? '',
  }));
};

interface List {
  data: { id: string; name: string; url: string; categories: string[] }[];
  meta: { total: number; hasMore: boolean };
}

describe.runIf(existsSync(file))('a directory of breweries', () => {
  let world: TestWorld;
  let admin: string;
  let breweries: Brewery[];
  let report: { rows: number; created: number; failed: number; errors: { row: number; column: string | null }[] };

  const list = async (query: string): Promise<List> => {
    const answer = await world.call('GET', `/api/projects?${query}`);
    expect(answer.status).toBe(200);
    return answer.body as List;
  };

  beforeAll(async () => {
    world = await startTestWorld();
    admin = await world.token({ email: 'root@example.com', admin: true });
    const text = readFileSync(file, 'utf8');
    breweries = readBreweries(text);
    const mapping = {
      columns: {
        name: 'name',
        website_url: 'url',
        brewery_type: 'categories',
        city: 'address_city',
        country: 'address_country',
        latitude: 'latitude',
        longitude: 'longitude',
      },
      defaults: { description: 'A brewery.', pricing_type: 'paid' },
      create_categories: true,
    };
    const parts = { mapping: JSON.stringify(mapping), file: new Blob([text], { type: 'text/csv' }) };
    const answer = await world.call('POST', '/api/admin/projects/import', {
      token: admin,
      ...(await multipart(parts)),
    });
    expect(answer.status).toBe(200);
    report = (answer.body as { data: typeof report }).data;
  }, 60_000);

  afterAll(async () => {
    await world.stop();
  });

  it('takes every row with a web address and names the others', () => {
    const without = breweries.flatMap((brewery, position) => (brewery.url.trim() === '' ? [position + 2] : []));
    expect(report.rows).toBe(breweries.length);
    expect(report.errors.map((error) => error.row)).toEqual(without);
    expect(new Set(report.errors.map((error) => error.column))).toEqual(new Set(['website_url']));
    expect(report.created).toBe(breweries.length - without.length);
  });

  it('counts per category what the file counts', async () => {
    const expected = new Map<string, number>();
    for (const { type, url } of breweries) {
      if (url.trim() !== '') expected.set(type, (expected.get(type) ?? 0) + 1);
    }
    const totals = new Map<string, number>();
    for (const type of expected.keys()) totals.set(type, (await list(`category=${type}&limit=1`)).meta.total);
    expect(totals).toEqual(expected);

    const { body } = await world.call('GET', '/api/categories');
    const counted = (body as { data: { slug: string; project_count: number }[] }).data;
    expect(new Map(counted.map((category) => [category.slug, category.project_count]))).toEqual(expected);
  });

  it('finds names with accents that are typed without', async () => {
    const plain = (text: string) => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
    const expected = breweries.filter(({ name, url }) => url.trim() !== '' && plain(name).includes('brau'));
    expect(expected.some(({ name }) => /bräu/i.test(name))).toBe(true);
    const found: string[] = [];
    for (let page = 1, more = true; more; page += 1) {
      const { data, meta } = await list(`q=brau&limit=100&page=${page}`);
      found.push(...data.map((project) => project.name));
      more = meta.hasMore;
    }
    for (const { name } of expected) expect(found).toContain(name.trim());
    expect((await list(`q=${encodeURIComponent('BRÄU')}&limit=1`)).meta.total).toBe(
      (await list('q=brau&limit=1')).meta.total,
    );
  });

  it.each(sortKeys)('shows every project exactly once in a walk by %s while others are added', async (sort) => {
    const before = (await list('limit=1')).meta.total;
    const seen = new Map<string, number>();
    let cursor: string | null = null;
    let added = 0;
    for (let steps = 0; ; steps += 1) {
      if (steps % 25 === 0) {
        const body = {
          plan: 'standard',
          name: `Late ${sort} ${steps}`,
          url: 'https://late.example.com',
          description: 'Came while somebody was looking.',
          categories: ['micro'],
          pricing_type: 'free',
        };
        const answer = await world.call('POST', '/api/projects', { token: admin, body });
        const { id } = (answer.body as { data: { id: string } }).data;
        await world.call('PUT', `/api/admin/projects/${id}/approve`, { token: admin });
        added += 1;
      }
      const step: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
      const { data, meta } = (await list(`sort=${sort}&limit=100${step}`)) as List & {
        meta: { nextCursor: string | null };
      };
      for (const { id } of data) seen.set(id, (seen.get(id) ?? 0) + 1);
      if (!meta.hasMore) break;
      cursor = meta.nextCursor;
    }
    const repeated = [...seen.values()].filter((times) => times > 1);
    expect(repeated).toEqual([]);
    expect(seen.size).toBeGreaterThanOrEqual(before);
    expect(seen.size).toBeLessThanOrEqual(before + added);
  });

  it('walks by page number without a gap or a repetition while nothing changes', async () => {
    const { total } = (await list('limit=1')).meta;
    const seen = new Set<string>();
    for (let page = 1; (page - 1) * 100 < total; page += 1) {
      const { data, meta } = await list(`limit=100&page=${page}&sort=name`);
      expect(meta.hasMore).toBe(page * 100 < total);
      for (const { id } of data) seen.add(id);
    }
    expect(seen.size).toBe(total);
    expect((await list(`limit=100&page=${Math.ceil(total / 100) + 1}`)).data).toEqual([]);
  });

  it('caps the map at the newest 5000', async () => {
    const { body } = await world.call('GET', '/api/projects/map');
    expect((body as { items: unknown[] }).items).toHaveLength(5000);
  });
});
