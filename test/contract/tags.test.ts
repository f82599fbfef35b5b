import { expect, it } from 'vitest';
import { distinctTags, tagKey } from '#contract/tags.ts';

it.each([
  ['AI', 'ai'],
  ['Straße', 'STRASSE'],
  ['STRASSE', 'STRAẞE'],
  ['ΟΔΟΣ', 'οδος'],
  ['ΟΔΟΣ', 'οδοσ'],
  ['İstanbul', 'i\u0307stanbul'],
  ['ＡＩ', 'ai'],
  ['ﬁn', 'FIN'],
  ['e\u0301', 'É'],
  ['ᾳ', 'ΑΙ'],
])('%s and %s are one tag', (one, other) => {
  expect(tagKey(one)).toBe(tagKey(other));
  expect(distinctTags([other, one])).toEqual([other]);
});

it.each([
  ['ısı', 'isi'],
  ['Café', 'Cafe'],
  ['c++', 'c'],
])('%s and %s are two tags', (one, other) => {
  expect(distinctTags([one, other])).toEqual([one, other]);
});

it('the key of a key is itself, and that of every character in upper and in lower case', () => {
  // Of Turkish letters one case has no way back.
  for (let code = 0; code <= 0x10ffff; code += 1) {
    const character = String.fromCodePoint(code);
    if (!character.isWellFormed() || character === 'ı' || character === 'İ') continue;
    const key = tagKey(character);
    const others = [key, character.toUpperCase(), character.toLowerCase(), character.normalize('NFD')];
    if (others.some((other) => tagKey(other) !== key)) expect.fail(`U+${code.toString(16)}`);
  }
});
