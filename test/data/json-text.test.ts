import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { fromJsonText, toJsonText } from '#data/json-text.ts';

const SEED = 20261127;

const names = fc.constantFrom('constructor', '__proto__', 'toString', '', 'a', 'b');
const values = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 4 }, fc.string(), fc.integer(), fc.constant(null), tie('list'), tie('members')),
  list: fc.array(tie('value'), { maxLength: 3 }),
  members: fc.dictionary(names, tie('value'), { maxKeys: 4, noNullPrototype: true }),
})).value;

it('a value stored as JSON text is read with all its members in their order', () => {
  fc.assert(
    fc.property(values, (value) => {
      expect(JSON.stringify(fromJsonText(toJsonText(value)))).toBe(JSON.stringify(value));
    }),
    { seed: SEED },
  );
});

it('a map that an earlier version has stored is read as it is', () => {
  expect(fromJsonText({ light: { brand: '1 2% 3%' } })).toEqual({ light: { brand: '1 2% 3%' } });
  expect(fromJsonText(null)).toBeNull();
  expect(fromJsonText(undefined)).toBeNull();
});
