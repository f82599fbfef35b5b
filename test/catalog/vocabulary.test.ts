import { expect, it } from 'vitest';
import { forEachWord, hashOf, wordsOf } from '#catalog/folded-text.ts';
import { TextUnits } from '#catalog/text-index.ts';
import { Vocabulary } from '#catalog/vocabulary.ts';
import { Random } from './random.ts';

const syllables = ['ka', 'lo', 'mi', 'ra', 'x', 'zz', 'é', '東', '😀'];
const wordAt = (n: number): string => {
  let word = '';
  for (let rest = n + 1; rest > 0; rest = Math.floor(rest / syllables.length))
    word += syllables[rest % syllables.length];
  return word;
};

it.each([1, 2, 3])(
  'the vocabulary finds words by equality and by substring until they are deleted (seed %i)',
  (seed) => {
    const random = new Random(seed);
    const units = new TextUnits();
    const vocabulary = new Vocabulary();
    const known = new Map<string, number>();
    const find = (word: string) => vocabulary.find(units.of(`-${word}-`), 1, 1 + word.length, hashOf(word));
    for (let round = 0; round < 20_000; round += 1) {
      const word = wordAt(random.below(3000));
      expect(find(word), word).toBe(known.get(word));
      const id = known.get(word);
      if (id === undefined) {
        known.set(word, vocabulary.add(word));
      } else if (random.chance(0.7)) {
        vocabulary.delete(id);
        known.delete(word);
      }
      if (round % 50 > 0) continue;
      const part = wordAt(random.below(300));
      if (part.length < 3) continue;
      const found: number[] = [];
      vocabulary.containing(part, (other) => found.push(other));
      const expected = [...known].filter(([other]) => other.includes(part)).map(([, number]) => number);
      expect(found.sort((a, b) => a - b)).toEqual(expected.sort((a, b) => a - b));
    }
    expect(new Set(known.values()).size).toBe(known.size);
  },
);

it.each([
  ['', []],
  ['one', ['one']],
  [' one,two\0three ', ['one', 'two', 'three']],
  ['c++ 3d-map_x', ['c', '3d', 'map', 'x']],
  ['żółć東京 😀!', ['żółć東京']],
  ['a–b‘c’ 😀d😀 𠀀𠀁—é', ['a', 'b', 'c', 'd', '𠀀𠀁', 'é']],
  ['two two', ['two', 'two']],
])('the text %j is split into words', (text, words) => {
  expect(wordsOf(text)).toEqual(words);
  const units = new TextUnits();
  // Must not read into the units of the previous text.
  units.of('x'.repeat(50));
  const visited: string[] = [];
  forEachWord(units.of(text), text.length, (from, to, hash) => {
    visited.push(text.slice(from, to));
    expect(hash).toBe(hashOf(text.slice(from, to)));
  });
  expect(visited).toEqual(words);
});

it('texts that are longer than all previous ones are copied completely', () => {
  const units = new TextUnits();
  for (const text of ['ab', 'é'.repeat(9000), '東'.repeat(30_000), 'a'.repeat(4096)]) {
    expect(Array.from(units.of(text).subarray(0, text.length + 1)), String(text.length)).toEqual([
      ...Array.from({ length: text.length }, (_, at) => text.charCodeAt(at)),
      0,
    ]);
  }
});
