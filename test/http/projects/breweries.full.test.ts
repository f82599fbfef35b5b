import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { ImportReport } from '#contract/batches.ts';
import { sortKeys } from '#contract/projects.ts';
import { type Directory, dataOf, type Meta } from '#test/support/fixtures.ts';
import { importFile, readCsv } from '#test/support/uploads.ts';
import { withOwnServer } from '#test/support/with-directory.ts';

/** 11,000 real listings, imported from a file, then listed, filtered and searched over HTTP. */

const file = new URL('../../../../shared/data/breweries.csv', import.meta.url);

interface Brewery {
  readonly name: string;
  readonly type: string;
  readonly url: string;
}

const readBreweries = (text: string): Brewery[] => {
  const [header = [], ...rows] = readCsv(text);
  const cell = (row: readonly string[], name: string): string => row[header.indexOf(name)] ?? '';
  return rows.map((row) => ({
    name: cell(row, 'name'),
    type: cell(row, 'brewery_type'),
    url: cell(row, 'website_url'),
  }));
};

/**
 * Some rows have a mail address in place of a website, which is a URL with a user name, and two have `http://tbd` and a host
 * with two dots in a row.
 */
const hasWebsite = ({ url }: Brewery): boolean => {
  const [host = ''] = url
    .trim()
    .replace(/^https?:\/\//i, '')
    .split('/');
  const labels = host.split('.');
  return labels.length > 1 && !labels.includes('') && !host.includes('@');
};

interface List {
  readonly data: readonly { id: string; name: string; url: string; categories: string[] }[];
  readonly meta: Meta;
}

describe.runIf(existsSync(file))('a directory of breweries', () => {
  let directory: Directory;
  let breweries: Brewery[];
  let report: ImportReport;

  const list = async (query: string): Promise<List> =>
    (await directory.ok(undefined, 'GET', `/api/projects?${query}`)).body as List;

  withOwnServer(async (context) => {
    ({ directory } = context);
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
    report = await importFile(context.server, directory.admin.token, text, mapping);
  });

  it('imports every row with a valid URL and reports the others', () => {
    const without = breweries.flatMap((brewery, position) => (hasWebsite(brewery) ? [] : [position + 2]));
    expect(report.rows).toBe(breweries.length);
    expect(report.errors.map((error) => error.row)).toEqual(without);
    expect(new Set(report.errors.map((error) => error.column))).toEqual(new Set(['website_url']));
    expect(report.created).toBe(breweries.length - without.length);
  });

  it('has the same counts per category as the file', async () => {
    const expected = new Map<string, number>();
    for (const { type } of breweries.filter(hasWebsite)) expected.set(type, (expected.get(type) ?? 0) + 1);
    const totals = new Map<string, number>();
    for (const type of expected.keys()) totals.set(type, (await list(`category=${type}&limit=1`)).meta.total);
    expect(totals).toEqual(expected);

    const response = await directory.ok(undefined, 'GET', '/api/categories');
    const counted = dataOf<{ slug: string; project_count: number }[]>(response).filter(
      ({ slug }) => slug !== directory.category,
    );
    expect(new Map(counted.map((category) => [category.slug, category.project_count]))).toEqual(expected);
  });

  it('finds names with accents by a search without them', async () => {
    const plain = (text: string) => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
    const expected = breweries.filter((brewery) => hasWebsite(brewery) && plain(brewery.name).includes('brau'));
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

  it.each(sortKeys)('lists every project exactly once in iterations by %s while others are added', async (sort) => {
    const before = (await list('limit=1')).meta.total;
    const seen = new Map<string, number>();
    let cursor: string | null = null;
    let added = 0;
    for (let steps = 0; ; steps += 1) {
      if (steps % 25 === 0) {
        await directory.live(directory.admin, { name: `Late ${sort} ${steps}`, categories: ['micro'] });
        added += 1;
      }
      const position: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
      const { data, meta }: List = await list(`sort=${sort}&limit=100${position}`);
      for (const { id } of data) seen.set(id, (seen.get(id) ?? 0) + 1);
      if (!meta.hasMore) break;
      cursor = meta.nextCursor;
    }
    const repeated = [...seen.values()].filter((times) => times > 1);
    expect(repeated).toEqual([]);
    expect(seen.size).toBeGreaterThanOrEqual(before);
    expect(seen.size).toBeLessThanOrEqual(before + added);
  });

  it('lists every project exactly once by page number while nothing changes', async () => {
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

  it('limits the map to the newest 5000', async () => {
    const { body } = await directory.ok(undefined, 'GET', '/api/projects/map');
    expect((body as { items: unknown[] }).items).toHaveLength(5000);
  });
});
