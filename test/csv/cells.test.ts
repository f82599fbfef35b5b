import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { guarded, joinList, splitList, unguarded } from '#shared/csv/cells.ts';

it.each(['=1+1', '+49 30 1', '-1', '@SUM(A1)', '\tx', '\rx', '＝1', "'quoted", "''"])(
  'the formula guard guards %j',
  (cell) => {
    expect(guarded(cell)).toBe(`'${cell}`);
    expect(unguarded(guarded(cell))).toBe(cell);
  },
);

it.each([
  ['a;=1+1', "a;'=1+1"],
  ['a; -1;;@x', "a; '-1;;'@x"],
  ['a\t=1+1', "a\t'=1+1"],
  ['=1;\t=2', "'=1;'\t'=2"],
  ['a;"=1"', 'a;"\'=1"'],
  ["a;'b", "a;''b"],
])('the formula guard guards %j also after a semicolon or a tab', (cell, expected) => {
  expect(guarded(cell)).toBe(expected);
  expect(unguarded(expected)).toBe(cell);
});

it.each(['', 'plain', 'a=b', 'a; b', 'a;1-2', ';', 'a\tb', "it's", '1-2'])(
  'the formula guard does not change %j',
  (cell) => {
    expect(guarded(cell)).toBe(cell);
    expect(unguarded(cell)).toBe(cell);
  },
);

it.each(["'s Hertogenbosch", "'T Kroontje", "'"])(
  'the formula guard keeps the apostrophe of %j, which is not a guard',
  (cell) => {
    expect(unguarded(cell)).toBe(cell);
    expect(unguarded(guarded(cell))).toBe(cell);
  },
);

it('the formula guard restores every guarded cell', () => {
  const special = fc.constantFrom("'", '=', '+', '-', '@', '＝', '\t', '\r', '\n', ';', ' ', '"', 'a', '|');
  const cell = fc.oneof(fc.string({ unit: special }), fc.string({ unit: 'grapheme' }));
  fc.assert(
    fc.property(cell, cell, (first, rest) => {
      expect(unguarded(guarded(first + rest))).toBe(first + rest);
    }),
    { seed: 1, numRuns: 2000 },
  );
});

it('the formula guard never produces a cell that starts a formula', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('=', '-', ';', '\t', ' ', "'", 'a') }), (cell) => {
      expect(guarded(cell)).not.toMatch(/(?:^|[;\t] *)[=+\-@\t\r]/);
    }),
    { seed: 1 },
  );
});

it.each(['; ', ';\t', '; "', '\t'])('the formula guard takes linear time for many repetitions of %j', (part) => {
  const cell = part.repeat(100_000) + ' '.repeat(100_000);
  expect(unguarded(guarded(cell))).toBe(cell);
});

it('lists in a cell escape separators and backslashes in entries', () => {
  expect(joinList(['a|b', 'c\\d', 'e'])).toBe('a\\|b|c\\\\d|e');
  expect(splitList('a\\|b|c\\\\d|e', '|')).toEqual(['a|b', 'c\\d', 'e']);
});

it('lists in a cell have trimmed entries and no blank ones', () => {
  expect(splitList(' a | | b|', '|')).toEqual(['a', 'b']);
  expect(splitList(' | ', '|')).toEqual([]);
});

it.each([
  [',', 'a, b,c', ['a', 'b', 'c']],
  [' / ', 'a/b / c', ['a/b', 'c']],
  ['::', 'a::b\\::c', ['a', 'b::c']],
  ['|', 'C:\\temp|x', ['C:\\temp', 'x']],
  ['|', 'ends with\\', ['ends with\\']],
])('lists in a cell are split by the separator %j', (separator, cell, entries) => {
  expect(splitList(cell, separator)).toEqual(entries);
});

it('lists in a cell are restored after joining', () => {
  const entry = fc
    .string({ unit: fc.constantFrom('|', '\\', 'a', ' ', 'ü', ',', "'") })
    .map((text) => text.trim())
    .filter((text) => text !== '');
  fc.assert(
    fc.property(fc.array(entry), (entries) => {
      expect(splitList(joinList(entries), '|')).toEqual(entries);
      expect(splitList(unguarded(guarded(joinList(entries))), '|')).toEqual(entries);
    }),
    { seed: 1 },
  );
});
