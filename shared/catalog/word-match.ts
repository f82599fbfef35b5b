import type { MatchKind } from '#contract/projects.ts';
import { bitsIn } from './bitmap.ts';
import { wordsOf } from './folded-text.ts';

// How the words of a search match the words of a text. Both are folded.

/** The words of a search that count. */
export const WORDS_MAX = 10;

/** From so many characters on, a word may have so many typos. */
const ONE_TYPO_FROM = 4;
const TWO_TYPOS_FROM = 8;
/** The most typos in a word. */
export const TYPOS_MAX = 2;

const DIGIT = /\p{Nd}/u;

/** Scripts without spaces between words; their extensions contain the marks that they share. */
const WITHOUT_SPACES =
  /^[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]+$/u;

/** A word of a search. */
export interface QueryWord {
  readonly text: string;
  /** Code points. */
  readonly characters: readonly number[];
  /** `beginning`: also the beginning of a word. `anywhere`: anywhere within a word. */
  readonly place: 'whole' | 'beginning' | 'anywhere';
  /** 0 to 2. */
  readonly typosMax: number;
}

/** How a word of a text matches. */
export interface WordMatch {
  readonly typos: number;
  /** Whether the words are equal. */
  readonly isWhole: boolean;
}

/** The code points of a text. */
const charactersOf = (text: string): number[] => {
  const characters: number[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const character = text.codePointAt(at) ?? 0;
    characters.push(character);
    if (character > 0xffff) at += 1;
  }
  return characters;
};

const allowedTypos = (characters: number): number =>
  characters < ONE_TYPO_FROM ? 0 : characters < TWO_TYPOS_FROM ? 1 : TYPOS_MAX;

/** Whether a word may have typos, if it is long enough. */
export const mayHaveTypos = (text: string): boolean => !WITHOUT_SPACES.test(text) && !DIGIT.test(text);

/** A word of a search. @param isLast whether it also matches the beginning of a word. */
const queryWordOf = (text: string, isLast: boolean, toleratesTypos: boolean): QueryWord => {
  const characters = charactersOf(text);
  const isAnywhere = WITHOUT_SPACES.test(text);
  return {
    text,
    characters,
    place: isAnywhere ? 'anywhere' : isLast ? 'beginning' : 'whole',
    typosMax: toleratesTypos && mayHaveTypos(text) ? allowedTypos(characters.length) : 0,
  };
};

/** The distinct words of a folded search that count, in their order. With more of them, none matches a beginning. */
export const queryWordsOf = (folded: string, kind: MatchKind): readonly QueryWord[] => {
  const distinct = [...new Set(wordsOf(folded))];
  const counted = distinct.slice(0, WORDS_MAX);
  const endsWithBeginning = distinct.length === counted.length;
  return counted.map((text, at) => queryWordOf(text, endsWithBeginning && at === counted.length - 1, kind === 'fuzzy'));
};

/**
 * The typos between two words: characters too many, missing or replaced, and swapped neighbours (optimal string alignment).
 * @param toBeginning counts those to the nearest beginning of `other`.
 * @returns infinity above `max`, and when the first characters differ.
 */
const typosBetween = (word: readonly number[], other: readonly number[], max: number, toBeginning: boolean): number => {
  if (word[0] !== other[0] || other.length < word.length - max) return Number.POSITIVE_INFINITY;
  if (!toBeginning && other.length > word.length + max) return Number.POSITIVE_INFINITY;
  const width = Math.min(other.length, word.length + max);
  // Both words without their equal first characters; column 0 is the empty beginning of what is left.
  let before: number[] = [];
  let last = Array.from({ length: width }, (_, column) => column);
  for (let row = 1; row < word.length; row += 1) {
    const current = [row];
    for (let column = 1; column < width; column += 1) {
      const isEqual = word[row] === other[column];
      let typos = Math.min(
        (last[column - 1] ?? 0) + (isEqual ? 0 : 1),
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
      );
      const isSwapped = row > 1 && column > 1 && word[row] === other[column - 1] && word[row - 1] === other[column];
      if (isSwapped) typos = Math.min(typos, (before[column - 2] ?? 0) + 1);
      current.push(typos);
    }
    if (Math.min(...current) > max) return Number.POSITIVE_INFINITY;
    [before, last] = [last, current];
  }
  const typos = toBeginning ? Math.min(...last) : (last[width - 1] ?? 0);
  return typos <= max ? typos : Number.POSITIVE_INFINITY;
};

/** Whether the length of a text permits it to be near a word. A character has one unit or two. */
const mayBeNear = ({ characters, typosMax, place }: QueryWord, text: string): boolean =>
  text.length >= characters.length - typosMax &&
  (place === 'beginning' || text.length <= 2 * (characters.length + typosMax));

/** How a word of a search matches a word of a text; undefined when it does not. */
export const matchOf = (word: QueryWord, text: string): WordMatch | undefined => {
  if (word.text === text) return { typos: 0, isWhole: true };
  if (word.place === 'anywhere') return text.includes(word.text) ? { typos: 0, isWhole: false } : undefined;
  if (word.place === 'beginning' && text.startsWith(word.text)) return { typos: 0, isWhole: false };
  if (word.typosMax === 0 || !mayBeNear(word, text) || DIGIT.test(text)) return undefined;
  const typos = typosBetween(word.characters, charactersOf(text), word.typosMax, word.place === 'beginning');
  return typos <= word.typosMax ? { typos, isWhole: false } : undefined;
};

const SIGNATURE_BITS = 32;

/** A bit for each UTF-16 unit of a word, which other units share: it tells apart most words that cannot match. */
export const signatureOf = (text: string): number => {
  let signature = 0;
  for (let at = 0; at < text.length; at += 1) signature |= 1 << (text.charCodeAt(at) % SIGNATURE_BITS);
  return signature >>> 0;
};

/** Tells by their signatures which words cannot match. Each typo removes at most one character, of one unit or two. */
export class SignatureFilter {
  readonly #signature: number;
  readonly #missingMax: number;

  constructor(word: QueryWord) {
    this.#signature = signatureOf(word.text);
    this.#missingMax = word.typosMax * (word.text.length > word.characters.length ? 2 : 1);
  }

  mayMatch(signature: number): boolean {
    const missing = this.#signature & ~signature;
    return missing === 0 || (this.#missingMax > 0 && bitsIn(missing) <= this.#missingMax);
  }
}
