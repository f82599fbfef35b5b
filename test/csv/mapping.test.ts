import { describe, expect, it } from 'vitest';
import { mappedColumns, readMapping } from '#shared/csv/mapping.ts';
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

const refused = (mapping: unknown) => ({ code: 'INVALID_INPUT', details: { _errors: [], mapping } });
const messages: unknown = expect.arrayContaining([expect.any(String)]);
const wrong = { _errors: messages };

const defaults = {
  defaults: {},
  list_separator: '|',
  on_conflict: 'skip',
  match_by: 'slug',
  create_categories: false,
  dry_run: false,
};

describe('a mapping', () => {
  it('has a long form', () => {
    const { mapping, columnsAt } = readMapping(
      JSON.stringify({ columns: { ' Title ': 'name' }, on_conflict: 'update', dry_run: true, unknown: 1 }),
    );
    expect(mapping).toEqual({ ...defaults, columns: { Title: 'name' }, on_conflict: 'update', dry_run: true });
    expect(columnsAt).toEqual(['mapping', 'columns']);
  });

  it('has a short form, in which a column may be called like a member of the long one', () => {
    expect(readMapping('{"Title":"name","defaults":"tags"}').mapping).toEqual({
      ...defaults,
      columns: { Title: 'name', defaults: 'tags' },
    });
    expect(readMapping('{"columns":"tags","Title":"name"}').columnsAt).toEqual(['mapping']);
  });

  it.each([
    ['{', wrong],
    ['', wrong],
    ['[]', wrong],
    ['"name"', wrong],
    ['null', wrong],
    ['{}', { _errors: [], columns: wrong }],
    ['{"columns":{}}', { _errors: [], columns: wrong }],
    ['{"defaults":{}}', { _errors: [], columns: wrong }],
    ['{"columns":[]}', { _errors: [], columns: wrong }],
    ['{"Title":"nam"}', { _errors: [], Title: wrong }],
    ['{"columns":{"Title":"nam"}}', { _errors: [], columns: { _errors: [], Title: wrong } }],
    ['{"columns":{"a":"name"},"on_conflict":"never"}', { _errors: [], on_conflict: wrong }],
    ['{"columns":{"a":"name"},"match_by":"name"}', { _errors: [], match_by: wrong }],
    ['{"columns":{"a":"name"},"defaults":{"nam":"x"}}', { _errors: [], defaults: wrong }],
    ['{"columns":{"a":"name"},"list_separator":""}', { _errors: [], list_separator: wrong }],
  ])('is refused where it is wrong: %s', (text, details) => {
    expect(detailsOf(() => readMapping(text))).toMatchObject(refused(details));
  });
});

describe('mapped columns', () => {
  const header = ['Title', 'Site', 'Title', 'Note', 'Link'];

  it('are found in the header', () => {
    expect(mappedColumns(readMapping('{"Link":"url","Note":"description"}'), header)).toEqual([
      { column: 'Link', field: 'url', index: 4 },
      { column: 'Note', field: 'description', index: 3 },
    ]);
  });

  it('are refused when they are not there, there twice, or two of them go to one field', () => {
    const long = readMapping(JSON.stringify({ columns: { Name: 'name', Title: 'slug', Site: 'url', Link: 'url' } }));
    expect(detailsOf(() => mappedColumns(long, header))).toEqual(
      refused({ _errors: [], columns: { _errors: [], Name: wrong, Title: wrong, Link: wrong } }),
    );
    expect(detailsOf(() => mappedColumns(readMapping('{"Name":"name"}'), header))).toEqual(
      refused({ _errors: [], Name: wrong }),
    );
  });

  it('are refused when the header is called like what every object has', () => {
    expect(detailsOf(() => mappedColumns(readMapping('{"constructor":"name"}'), header))).toEqual(
      refused({ _errors: [], constructor: wrong }),
    );
  });
});
