import { describe, expect, it } from 'vitest';
import { itemBytes, queryUnits, writeUnits } from '../../bench/catalog/item-size.ts';

describe('the size of an item', () => {
  it('is the length of names and values in UTF-8', () => {
    expect(itemBytes({ pk: 'a', name: 'Zürich' })).toBe(2 + 1 + 4 + 7);
  });

  it('counts one byte per two digits of a number, and one for null and booleans', () => {
    expect(itemBytes({ n: 12345, m: -1.5, e: null, b: true })).toBe(1 + 4 + (1 + 2) + (1 + 1) + (1 + 1));
  });

  it('counts three bytes for a list or map, plus one per member', () => {
    expect(itemBytes({ l: ['ab', 'c'] })).toBe(1 + 3 + (2 + 1) + (1 + 1));
    expect(itemBytes({ m: { k: 'v' } })).toBe(1 + 3 + 2 + 1);
  });

  it('ignores undefined attributes', () => {
    expect(itemBytes({ a: undefined })).toBe(0);
  });
});

describe('capacity units', () => {
  it('are 0.5 per 4 KB of a query, rounded up, and at least 0.5', () => {
    expect([0, 1, 4096, 4097, 1024 * 1024].map(queryUnits)).toEqual([0.5, 0.5, 0.5, 1, 128]);
  });

  it('are 1 per KB of a write, rounded up', () => {
    expect([1, 1024, 1025].map(writeUnits)).toEqual([1, 1, 2]);
  });
});
