import type { Bitmap } from './bitmap.ts';
import type { CategoryList } from './category-list.ts';
import { foldInParts, wordsAt } from './highlights.ts';
import type { Listings } from './listings.ts';
import type { FoundWord } from './text-index.ts';
import { matchOf, mayHaveTypos, type QueryWord, queryWordsOf, TYPOS_MAX } from './word-match.ts';

interface Candidate {
  readonly typos: number;
  /** Of each text with the word. */
  readonly adding: readonly FoundWord['addListings'][];
}

/** Corrects the words of searches that no live listing has. Valid until the end of the query. */
export class Corrections {
  readonly #listings: Listings;
  readonly #categories: CategoryList;
  readonly #longDescriptions: boolean;
  readonly #live: Bitmap;

  /** Requires `prepareTexts`. */
  constructor(listings: Listings, categories: CategoryList, longDescriptions: boolean) {
    this.#listings = listings;
    this.#categories = categories;
    this.#longDescriptions = longDescriptions;
    this.#live = listings.inScope({ status: 'live', deleted: 'excluded' });
  }

  /** A search with corrected words; undefined when there is nothing to correct. */
  corrected(q: string): string | undefined {
    const { folded, starts, ends } = foldInParts(q);
    const words = queryWordsOf(folded, 'words');
    const frequencies = this.#frequencies(words);
    const corrections = this.#nearest(words.filter((_, number) => frequencies[number] === 0));
    if (corrections.size === 0) return undefined;
    let result = '';
    let copiedTo = 0;
    for (const [word, at] of wordsAt(folded)) {
      const other = corrections.get(word);
      if (other === undefined) continue;
      result += q.slice(copiedTo, starts[at]) + other;
      copiedTo = ends[at + word.length - 1] ?? 0;
    }
    return result + q.slice(copiedTo);
  }

  /** The number of live listings that each word matches. */
  #frequencies(words: readonly QueryWord[]): readonly number[] {
    const found = words.map(() => this.#listings.emptyBitmap());
    for (const name of this.#listings.wordTexts(this.#longDescriptions)) {
      this.#listings.text(name).matching(words, (number, { addListings }) => addListings(found[number] as Bitmap));
    }
    return words.map((word, number) =>
      this.#countWithCategories(found[number] as Bitmap, (text) => matchOf(word, text) !== undefined),
    );
  }

  /** By word, the most frequent one within two typos; of equally frequent ones that with fewer typos, then the first. */
  #nearest(words: readonly QueryWord[]): ReadonlyMap<string, string> {
    const near = words
      .filter(({ text }) => mayHaveTypos(text))
      .map((word): QueryWord => ({ ...word, place: 'whole', typosMax: TYPOS_MAX }));
    const candidates = near.map(() => new Map<string, Candidate>());
    const add = (number: number, text: string, typos: number, ...adding: FoundWord['addListings'][]) => {
      const known = candidates[number]?.get(text)?.adding ?? [];
      candidates[number]?.set(text, { typos, adding: [...known, ...adding] });
    };
    if (near.length === 0) return new Map();
    for (const name of this.#listings.wordTexts(this.#longDescriptions)) {
      this.#listings
        .text(name)
        .matching(near, (number, { text, match: { typos }, addListings }) => add(number, text, typos, addListings));
    }
    for (const text of this.#categories.names().flatMap((category) => category.words)) {
      for (const [number, word] of near.entries()) {
        const match = matchOf(word, text);
        if (match) add(number, text, match.typos);
      }
    }
    return new Map(
      near.flatMap(({ text }, number) => {
        const best = this.#mostFrequent(candidates[number] ?? new Map());
        return best === undefined ? [] : [[text, best] as const];
      }),
    );
  }

  #mostFrequent(candidates: ReadonlyMap<string, Candidate>): string | undefined {
    const found = Array.from(candidates, ([text, { typos, adding }]) => {
      const slots = this.#listings.emptyBitmap();
      for (const add of adding) add(slots);
      return { text, typos, listings: this.#countWithCategories(slots, (other) => other === text) };
    }).filter(({ listings }) => listings > 0);
    const [first] = found.sort(
      (one, other) => other.listings - one.listings || one.typos - other.typos || (one.text < other.text ? -1 : 1),
    );
    return first?.text;
  }

  /** Adds the listings of the categories with a word in their name that is meant. @returns how many are live. */
  #countWithCategories(slots: Bitmap, isMeant: (word: string) => boolean): number {
    for (const { slug, words } of this.#categories.names()) {
      if (words.some(isMeant)) this.#listings.attribute('category').addAnyOf([slug], slots);
    }
    return slots.countShared(this.#live);
  }
}
