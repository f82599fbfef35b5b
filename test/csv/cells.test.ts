import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { guarded, unguarded } from '#shared/csv/guard.ts';
import { joinList, splitList } from '#shared/csv/list-cell.ts';

describe('the guard of cells', () => {
  it.each(['=1+1', '+49 30 1', '-1', '@SUM(A1)', '\tx', '\rx', '＝1', "'quoted", "''"])('guards %j', (cell) => {
    expect(guarded(cell)).toBe(`'${cell}`);
    expect(unguarded(guarded(cell))).toBe(cell);
  });

  it.each(['', 'plain', 'a=b', "it's", '1-2'])('leaves %j alone', (cell) => {
    expect(guarded(cell)).toBe(cell);
    expect(unguarded(cell)).toBe(cell);
  });

  it.each(["'s Hertogenbosch", "'T Kroontje", "'"])('takes no apostrophe from %j, which guards nothing', (cell) => {
    expect(unguarded(cell)).toBe(cell);
    expect(unguarded(guarded(cell))).toBe(cell);
  });

  it('gives back every cell as it was', () => {
    const start = fc.constantFrom('', "'", '=', '+', '-', '@', '\t', '\r', "'=", "''");
    fc.assert(
      fc.property(start, fc.string({ unit: 'grapheme' }), (first, rest) => {
        expect(unguarded(guarded(first + rest))).toBe(first + rest);
      }),
    );
  });

  it('lets no cell begin like a formula', () => {
    fc.assert(
      fc.property(fc.string(), (cell) => {
        expect(guarded(cell)).not.toMatch(/^[=+\-@\t\r]/);
      }),
    );
  });
});

describe('lists in a cell', () => {
  it('writes separators and backslashes inside entries with a backslash', () => {
    expect(joinList(['a|b', 'c\\d', 'e'])).toBe('a\\|b|c\\\\d|e');
    expect(splitList('a\\|b|c\\\\d|e', '|')).toEqual(['a|b', 'c\\d', 'e']);
  });

  it('trims entries and drops blank ones', () => {
    expect(splitList(' a | | b|', '|')).toEqual(['a', 'b']);
    expect(splitList(' | ', '|')).toEqual([]);
  });

  it.each([
    [',', 'a, b,c', ['a', 'b', 'c']],
    [' / ', 'a/b / c', ['a/b', 'c']],
    ['::', 'a::b\\::c', ['a', 'b::c']],
    ['|', 'C:\\temp|x', ['C:\\temp', 'x']],
    ['|', 'ends with\\', ['ends with\\']],
  ])('splits by %j', (separator, cell, entries) => {
    expect(splitList(cell, separator)).toEqual(entries);
  });

  it('gives back every list of trimmed entries as it was', () => {
    const entry = fc
      .string({ unit: fc.constantFrom('|', '\\', 'a', ' ', 'ü', ',', "'") })
      .map((text) => text.trim())
      .filter((text) => text !== '');
    fc.assert(
      fc.property(fc.array(entry), (entries) => {
        expect(splitList(joinList(entries), '|')).toEqual(entries);
        expect(splitList(unguarded(guarded(joinList(entries))), '|')).toEqual(entries);
      }),
    );
  });
});
