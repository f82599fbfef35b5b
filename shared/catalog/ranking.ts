import { bitsIn } from './bitmap.ts';
import type { Matches } from './filters.ts';
import type { Row, Rows } from './rows.ts';
import type { FirstCriteria, RankingCriteria } from './types.ts';
import { WORDS_MAX } from './word-match.ts';

// The order of relevance. Criteria decide one after the other, so a score is a number whose digits are the criteria.

/** More than any number of words. */
const COUNTS = WORDS_MAX + 1;

/** The places besides the name, in the order of their weight. */
export const FURTHER_PLACES = 4;

/** More than any score of the criteria after the name. */
const FINE_SCORES = COUNTS ** (2 * FURTHER_PLACES) * WORDS_MAX;

/** More than any number of typos in the words of a search. */
const TYPO_SUMS = 2 * WORDS_MAX + 1;

export const firstScore = ({ matched, equalsName, typos, inName, wholeInName }: FirstCriteria): number =>
  (((matched * 2 + Number(equalsName)) * TYPO_SUMS + (TYPO_SUMS - 1 - typos)) * COUNTS + inName) * COUNTS + wholeInName;

/** What the words of a search match in a place or text: a bit for each word. */
export interface WordMasks {
  any: number;
  /** The words that are equal. */
  whole: number;
}

/** @param further the places after the name. @param pairs a bit for each pair of words side by side. */
export const furtherScore = (further: readonly WordMasks[], pairs: number): number => {
  let score = 0;
  for (const { any, whole } of further) score = (score * COUNTS + bitsIn(any)) * COUNTS + bitsIn(whole);
  return score * WORDS_MAX + bitsIn(pairs);
};

/** The criteria behind the scores of a match. */
export const criteriaOf = (first: number, further: number): RankingCriteria => {
  let rest = first;
  const next = (base: number): number => {
    const digit = rest % base;
    rest = Math.floor(rest / base);
    return digit;
  };
  const wholeInName = next(COUNTS);
  const inName = next(COUNTS);
  const typos = TYPO_SUMS - 1 - next(TYPO_SUMS);
  const equalsName = next(2) === 1;
  const matched = rest;
  rest = further;
  const pairs = next(WORDS_MAX);
  const places = Array.from({ length: FURTHER_PLACES }, () => {
    const whole = next(COUNTS);
    return { any: next(COUNTS), whole };
  });
  return { matched, equalsName, typos, inName, wholeInName, further: places.reverse(), pairs };
};

/** Scores the matches of a search by its text and theirs alone. */
export interface Ranking {
  /** See `firstScore`. */
  first(slot: number): number;
  /** See `furtherScore`; expensive, so it is asked for where the first score does not decide. */
  further(slot: number): number;
}

/** A position in the order: the values of a listing. */
interface RankedPosition {
  readonly score: number;
  readonly upvotes: number;
  readonly id: string;
}

interface RankedRow extends RankedPosition {
  readonly slot: number;
}

const byRank = (one: RankedPosition, other: RankedPosition): number =>
  other.score - one.score || other.upvotes - one.upvotes || (one.id > other.id ? -1 : one.id < other.id ? 1 : 0);

/** Lists up to this length are sorted completely. */
const SORTED_MAX = 64;

/** What stands from `from` to before `to` when all is sorted. Takes linear time for a short range. */
const sortedRange = <T>(all: readonly T[], from: number, to: number, compare: (one: T, other: T) => number): T[] => {
  if (from >= to || all.length === 0) return [];
  const pivot = all[all.length >>> 1] as T;
  if (all.length <= SORTED_MAX) return all.toSorted(compare).slice(from, to);
  const before: T[] = [];
  const equal: T[] = [];
  const after: T[] = [];
  for (const one of all) {
    const order = compare(one, pivot);
    (order < 0 ? before : order > 0 ? after : equal).push(one);
  }
  const start = before.length;
  const end = start + equal.length;
  return [
    ...sortedRange(before, from, Math.min(to, start), compare),
    ...equal.slice(Math.max(0, from - start), Math.max(0, to - start)),
    ...sortedRange(after, Math.max(0, from - end), to - end, compare),
  ];
};

/** The matches of a search, the most relevant first. */
export class RankedMatches {
  readonly total: number;
  readonly #rows: Rows;
  readonly #ranking: Ranking;
  /** By first score, the greatest first. */
  readonly #bands: readonly (readonly [first: number, slots: readonly number[]])[];

  constructor({ slots, total }: Matches, rows: Rows, ranking: Ranking) {
    this.total = total;
    this.#rows = rows;
    this.#ranking = ranking;
    const bands = new Map<number, number[]>();
    slots.forEach((slot) => {
      const first = ranking.first(slot);
      const band = bands.get(first);
      if (band) band.push(slot);
      else bands.set(first, [slot]);
    });
    this.#bands = [...bands].sort(([one], [other]) => other - one);
  }

  /** The matches at an offset. */
  at(offset: number, limit: number): readonly RankedRow[] {
    const taken: RankedRow[] = [];
    let before = 0;
    for (const [first, slots] of this.#bands) {
      const [from, to] = [Math.max(0, offset - before), Math.min(slots.length, offset + limit - before)];
      before += slots.length;
      if (from < to) taken.push(...sortedRange(this.#ranked(first, slots), from, to, byRank));
      if (before >= offset + limit) break;
    }
    return taken;
  }

  /** The number of matches before or at a position, whose listing need not be among them. */
  offsetAfter(position: RankedPosition): number {
    let before = 0;
    for (const [first, slots] of this.#bands) {
      if (first < Math.floor(position.score / FINE_SCORES)) break;
      if (first > Math.floor(position.score / FINE_SCORES)) before += slots.length;
      else before += this.#ranked(first, slots).filter((row) => byRank(row, position) <= 0).length;
    }
    return before;
  }

  #ranked(first: number, slots: readonly number[]): RankedRow[] {
    return slots.map((slot) => {
      const { id, upvotes }: Row = this.#rows.at(slot);
      return { slot, id, upvotes, score: first * FINE_SCORES + this.#ranking.further(slot) };
    });
  }
}

const BLANKS = /\s+/g;

const joined = (folded: string): string => folded.trim().replace(BLANKS, ' ');

/** Whether a folded name equals a folded search, with blanks joined. */
export const equalsFolded = (name: string, q: string): boolean => joined(name) === joined(q);
