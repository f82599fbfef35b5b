import { expect, it } from 'vitest';
import { type ImportField, ImportMapping } from '#contract/projects.ts';
import { noFields } from '#model/field.ts';
import { rowValidator } from '#services/imports/validate.ts';

const columnsOf = (...fields: readonly ImportField[]) =>
  fields.map((field, index) => ({ column: `the ${field}`, field, index, isPlace: false }));

const readOne = (cells: Readonly<Partial<Record<ImportField, string>>>, more: object = {}) => {
  const fields = Object.keys(cells) as ImportField[];
  const mapping = ImportMapping.parse({ columns: {}, ...more });
  return rowValidator({ mapping, columns: columnsOf(...fields), header: fields, fields: noFields })({
    number: 2,
    cells: Object.values(cells),
  });
};

const problemsOf = (cells: Readonly<Partial<Record<ImportField, string>>>, more?: object) =>
  readOne(cells, more).problems.map(({ field, message }) => `${String(field)}: ${message}`);

it('a row is parsed according to the types of its fields', () => {
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
])('a row accepts %s as a URL', (cell, url) => {
  expect(readOne({ url: cell }).values.url).toBe(url);
});

it.each(['none', 'n/a', 'ftp://example.com', 'javascript:alert(1)', 'a@example.com', 'see example.com', '1.5'])(
  'a row rejects %s as a URL',
  (cell) => {
    expect(problemsOf({ url: cell })).toEqual(['url: must be an http or https address']);
  },
);

it.each([' ', '\u200b', '\u202e', '\u2800'])(
  'a row uses defaults for blank cells (%j) and fields without a column',
  (blank) => {
    const more = { defaults: { pricing_type: 'paid', tags: 'x|y', latitude: 1, logo_url: null, name: 'Nameless' } };
    expect(readOne({ name: blank, pricing_type: 'free', description: '' }, more).values).toEqual({
      name: 'Nameless',
      pricing_type: 'free',
      tags: ['x', 'y'],
      latitude: 1,
      logo_url: null,
    });
  },
);

it('a row reports every invalid field', () => {
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
      'id: must be "prj_" followed by a ULID',
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

it.each<[ImportField, string, string]>([
  ['description', 'x'.repeat(501), 'must have at most 500 characters'],
  ['long_description', 'x'.repeat(10_001), 'must have at most 10000 characters'],
  ['url', `https://a.example/${'x'.repeat(2048)}`, 'must have at most 2048 characters'],
  ['slug', 'x'.repeat(101), 'must have at most 100 characters'],
  ['tags', `a|${'x'.repeat(41)}`, 'entry 2 must have at most 40 characters'],
  [
    'screenshots',
    Array.from({ length: 11 }, (_, n) => `https://a.example/${n}`).join('|'),
    'must have at most 10 entries',
  ],
  ['categories', `a|${'x'.repeat(101)}`, 'entry 2 must have at most 100 characters'],
  ['address_city', 'x'.repeat(101), 'must have at most 100 characters'],
  ['rejection_reason', 'x'.repeat(1001), 'must have at most 1000 characters'],
  ['owner_id', 'x'.repeat(201), 'must have at most 200 characters'],
  ['logo_url', 'data:image/png;base64,AA', 'must be an http or https address'],
])('a row follows the rules of a submission for %s', (field, cell, message) => {
  expect(problemsOf({ [field]: cell })).toEqual([`${field}: ${message}`]);
});

it('a row loses control characters and bidirectional overrides', () => {
  const odd = 'a\u202eb\u0000\u2066c';
  const cells = { name: odd, description: `${odd}\u0007`, tags: `${odd}|x`, categories: odd, address_city: odd };
  expect(readOne(cells).values).toEqual({
    name: 'abc',
    description: 'abc',
    tags: ['abc', 'x'],
    categories: ['abc'],
    address_city: 'abc',
  });
});

it.each([{ owner_id: '\ud800' }, { name: '\ud800' }, { categories: ['\ud800'] }, { tags: ['a\udc00'] }])(
  'a row has no defaults that are not well-formed Unicode: %j',
  (defaults) => {
    expect(() => readOne({}, { defaults })).toThrow(expect.objectContaining({ code: 'INVALID_INPUT' }));
  },
);

it('a row fails as a whole when it is broken or has more cells than the header', () => {
  const mapping = ImportMapping.parse({ columns: {} });
  const validate = rowValidator({ mapping, columns: columnsOf('name'), header: ['name', 'url'], fields: noFields });
  expect(validate({ number: 7, cells: ['x', 'y', 'z'] }).problems).toEqual([
    { field: null, message: 'The row has 3 cells instead of 2.' },
  ]);
  expect(validate({ number: 8, cells: [], broken: 'has a misplaced quote' }).problems).toHaveLength(1);
});

it.each([
  [{ pricing_type: 'cheap' }, 'pricing_type'],
  [{ latitude: 'north' }, 'latitude'],
  [{ categories: 3 }, 'categories'],
  [{ name: ['a'] }, 'name'],
  [{ slug: 'same-for-all' }, 'slug'],
  [{ id: 'prj_01ARZ3NDEKTSV4RRFFQ69G5FAV' }, 'id'],
])('a row throws 400 before any row when a default is invalid: %j', (defaults, field) => {
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
