import { describe, expect, it } from 'vitest';
import { type ImportField, ImportMapping } from '#contract/projects.ts';
import { rowReader } from '#domain/projects/import-row.ts';

const columnsOf = (...fields: readonly ImportField[]) =>
  fields.map((field, index) => ({ column: `the ${field}`, field, index }));

const readOne = (cells: Readonly<Partial<Record<ImportField, string>>>, more: object = {}) => {
  const fields = Object.keys(cells) as ImportField[];
  const mapping = ImportMapping.parse({ columns: {}, ...more });
  return rowReader(mapping, columnsOf(...fields), fields.length)({ number: 2, cells: Object.values(cells) });
};

const problemsOf = (cells: Readonly<Partial<Record<ImportField, string>>>, more?: object) =>
  readOne(cells, more).problems.map(({ field, message }) => `${String(field)}: ${message}`);

describe('a row', () => {
  it('is read by the kinds of its fields', () => {
    const { values, problems } = readOne({
      name: '  A  name ',
      description: "'=SUM(A1) is\r\nwhat it says",
      tags: 'a|b\\|c| ',
      latitude: '-12.5',
      longitude: '48,25',
      pricing_type: 'Free',
      status: ' PENDING',
      created_at: '2026-01-02T03:04:05+01:00',
      deleted_at: '2026-02-03',
      upvote_count: 'many',
      screenshots: 'https://a.example/1.png|cdn.example.com/2.png',
    });
    expect(problems).toEqual([]);
    expect(values).toEqual({
      name: 'A  name',
      description: '=SUM(A1) is\nwhat it says',
      tags: ['a', 'b|c'],
      latitude: -12.5,
      longitude: 48.25,
      pricing_type: 'free',
      status: 'pending',
      created_at: '2026-01-02T02:04:05.000Z',
      deleted_at: '2026-02-03T00:00:00.000Z',
      screenshots: ['https://a.example/1.png', 'https://cdn.example.com/2.png'],
    });
  });

  it.each([
    ['www.example.com', 'https://www.example.com'],
    ['example.com/a?b=c#d', 'https://example.com/a?b=c#d'],
    ['example.com:8080', 'https://example.com:8080'],
    ['münchen.de', 'https://münchen.de'],
    ['http://example.com', 'http://example.com'],
    ['HTTP://Example.com', 'HTTP://Example.com'],
  ])('takes %s for an address', (cell, url) => {
    expect(readOne({ url: cell }).values.url).toBe(url);
  });

  it.each(['none', 'n/a', 'ftp://example.com', 'javascript:alert(1)', 'a@example.com', 'see example.com', '1.5'])(
    'does not take %s for one',
    (cell) => {
      expect(problemsOf({ url: cell })).toEqual(['url: must be an http or https address']);
    },
  );

  it('uses defaults for blank cells and fields without a column', () => {
    const more = { defaults: { pricing_type: 'paid', tags: 'x|y', latitude: 1, logo_url: null, name: 'Nameless' } };
    expect(readOne({ name: ' ', pricing_type: 'free', description: '' }, more).values).toEqual({
      name: 'Nameless',
      pricing_type: 'free',
      tags: ['x', 'y'],
      latitude: 1,
      logo_url: null,
    });
  });

  it('names every field that is wrong', () => {
    expect(
      problemsOf({
        id: 'prj_1',
        slug: 'Not A Slug',
        name: 'x'.repeat(101),
        pricing_type: 'cheap',
        latitude: 'north',
        longitude: '181',
        screenshots: 'https://a.example/1.png|none',
        created_at: 'yesterday',
        tags: Array.from({ length: 11 }, (_, n) => n).join('|'),
      }).toSorted(),
    ).toEqual(
      [
        'id: must be prj_ and a ULID',
        'slug: must be lower-case letters and digits with single hyphens',
        'name: must have at most 100 characters',
        'pricing_type: must be one of free, freemium, paid',
        'latitude: must be a number',
        'longitude: must be at most 180',
        'screenshots: entry 2 must be an http or https address',
        'created_at: must be an ISO 8601 time such as 2026-11-20T09:30:00.000Z',
        'tags: must have at most 10 entries',
      ].toSorted(),
    );
  });

  it('is broken when it has not as many cells as the header', () => {
    const read = rowReader(ImportMapping.parse({ columns: {} }), columnsOf('name'), 2);
    expect(read({ number: 7, cells: ['x'] }).problems).toEqual([
      { field: null, message: 'The row has 1 cells in place of 2.' },
    ]);
    expect(read({ number: 8, cells: [], broken: 'has a quote in the wrong place' }).problems).toHaveLength(1);
  });

  it.each([
    [{ pricing_type: 'cheap' }, 'pricing_type'],
    [{ latitude: 'north' }, 'latitude'],
    [{ categories: 3 }, 'categories'],
    [{ name: ['a'] }, 'name'],
    [{ slug: 'same-for-all' }, 'slug'],
    [{ id: 'prj_01ARZ3NDEKTSV4RRFFQ69G5FAV' }, 'id'],
  ])('is not even read when a default is wrong: %j', (defaults, field) => {
    expect(() => readOne({}, { defaults })).toThrow(
      expect.objectContaining({
        extra: {
          details: {
            _errors: [],
            mapping: { _errors: [], defaults: { _errors: [], [field]: expect.anything() as unknown } },
          },
        },
      }),
    );
  });
});
