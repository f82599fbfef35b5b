import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { csvLines } from '#shared/csv/cells.ts';
import { detectSeparator, parseRecords, RecordParser, separators } from '#shared/csv/parse.ts';
import { longTest } from '#test/support/long-test.ts';

const cells = (text: string) => parseRecords(text, ',', 1000).map((record) => record.cells);

it.each([
  ['LF', 'a,b\n1,2\n'],
  ['CRLF', 'a,b\r\n1,2\r\n'],
  ['CR', 'a,b\r1,2\r'],
  ['CRLF after LF', 'a,b\n1,2\r\n'],
  ['no line end', 'a,b\n1,2'],
  ['blank lines', '\n\na,b\n\r\n1,2\n\n\n'],
])('records are separated by any line break: %s', (_, text) => {
  expect(cells(text)).toEqual([
    ['a', 'b'],
    ['1', '2'],
  ]);
});

it('records keep quoted line breaks, separators and quotes', () => {
  expect(cells('a,b\n"x\ny","p, ""q"""\n')).toEqual([
    ['a', 'b'],
    ['x\ny', 'p, "q"'],
  ]);
});

it('records are numbered by record, the first is 1', () => {
  const records = parseRecords('a\n\n"x\ny"\nz\n', ',', 10);
  expect(records.map(({ number, cells: [cell] }) => [number, cell])).toEqual([
    [1, 'a'],
    [2, 'x\ny'],
    [3, 'z'],
  ]);
});

it('records are read up to a limit', () => {
  expect(parseRecords('a\nb\nc\n', ',', 2)).toHaveLength(2);
});

it('records may have blank cells, quoted or not', () => {
  expect(cells('a,b\n,\n"",""')).toEqual([
    ['a', 'b'],
    ['', ''],
    ['', ''],
  ]);
});

it('records keep a quote inside an unquoted cell', () => {
  expect(cells('name,size\npipe,5" wide\nrod,7\n')).toEqual([
    ['name', 'size'],
    ['pipe', '5" wide'],
    ['rod', '7'],
  ]);
});

it.each([
  ['never closed', 'a,b\n1,2\n3,"x\n4,5\n6,7\n'],
  ['closed by that of another record', 'a,b\n1,2\n3,"x\n4,5\n6,"7"\n'],
  ['followed by text', 'a,b\n1,2\n3,"x"y,z\n4,5\n6,7'],
])('records with a quote that is %s are broken without affecting other records', (_, text) => {
  const records = parseRecords(text, ',', 100);
  expect(records.map(({ broken }) => broken !== undefined)).toEqual([false, false, true, false, false]);
  expect(records.slice(3).map((record) => record.cells)).toEqual([
    ['4', '5'],
    ['6', '7'],
  ]);
});

longTest('records with misplaced quotes are all read, however many they are', () => {
  const inches = parseRecords(`name,size\n${'pipe,5" wide\n'.repeat(12_000)}`, ',', 20_000);
  expect(inches).toHaveLength(12_001);
  expect(inches.at(-1)).toEqual({ number: 12_001, cells: ['pipe', '5" wide'] });
  const open = parseRecords(`a,b\n${'x,"b ""\n'.repeat(12_000)}`, ',', 20_000);
  expect(open).toHaveLength(12_001);
  expect(open.slice(1).every(({ broken }) => broken !== undefined)).toBe(true);
});

it('a reader of records with misplaced quotes gives way after some of them', () => {
  const parser = new RecordParser(',');
  const [first] = parser.read(`a,b\n${'x,5" y\n'.repeat(1000)}`, true);
  expect(first?.length).toBeLessThan(200);
});

it('a record that is too long stops the reading with a reason', () => {
  const parser = new RecordParser(',');
  expect([...parser.read(`a\nb\n${'x'.repeat(1_100_000)}`, false)].flat()).toHaveLength(2);
  expect([...parser.read('x', false)].flat()).toEqual([]);
  expect(parser.stopped).toBe('Row 3 has more than 1000000 bytes; nothing after it can be read.');
});

it.each(separators)('%j is found in the header', (separator) => {
  expect(detectSeparator(['name', 'url', 'note'].join(separator), ['name', 'url'])).toBe(separator);
});

it('the separator is the one that yields the mapped columns', () => {
  expect(detectSeparator('Price, EUR, net;Name;URL\n1,2,3;x;y', ['Name', 'URL'])).toBe(';');
  expect(detectSeparator('"a;b;c;d",url\n', ['url'])).toBe(',');
});

it('the separator is the one that yields most cells when no column matches, and a comma for a single column', () => {
  expect(detectSeparator('a\tb\tc', ['x'])).toBe('\t');
  expect(detectSeparator('name', ['name'])).toBe(',');
});

it('written records end with CRLF and are quoted where needed', () => {
  expect(csvLines([['a', 'b,c', 'd"e', 'f\ng', '', ' h']])).toBe('a,"b,c","d""e","f\ng",," h"\r\n');
});

it('written records are parsed back to the same cells', () => {
  const cell = fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', '\r', ' ', ';', 'ü', "'", '\t') });
  // At least two columns: a record of one blank cell is an empty line, which is skipped.
  const table = fc.array(fc.array(cell, { minLength: 3, maxLength: 3 }), { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(table, (records) => {
      expect(cells(csvLines(records))).toEqual(records);
    }),
    { seed: 1 },
  );
});
