import type { Bitmap } from './bitmap.ts';
import type { CategoryList } from './category-list.ts';
import type { Listings } from './listings.ts';
import { equalsFolded, FURTHER_PLACES, firstScore, furtherScore, type Ranking, type WordMasks } from './ranking.ts';
import { placesOf, SEPARATOR, type TextIndex, type TextName } from './text-index.ts';
import { matchOf, type QueryWord, TYPOS_MAX } from './word-match.ts';
import { WordMatches } from './word-matches.ts';

/** The place of the names of categories, which are in no text of a listing. */
const LABELS = 2;

/** Where the words of a search are in a text of a listing. */
class TextMasks {
  /** By place; that of the name is not used. */
  readonly places: readonly WordMasks[] = Array.from({ length: FURTHER_PLACES + 1 }, () => ({ any: 0, whole: 0 }));
  /** A bit for each word of the search that is followed by the next one in a field. */
  pairs = 0;
  #lastAny = 0;
  #lastField = 0;

  clear(): void {
    for (const masks of this.places) masks.any = masks.whole = 0;
    this.pairs = this.#lastAny = this.#lastField = 0;
  }

  add({ any, whole }: WordMasks, place: number, field: number): void {
    if (field === this.#lastField) this.pairs |= this.#lastAny & (any >>> 1);
    this.#lastAny = any;
    this.#lastField = field;
    const masks = this.places[place] as WordMasks;
    masks.any |= any;
    masks.whole |= whole;
  }
}

const NO_WORDS: WordMasks = { any: 0, whole: 0 };

/** What a word of a search has found. Bitmaps are valid until the end of the query. */
interface Found {
  /** By number of typos. */
  readonly byTypos: readonly Bitmap[];
  readonly any: Bitmap;
  readonly inName: Bitmap;
  readonly wholeInName: Bitmap;
}

/** A search by words: which listings have how many of them, and in what order of relevance. */
export class WordSearch implements Ranking {
  readonly #listings: Listings;
  readonly #q: string;
  readonly #found: readonly Found[];
  readonly #texts: readonly { readonly name: TextName; readonly index: TextIndex }[];
  readonly #matches: WordMatches;
  /** Of the listing that is scored. */
  readonly #masks = new TextMasks();
  /** By slug of a category, what its name matches. */
  readonly #categories = new Map<string, TextMasks>();

  /** @param q folded. @param words of `q`, at least one. */
  constructor(
    listings: Listings,
    categories: CategoryList,
    q: string,
    words: readonly QueryWord[],
    longDescriptions: boolean,
  ) {
    this.#listings = listings;
    this.#q = q;
    this.#texts = listings.wordTexts(longDescriptions).map((name) => ({ name, index: listings.text(name) }));
    this.#matches = new WordMatches(words);
    while (!prepareTexts(listings, longDescriptions));
    this.#findCategories(categories, words);
    this.#found = this.#find(words, categories);
  }

  /** The listings with at least so many of the words. */
  withWords(least: number): Bitmap {
    const listings = this.#listings;
    if (least === this.#found.length) {
      const [first, ...others] = this.#found;
      const slots = first ? listings.copyOf(first.any) : listings.emptyBitmap();
      for (const { any } of others) slots.and(any);
      return slots;
    }
    const counts = new Uint8Array(listings.rows.capacity);
    const slots = listings.emptyBitmap();
    for (const { any } of this.#found) {
      any.forEach((slot) => {
        const count = (counts[slot] ?? 0) + 1;
        counts[slot] = count;
        if (count === least) slots.add(slot);
      });
    }
    return slots;
  }

  first(slot: number): number {
    let [matched, typos, inName, wholeInName] = [0, 0, 0, 0];
    for (const found of this.#found) {
      if (!found.any.has(slot)) continue;
      matched += 1;
      typos += found.byTypos.findIndex((slots) => slots.has(slot));
      inName += found.inName.bit(slot);
      wholeInName += found.wholeInName.bit(slot);
    }
    const equalsName = wholeInName === this.#found.length && equalsFolded(this.#nameOf(slot), this.#q);
    return firstScore({ matched, equalsName, typos, inName, wholeInName });
  }

  further(slot: number): number {
    const all = this.#masks;
    all.clear();
    let fields = 0;
    for (const { name, index } of this.#texts) {
      const places = placesOf[name];
      const firstField = fields;
      index.forEachWordOf(slot, this.#matches, (matched, field) => {
        fields = firstField + field + 1;
        all.add(matched ?? NO_WORDS, places[Math.min(field, places.length - 1)] ?? 0, firstField + field);
      });
    }
    const labels = all.places[LABELS] as WordMasks;
    for (const slug of this.#listings.rows.at(slot).categories) {
      const category = this.#categories.get(slug);
      if (!category) continue;
      const { any, whole } = category.places[LABELS] ?? NO_WORDS;
      labels.any |= any;
      labels.whole |= whole;
      all.pairs |= category.pairs;
    }
    return furtherScore(all.places.slice(1), all.pairs);
  }

  #nameOf(slot: number): string {
    const text = this.#listings.text('public').textOf(slot);
    return text.slice(0, text.indexOf(SEPARATOR));
  }

  #findCategories(categories: CategoryList, words: readonly QueryWord[]): void {
    for (const { slug, words: texts } of categories.names()) {
      const masks = new TextMasks();
      for (const text of texts) {
        const own: WordMasks = { any: 0, whole: 0 };
        for (const [number, word] of words.entries()) {
          const match = matchOf(word, text);
          if (match) own.any |= 1 << number;
          if (match?.isWhole) own.whole |= 1 << number;
        }
        masks.add(own, LABELS, 0);
      }
      if ((masks.places[LABELS]?.any ?? 0) !== 0) this.#categories.set(slug, masks);
    }
  }

  #find(words: readonly QueryWord[], categories: CategoryList): readonly Found[] {
    const listings = this.#listings;
    const all = words.map(({ typosMax }) => ({
      byTypos: Array.from({ length: Math.min(TYPOS_MAX, typosMax) + 1 }, () => listings.emptyBitmap()),
      any: listings.emptyBitmap(),
      inName: listings.emptyBitmap(),
      wholeInName: listings.emptyBitmap(),
    }));
    for (const { name, index } of this.#texts) {
      index.matching(words, (number, { match, addListings, addByName }) => {
        const found = all[number] as Found;
        addListings(found.byTypos[match.typos] as Bitmap);
        if (name !== 'public') return;
        addByName(found.inName);
        if (match.isWhole) addByName(found.wholeInName);
      });
    }
    for (const [number, { byTypos, any }] of all.entries()) {
      for (const { slug, words: texts } of categories.names()) {
        if (!this.#categories.has(slug)) continue;
        for (const text of texts) {
          const match = matchOf(words[number] as QueryWord, text);
          if (match) listings.attribute('category').addAnyOf([slug], byTypos[match.typos] as Bitmap);
        }
      }
      for (const slots of byTypos) any.or(slots);
    }
    return all;
  }
}

/** Runs one step of folding the texts of searches by words. @returns whether all are folded. */
export const prepareTexts = (listings: Listings, longDescriptions: boolean): boolean =>
  listings.wordTexts(longDescriptions).every((name) => listings.text(name).prepare());

/** Runs one step of indexing the words of texts. @returns whether all are indexed. */
export const indexWords = (listings: Listings, longDescriptions: boolean): boolean =>
  listings
    .wordTexts(longDescriptions)
    .every((name) => listings.text(name).prepare() && listings.text(name).indexWords(1));
