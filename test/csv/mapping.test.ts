import { expect, it } from 'vitest';
import { columnName, mappedColumns, parseMapping } from '#shared/csv/mapping.ts';
import { AppError } from '#shared/errors.ts';

const detailsOf = (work: () => unknown): unknown => {
  try {
    work();
  } catch (error) {
    if (error instanceof AppError) return { code: error.code, details: error.extra.details };
    throw error;
  }
  return undefined;
};

const invalid = (mapping: unknown) => ({ code: 'INVALID_INPUT', details: { _errors: [], mapping } });
const messages: unknown = expect.arrayContaining([expect.any(String)]);
const withMessages = { _errors: messages };

const defaults = {
  defaults: {},
  blank: 'keep',
  text: 'plain',
  list_separator: '|',
  on_conflict: 'skip',
  match_by: 'slug',
  create_categories: false,
  dry_run: false,
};

it('a mapping has a long form', () => {
  const { mapping, columnsPath } = parseMapping(
    JSON.stringify({ columns: { ' Title ': 'name' }, on_conflict: 'update', dry_run: true, unknown: 1 }),
  );
  expect(mapping).toEqual({ ...defaults, columns: { Title: 'name' }, on_conflict: 'update', dry_run: true });
  expect(columnsPath).toEqual(['mapping', 'columns']);
});

it('a mapping has a short form, in which columns may have the names of options of the long form', () => {
  expect(parseMapping('{"Title":"name","defaults":"tags"}').mapping).toEqual({
    ...defaults,
    columns: { Title: 'name', defaults: 'tags' },
  });
  expect(parseMapping('{"columns":"tags","Title":"name"}').columnsPath).toEqual(['mapping']);
});

it.each([
  ['{', withMessages],
  ['', withMessages],
  ['[]', withMessages],
  ['"name"', withMessages],
  ['null', withMessages],
  ['{}', { _errors: [], columns: withMessages }],
  ['{"columns":{}}', { _errors: [], columns: withMessages }],
  ['{"defaults":{}}', { _errors: [], columns: withMessages }],
  ['{"columns":[]}', { _errors: [], columns: withMessages }],
  ['{"Title":"nam"}', { _errors: [], Title: withMessages }],
  ['{"columns":{"Title":"nam"}}', { _errors: [], columns: { _errors: [], Title: withMessages } }],
  ['{"columns":{"a":"name"},"on_conflict":"never"}', { _errors: [], on_conflict: withMessages }],
  ['{"columns":{"a":"name"},"match_by":"name"}', { _errors: [], match_by: withMessages }],
  ['{"columns":{"a":"name"},"defaults":{"nam":"x"}}', { _errors: [], defaults: { _errors: [], nam: withMessages } }],
  ['{"columns":{"a":"name"},"defaults":{"coordinates":"1, 2"}}', { defaults: { coordinates: withMessages } }],
  ['{"columns":{"a":"name"},"blank":"drop"}', { _errors: [], blank: withMessages }],
  ['{"columns":{"a":"name"},"list_separator":""}', { _errors: [], list_separator: withMessages }],
])('a mapping returns 400 with the path of the error for %s', (text, details) => {
  expect(detailsOf(() => parseMapping(text))).toMatchObject(invalid(details));
});

const header = ['Title', 'Site', 'Title', 'Note', 'Link'];

it('a mapping compares columns in NFC and without invisible characters, of which each may be named once', () => {
  const composed = parseMapping(JSON.stringify({ columns: { 'Cafe\u034f\u0301\u200b ': 'name' } }));
  expect(Object.keys(composed.mapping.columns)).toEqual(['Café']);
  expect(columnName('Cafe\u034f\u0301')).toBe(columnName(columnName('Cafe\u034f\u0301')));
  expect(detailsOf(() => parseMapping('{"Name":"name","Name\u200b":"url"}'))).toEqual(
    invalid({ _errors: [], 'Name\u200b': withMessages }),
  );
});

it('mapped columns are found in the header', () => {
  expect(mappedColumns(parseMapping('{"Link":"url","Note":"description"}'), header)).toEqual([
    { column: 'Link', field: 'url', index: 4, isPlace: false },
    { column: 'Note', field: 'description', index: 3, isPlace: false },
  ]);
});

it('a mapped column with coordinates is one for latitude and for longitude', () => {
  expect(mappedColumns(parseMapping('{"Note":"coordinates"}'), header)).toEqual([
    { column: 'Note', field: 'latitude', index: 3, isPlace: true },
    { column: 'Note', field: 'longitude', index: 3, isPlace: true },
  ]);
  const both = parseMapping('{"Note":"coordinates","Link":"longitude"}');
  expect(detailsOf(() => mappedColumns(both, header))).toEqual(invalid({ _errors: [], Link: withMessages }));
});

it('mapped columns return 400 when they are missing, repeated or mapped to the same field', () => {
  const long = parseMapping(JSON.stringify({ columns: { Name: 'name', Title: 'slug', Site: 'url', Link: 'url' } }));
  expect(detailsOf(() => mappedColumns(long, header))).toEqual(
    invalid({ _errors: [], columns: { _errors: [], Name: withMessages, Title: withMessages, Link: withMessages } }),
  );
  expect(detailsOf(() => mappedColumns(parseMapping('{"Name":"name"}'), header))).toEqual(
    invalid({ _errors: [], Name: withMessages }),
  );
});

it('mapped columns return 400 for a missing column with the name of an Object property', () => {
  expect(detailsOf(() => mappedColumns(parseMapping('{"constructor":"name"}'), header))).toEqual(
    invalid({ _errors: [], constructor: withMessages }),
  );
});
