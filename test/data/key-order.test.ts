import { expect, it } from 'vitest';
import { inKeyOrder } from '#data/read.ts';

const written = (value: unknown): string => JSON.stringify(inKeyOrder(value));

it('equal values are serialized equally, whatever the order of their keys', () => {
  const one = { b: [{ y: 1, x: { d: null, c: 'z' } }, 'b', 'a'], a: true };
  const other = { a: true, b: [{ x: { c: 'z', d: null }, y: 1 }, 'b', 'a'] };
  expect(written(one)).toBe(written(other));
  expect(written(one)).toBe('{"a":true,"b":[{"x":{"c":"z","d":null},"y":1},"b","a"]}');
});

it('sorting the keys does not change the value', () => {
  for (const value of [null, 0, '', false, [], {}, [[2, 1]], { a: undefined }])
    expect(inKeyOrder(value)).toEqual(value);
});
