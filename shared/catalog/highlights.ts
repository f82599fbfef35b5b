import { fold, wordsOf } from './folded-text.ts';
import type { Highlight } from './types.ts';
import { matchOf, type QueryWord } from './word-match.ts';

// Finds the parts of texts that a search matches.

/** The ranges per text. */
const RANGES_MAX = 20;

/** What a character begins with that folds together with the characters before it. */
const CONTINUES = /^[\p{M}\p{Default_Ignorable_Code_Point}\u1160-\u11ff]/v;

/** A folded text, and by UTF-16 unit of it the part of the text that it was folded from. */
interface FoldedParts {
  readonly folded: string;
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

/** Folds a text like `fold`, in the smallest parts that fold on their own. */
export const foldInParts = (text: string): FoldedParts => {
  const parts: string[] = [];
  for (const character of text) {
    const last = parts.length - 1;
    if (last >= 0 && CONTINUES.test(character.normalize('NFKD'))) parts[last] = (parts[last] ?? '') + character;
    else parts.push(character);
  }
  const starts: number[] = [];
  const ends: number[] = [];
  let folded = '';
  let at = 0;
  for (const part of parts) {
    const added = fold(part);
    folded += added;
    for (let unit = 0; unit < added.length; unit += 1) {
      starts.push(at);
      ends.push(at + part.length);
    }
    at += part.length;
  }
  return { folded, starts, ends };
};

/** A part of a folded text, end excluded. */
type Range = [start: number, end: number];

/** The words of a folded text with their position. */
export const wordsAt = (folded: string): (readonly [word: string, at: number])[] => {
  let at = 0;
  return wordsOf(folded).map((word) => {
    const found = folded.indexOf(word, at);
    at = found + word.length;
    return [word, found] as const;
  });
};

/** Where a word of a search matches a word of a text: all of it for typos, else its equal part, which may repeat. */
const rangesIn = (text: string, word: QueryWord): Range[] => {
  const match = matchOf(word, text);
  if (!match) return [];
  if (match.typos > 0) return [[0, text.length]];
  return occurrences(text, word.text).slice(0, word.place === 'anywhere' ? RANGES_MAX : 1);
};

const occurrences = (text: string, part: string): Range[] => {
  const found: Range[] = [];
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) {
    found.push([at, at + part.length]);
  }
  return found;
};

/** Ascending, without overlaps. */
const merged = (ranges: readonly Range[]): Range[] => {
  const result: Range[] = [];
  for (const [start, end] of ranges.toSorted(([one, a], [other, b]) => one - other || a - b)) {
    const last = result.at(-1);
    if (last && start < last[1]) last[1] = Math.max(last[1], end);
    else result.push([start, end]);
  }
  return result;
};

/** What a search looks for: words, or a folded substring. */
export type Sought = readonly QueryWord[] | string;

/** The parts of a text that match, at most 20, as UTF-16 offsets. */
export const rangesOf = (text: string, sought: Sought): Range[] => {
  const { folded, starts, ends } = foldInParts(text);
  const ranges =
    typeof sought === 'string'
      ? occurrences(folded, sought)
      : wordsAt(folded).flatMap(([word, at]) =>
          sought.flatMap((one) => rangesIn(word, one).map(([from, to]): Range => [at + from, at + to])),
        );
  return merged(ranges.map(([from, to]): Range => [starts[from] ?? 0, ends[to - 1] ?? 0])).slice(0, RANGES_MAX);
};

/** The matches in the texts of a listing; texts without any are left out. */
export const highlightsOf = (
  {
    name,
    description,
    tags,
  }: { readonly name: string; readonly description: string; readonly tags: readonly string[] },
  sought: Sought,
): Highlight[] => {
  const all: Highlight[] = [
    { field: 'name', index: null, ranges: rangesOf(name, sought) },
    { field: 'description', index: null, ranges: rangesOf(description, sought) },
    ...tags.map((tag, index) => ({ field: 'tags' as const, index, ranges: rangesOf(tag, sought) })),
  ];
  return all.filter(({ ranges }) => ranges.length > 0);
};
