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
  expect(cells('a,b\n,x\n"x",""')).toEqual([
    ['a', 'b'],
    ['', 'x'],
    ['x', ''],
  ]);
});

it('records without text are left out, but count', () => {
  expect(parseRecords('a,b\n,\n"" , " "\n , \n1\n\t\n,,,,\n2,3', ',', 3)).toEqual([
    { number: 1, cells: ['a', 'b'] },
    { number: 5, cells: ['1'] },
    { number: 7, cells: ['2', '3'] },
  ]);
});

it('records have the cells of the header, and more only with text', () => {
  expect(cells('a,b, ,\n1\n1,2\n1,2,\n1,2," ",,\n1,2,,4,\n')).toEqual([
    ['a', 'b'],
    ['1'],
    ['1', '2'],
    ['1', '2'],
    ['1', '2'],
    ['1', '2', '', '4'],
  ]);
});

it('records keep inner columns without a name', () => {
  expect(cells(',a,,b\n0,1,2,3\n')).toEqual([
    ['', 'a', '', 'b'],
    ['0', '1', '2', '3'],
  ]);
});

it('records ignore blanks beside quotes', () => {
  expect(cells('a,b\n "x" , \t"y, z"\t\n" x ""y"" " ,z\n')).toEqual([
    ['a', 'b'],
    ['x', 'y, z'],
    [' x "y" ', 'z'],
  ]);
  expect(parseRecords('a\tb\n"x" \t "y" \n', '\t', 9)[1]?.cells).toEqual(['x', 'y']);
});

it('records are the same whichever blanks stand beside their quotes', () => {
  const blanks = fc.string({ unit: fc.constantFrom(' ', '\t'), maxLength: 3 });
  const cell = fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', ' ', 'ü') });
  const table = fc.array(fc.array(fc.tuple(blanks, cell, blanks), { minLength: 2, maxLength: 2 }), { maxLength: 6 });
  fc.assert(
    fc.property(table, (records) => {
      const line = (of: (typeof records)[number]) =>
        of.map(([before, text, after]) => `${before}"${text.replaceAll('"', '""')}"${after}`).join(',');
      const texts = records
        .map((of) => of.map(([, text]) => text))
        .filter((of) => of.some((text) => text.trim() !== ''));
      expect(cells(['k,l', ...records.map(line)].join('\n'))).toEqual([['k', 'l'], ...texts]);
    }),
    { seed: 1 },
  );
});

it.each(['"x" y,z', 'x,"y" "z"', '"x""y,z', '"x"y,z', ' "x" y ,z'])(
  'records with a quote beside text are broken: %s',
  (line) => {
    expect(parseRecords(`a,b\n${line}\n3,4`, ',', 9).slice(1)).toEqual([
      { number: 2, cells: [], broken: 'has a misplaced quote' },
      { number: 3, cells: ['3', '4'] },
    ]);
  },
);

it('records with a misplaced quote are found behind lines without text', () => {
  const text = `a,b\n${' \n\t\n,\n'.repeat(3)}5" pipe,x\n \n"x" y,z\n \n`;
  expect(parseRecords(text, ',', 9).slice(1)).toEqual([
    { number: 5, cells: ['5" pipe', 'x'] },
    { number: 6, cells: [], broken: 'has a misplaced quote' },
  ]);
});

it('records with a quote inside a cell are broken when they seem to go on in the next line', () => {
  const text = 'a,b,c\n5" pipe,x,"first\nsecond"\n5" pipe,x\n1,2,3';
  expect(parseRecords(text, ',', 9).slice(1)).toEqual([
    { number: 2, cells: [], broken: 'has a misplaced quote' },
    { number: 3, cells: [], broken: 'has a misplaced quote' },
    { number: 4, cells: [], broken: 'has a misplaced quote' },
    { number: 5, cells: ['1', '2', '3'] },
  ]);
});

it('the records of a text do not depend on the blocks that it is given in', () => {
  const line = fc.constantFrom(
    '1,2',
    '1',
    '1,2,,',
    '1,2,3',
    ',',
    ' ',
    '',
    '"x" ,y',
    '"x" y,z',
    '5" pipe',
    '"p\nq",z',
    '"x"", ',
  );
  const text = fc.array(line, { maxLength: 12 }).map((lines) => ['a,b', ...lines].join('\n'));
  fc.assert(
    fc.property(text, fc.integer({ min: 1, max: 9 }), (whole, size) => {
      const parser = new RecordParser(',');
      const read = [];
      for (let at = 0; at < whole.length; at += size) {
        read.push(...[...parser.read(whole.slice(at, at + size), at + size >= whole.length)].flat());
      }
      expect(read).toEqual(parseRecords(whole, ',', 99));
    }),
    { seed: 1 },
  );
});

it.each([
  ['sep=;\na;b', ';'],
  ['SEP=|\r\na|b', '|'],
  ['"sep=^"\ra^b', '^'],
  ['sep=\t\na\tb', '\t'],
  ['sep=,  \na,b', ','],
  ['sep=€\na€b', '€'],
])('a first line names the separator: %j', (text, separator) => {
  expect(detectSeparator(text, ['x'])).toBe(separator);
  expect(parseRecords(text, separator, 9)).toEqual([{ number: 1, cells: ['a', 'b'] }]);
});

it.each(['sep=', 'sep=ab', 'sep=a', 'sep="', 'sep=;x', 'xsep=;'])('a first line %j is a header', (line) => {
  expect(parseRecords(`${line}\n1`, ',', 9)[0]).toMatchObject({ cells: [line] });
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
  const record = fc.array(cell, { minLength: 3, maxLength: 3 }).filter((one) => one.some((text) => text.trim() !== ''));
  fc.assert(
    fc.property(fc.array(record, { maxLength: 8 }), (records) => {
      const table = [['k', 'l', 'm'], ...records];
      expect(cells(csvLines(table))).toEqual(table);
    }),
    { seed: 1 },
  );
});
