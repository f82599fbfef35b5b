import type { WordMasks } from './ranking.ts';
import { matchOf, type QueryWord, type WordMatch } from './word-match.ts';
import { WordTable } from './word-table.ts';

/** A word of the texts that words of a search match. */
export interface MatchedWord extends WordMasks {
  readonly text: string;
  /** By number of the word of the search. */
  readonly matches: readonly (WordMatch | undefined)[];
}

/** What the words of texts match. Each is compared once per search. */
export class WordMatches {
  readonly #words: readonly QueryWord[];
  /** By UTF-16 unit, 1 when words that match may begin with it; a flat array, because every word of the texts is looked up. */
  readonly firstUnits = new Uint8Array(0x1_0000);
  readonly #table = new WordTable();
  /** By number in the table. */
  readonly #matched: (MatchedWord | undefined)[] = [];

  constructor(words: readonly QueryWord[]) {
    this.#words = words;
    for (const { place, text } of words) {
      if (place === 'anywhere') this.firstUnits.fill(1);
      else this.firstUnits[text.charCodeAt(0)] = 1;
    }
  }

  /** What the word matches that has the units from `from` to before `to`, and this hash. */
  of(units: Uint16Array, from: number, to: number, hash: number): MatchedWord | undefined {
    if (this.firstUnits[units[from] ?? 0] === 0) return undefined;
    const id = this.#table.find(units, from, to, hash);
    if (id !== undefined) return this.#matched[id];
    const text = String.fromCharCode(...units.subarray(from, to));
    const matched = this.#compare(text);
    this.#matched[this.#table.add(text)] = matched;
    return matched;
  }

  #compare(text: string): MatchedWord | undefined {
    const matches = this.#words.map((word) => matchOf(word, text));
    let [any, whole] = [0, 0];
    for (const [number, match] of matches.entries()) {
      if (match) any |= 1 << number;
      if (match?.isWhole) whole |= 1 << number;
    }
    return any === 0 ? undefined : { text, matches, any, whole };
  }
}
