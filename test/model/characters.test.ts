import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { abbreviated, firstCharacters } from '#model/characters.ts';

const SEED = 20261127;

const texts = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.string({ unit: fc.constantFrom('x', '😀', '\ud83d', '\ude00', 'é', '\u200d'), maxLength: 40 }),
);

it('the first characters of a text are its beginning, well-formed, and as many as fit', () => {
  fc.assert(
    fc.property(texts, fc.nat({ max: 45 }), (text, max) => {
      const characters = [...text.toWellFormed()];
      expect(firstCharacters(text, max)).toBe(characters.slice(0, max).join(''));
    }),
    { seed: SEED, numRuns: 2000 },
  );
});

it('an abbreviated text is as long as it may be, and ends in an ellipsis only when something is missing', () => {
  fc.assert(
    fc.property(texts, fc.integer({ min: 1, max: 45 }), (text, max) => {
      const characters = [...text.toWellFormed()];
      const cut = `${characters.slice(0, max - 1).join('')}…`;
      expect(abbreviated(text, max)).toBe(characters.length <= max ? characters.join('') : cut);
    }),
    { seed: SEED, numRuns: 2000 },
  );
});
