import type { Bitmap } from './bitmap.ts';
import type { Listings } from './listings.ts';
import { equalsFolded, FURTHER_PLACES, firstScore, furtherScore, type Ranking, type WordMasks } from './ranking.ts';
import { placesOf, SEPARATOR, searchGroups } from './text-index.ts';
import type { CatalogFilters } from './types.ts';

const LETTER_OR_DIGIT_BEFORE = /[\p{L}\p{Nd}]$/u;
const LETTER_OR_DIGIT_AFTER = /^[\p{L}\p{Nd}]/u;

/** Long enough for a character of two units. */
const CHARACTER_UNITS = 2;

/** Whether no letter or digit adjoins a part of a text. */
const isWholeAt = (text: string, from: number, to: number): boolean =>
  !LETTER_OR_DIGIT_BEFORE.test(text.slice(Math.max(0, from - CHARACTER_UNITS), from)) &&
  !LETTER_OR_DIGIT_AFTER.test(text.slice(to, to + CHARACTER_UNITS));

/** The order of relevance of a search for a substring: all of `q` is one word. */
export class SubstringRanking implements Ranking {
  readonly #listings: Listings;
  readonly #q: string;
  readonly #searchIn: CatalogFilters['searchIn'];
  readonly #equal: Bitmap | undefined;

  /**
   * @param q folded, not empty.
   * @param equal the listings that equal the search, where that is not decided by their names.
   */
  constructor(listings: Listings, q: string, searchIn: CatalogFilters['searchIn'], equal: Bitmap | undefined) {
    this.#listings = listings;
    this.#q = q;
    this.#searchIn = searchIn;
    this.#equal = equal;
  }

  first(slot: number): number {
    const { any, whole } = this.#masksOf(slot)[0] as WordMasks;
    return firstScore({
      matched: 1,
      equalsName: this.#equal ? this.#equal.has(slot) : equalsFolded(this.#nameOf(slot), this.#q),
      typos: 0,
      inName: any,
      wholeInName: whole,
    });
  }

  further(slot: number): number {
    return furtherScore(this.#masksOf(slot).slice(1), 0);
  }

  /** The first text of both kinds of search begins with the name. */
  #nameOf(slot: number): string {
    const text = this.#listings.text(searchGroups[this.#searchIn][0] ?? 'public').textOf(slot);
    return text.slice(0, text.indexOf(SEPARATOR));
  }

  /** By place, whether it contains `q`. */
  #masksOf(slot: number): readonly WordMasks[] {
    const masks = Array.from({ length: FURTHER_PLACES + 1 }, (): WordMasks => ({ any: 0, whole: 0 }));
    for (const name of searchGroups[this.#searchIn]) {
      const places = placesOf[name];
      const text = this.#listings.text(name).textOf(slot);
      let field = 0;
      let fieldEnd = text.indexOf(SEPARATOR);
      for (let at = text.indexOf(this.#q); at >= 0; at = text.indexOf(this.#q, at + 1)) {
        while (fieldEnd >= 0 && fieldEnd < at) {
          field += 1;
          fieldEnd = text.indexOf(SEPARATOR, fieldEnd + 1);
        }
        const mask = masks[places[Math.min(field, places.length - 1)] ?? 0] as WordMasks;
        mask.any = 1;
        if (mask.whole === 0 && isWholeAt(text, at, at + this.#q.length)) mask.whole = 1;
      }
    }
    return masks;
  }
}
