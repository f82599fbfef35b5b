import { firstCharacters } from '#model/characters.ts';
import { otherHostForms } from '#model/host-forms.ts';
import type { Bitmap } from './bitmap.ts';
import { fold, forEachWord, wordsOf } from './folded-text.ts';
import { ListPool } from './list-pool.ts';
import { IdSet } from './postings.ts';
import { type ListingIndex, Progress, type Row, type Rows, type Searchable } from './rows.ts';
import type { CatalogFilters } from './types.ts';
import { TRIGRAM, Vocabulary } from './vocabulary.ts';
import type { QueryWord, WordMatch } from './word-match.ts';
import { type MatchedWord, WordMatches } from './word-matches.ts';

/** Separates the fields of a search text; folded text never contains it, so no match spans two fields. */
export const SEPARATOR = '\0';

const HOST = /^\s*[a-z][a-z0-9+.-]*:[/\\]*(?:[^/\\?#]*@)?([^/\\?#:]*)/i;

const writtenHost = (url: string): string => HOST.exec(url)?.[1] ?? '';

const otherForms = (url: string): readonly string[] => otherHostForms(writtenHost(url));

/** The folded texts of a listing without its fields, each with an index of its own. Hosts are found in every form. */
export const searchTexts = {
  public: ({ name, description, url, tags }: Searchable): string =>
    joinedTexts(name, description, writtenHost(url), ...otherForms(url), ...tags),
  nameAndUrl: ({ name, url }: Searchable): string => joinedTexts(name, url, ...otherForms(url)),
  descriptionAndTags: ({ description, tags }: Searchable): string => joinedTexts(description, ...tags),
  longDescription: ({ long_description: text }: Searchable): string =>
    fold(firstCharacters(text ?? '', LONG_DESCRIPTION_MAX)),
} as const;

/** A folded text of listings. */
export type TextName = keyof typeof searchTexts | 'fields';

/** How much of a long description is searched, in characters. */
const LONG_DESCRIPTION_MAX = 2000;

/** The places in which a search by words counts its words, in the order of their weight. */
export const places = { name: 0, description: 1, labels: 2, fields: 3, longDescription: 4 } as const;

/** By text, the place of each of its fields; the last one is also that of all further fields. */
export const placesOf: Readonly<Record<TextName, readonly number[]>> = {
  public: [places.name, places.description, places.labels],
  nameAndUrl: [places.name, places.labels],
  descriptionAndTags: [places.description, places.labels],
  fields: [places.fields],
  longDescription: [places.longDescription],
};

/** The texts of each kind of search. A listing belongs to the group of the first text that matches. */
export const searchGroups: Readonly<Record<CatalogFilters['searchIn'], readonly TextName[]>> = {
  public: ['public'],
  admin: ['nameAndUrl', 'descriptionAndTags'],
};

/** ASCII including the separator, without the grave accent, which `fold` replaces: such texts are folded in one operation. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the range is ASCII
const ASCII = /^[\x00-\x5f\x61-\x7f]*$/;

/** Joins texts, folded. */
export const joinedTexts = (...texts: string[]): string => {
  const joined = texts.join(SEPARATOR);
  if (ASCII.test(joined) && !texts.some((text) => text.includes(SEPARATOR))) return joined.toLowerCase();
  return texts.map(fold).join(SEPARATOR);
};

/**
 * Each ASCII pair has a key of its own; all others are hashed into as many more keys, so that keys index a plain array.
 */
const ASCII_UNITS = 128;
const ASCII_PAIRS = ASCII_UNITS * ASCII_UNITS;

/** The second unit of a key for a single unit, and the unit before the first of a text. Fields never contain it. */
const NO_UNIT = 0;

/** The number of slots per machine word of a bitmap. */
const BLOCK = 32;

/** The listings by contained single UTF-16 unit and pair of units. */
class ShortTextIndex {
  readonly #listings: (IdSet | undefined)[] = new Array(2 * ASCII_PAIRS).fill(undefined);

  /**
   * Pending additions for one block of slots: by key, a bit per slot; `#keys` lists the keys with any. A text has
   * hundreds of keys, and the buffer updates each set once per block instead of once per text.
   */
  readonly #buffer = new Int32Array(2 * ASCII_PAIRS);
  readonly #keys: number[] = [];
  #block = 0;

  /** Buffers all units and pairs of a text; requires a `flush` before the next query. */
  add(units: Uint16Array, length: number, slot: number): void {
    const block = Math.floor(slot / BLOCK);
    if (block !== this.#block) this.flush();
    this.#block = block;
    const bit = 1 << (slot % BLOCK);
    const buffer = this.#buffer;
    let before = NO_UNIT;
    for (let i = 0; i < length; i += 1) {
      const unit = units[i] ?? 0;
      const pair = keyOf(before, unit);
      before = unit;
      const others = buffer[pair] ?? 0;
      // A buffered pair implies its units, except for the first unit of the text, whose "pair" begins with no unit.
      if ((others & bit) !== 0 && i > 0) continue;
      if (i > 0) this.#bufferKey(pair, others, bit);
      const single = keyOf(unit, NO_UNIT);
      this.#bufferKey(single, buffer[single] ?? 0, bit);
    }
  }

  /** Applies the buffered additions. */
  flush(): void {
    for (const key of this.#keys) {
      const listings = this.#listings[key] ?? new IdSet();
      this.#listings[key] = listings;
      listings.addWord(this.#block, this.#buffer[key] ?? 0);
      this.#buffer[key] = 0;
    }
    this.#keys.length = 0;
  }

  /** Removes all units and pairs of a text. The buffer must be empty. */
  delete(units: Uint16Array, length: number, slot: number): void {
    this.add(units, length, slot);
    for (const key of this.#keys) {
      this.#listings[key]?.delete(slot);
      this.#buffer[key] = 0;
    }
    this.#keys.length = 0;
  }

  /** The slots of the listings that contain a text of one or two units; beyond ASCII with possible false positives. */
  get(text: string): IdSet | undefined {
    return this.#listings[keyOfText(text)];
  }

  /** Whether `get` returns no false positives for this text. */
  isExact(text: string): boolean {
    return keyOfText(text) < ASCII_PAIRS;
  }

  #bufferKey(key: number, others: number, bit: number): void {
    if (others === 0) this.#keys.push(key);
    this.#buffer[key] = others | bit;
  }
}

const keyOf = (first: number, second: number): number =>
  first < ASCII_UNITS && second < ASCII_UNITS
    ? first * ASCII_UNITS + second
    : ASCII_PAIRS + ((Math.imul(first, 31) + second) & (ASCII_PAIRS - 1));

const keyOfText = (text: string): number => keyOf(text.charCodeAt(0), text.length > 1 ? text.charCodeAt(1) : NO_UNIT);

const encoder = new TextEncoder();

/** Copies a text into a reused array of UTF-16 units: several times faster to iterate than the string. */
export class TextUnits {
  #bytes = new Uint8Array(4096);
  #units = new Uint16Array(4096);

  /**
   * @returns an array that begins with the units of the text and a NUL. It is longer than the text and valid until the
   * next call.
   */
  of(text: string): Uint16Array {
    if (text.length >= this.#units.length) {
      this.#bytes = new Uint8Array(text.length * 2);
      this.#units = new Uint16Array(text.length * 2);
    }
    const { written } = encoder.encodeInto(text, this.#bytes);
    // Only ASCII has one byte per unit, and its units equal the bytes.
    if (written === text.length) this.#units.set(this.#bytes.subarray(0, written));
    else for (let i = 0; i < text.length; i += 1) this.#units[i] = text.charCodeAt(i);
    this.#units[text.length] = 0;
    return this.#units;
  }
}

/** Above one listing in so many with a word, a bitmap of them is smaller than a list and faster to merge. */
const DENSE_RATIO = 32;

/** Up to this many listings per word are always a list. */
const LIST_ALWAYS = 64;

/** The number of listings per step: a few milliseconds of work. */
const STEP = 1024;
/** How many steps of building the index a search adds: about as much work as comparing 50,000 texts. */
const STEPS_PER_SEARCH = 2;

/** A word of the texts that a word of a search matches, and where it is. */
export interface FoundWord {
  readonly text: string;
  readonly match: WordMatch;
  /** Adds the listings that contain it. */
  readonly addListings: (slots: Bitmap) => void;
  /** Adds those whose name contains it. */
  readonly addByName: (slots: Bitmap) => void;
}

const getOrAdd = (
  foundAt: Map<MatchedWord, { readonly listings: number[]; readonly byName: number[] }>,
  matched: MatchedWord,
) => {
  const known = foundAt.get(matched);
  if (known) return known;
  const added = { listings: [], byName: [] };
  foundAt.set(matched, added);
  return added;
};

/**
 * Substring search over the texts of all listings. A query without separators between words can only match within one
 * word, so the words that contain it determine the listings exactly. For other queries each word narrows the
 * candidates, whose texts are then compared.
 *
 * A search requires the folded texts only, and compares all of them until the index that it needs is complete. Each search
 * adds some steps to the index, so that no search builds it alone. The index for queries of one or two units is built on first
 * use: it takes as much memory as all words.
 */
export class TextIndex implements ListingIndex {
  readonly #textOf: (row: Row) => string;
  readonly #emptyBitmap: () => Bitmap;
  readonly #beginsWithName: boolean;
  readonly #units = new TextUnits();
  readonly #texts: string[] = [];
  readonly #vocabulary = new Vocabulary();
  /** By number of the word, the slots of the listings that contain it. */
  readonly #lists = new ListPool();
  /** By number of the word, replaces its list for words of many listings. */
  readonly #sets: (IdSet | undefined)[] = [];
  readonly #folded: Progress;
  readonly #indexed: Progress;
  #short: ShortTextIndex | undefined;
  readonly #shortIndexed: Progress;
  /** By number of the word, the slots of the listings whose name contains it; filled by searches by words. */
  readonly #nameLists = new ListPool();
  readonly #namesIndexed: Progress;

  /**
   * @param textOf the folded searchable text of a listing.
   * @param emptyBitmap returns a bitmap that is valid until the end of the query.
   * @param beginsWithName whether the first field is the name, whose words have lists of their own.
   */
  constructor(rows: Rows, textOf: (row: Row) => string, emptyBitmap: () => Bitmap, beginsWithName: boolean) {
    this.#folded = new Progress(rows, STEP);
    this.#indexed = new Progress(rows, STEP);
    this.#shortIndexed = new Progress(rows, STEP);
    this.#namesIndexed = new Progress(rows, STEP);
    this.#textOf = textOf;
    this.#emptyBitmap = emptyBitmap;
    this.#beginsWithName = beginsWithName;
  }

  /** Runs one step of folding the texts. @returns whether all are folded. */
  prepare(): boolean {
    return this.#folded.advance(1, (slot, row) => this.#fold(slot, row));
  }

  /** Runs some steps of indexing the words for `matching`; requires `prepare`. @returns whether all are indexed. */
  indexWords(steps: number): boolean {
    return (
      this.#indexed.advance(steps, (slot) => this.#indexWords(slot)) &&
      this.#namesIndexed.advance(steps, (slot) => this.#indexName(slot))
    );
  }

  /** The folded text of a listing; requires `prepare`. */
  textOf(slot: number): string {
    return this.#texts[slot] ?? '';
  }

  /**
   * Visits the words that words of a search match. Requires `prepare`: until `indexWords` is complete, all texts are compared.
   */
  matching(words: readonly QueryWord[], visit: (number: number, found: FoundWord) => void): void {
    if (this.indexWords(0)) this.#matchingVocabulary(words, visit);
    else this.#matchingTexts(words, visit);
  }

  /** Visits the words of a listing in their order: what they match, with the number of their field from 0. */
  forEachWordOf(
    slot: number,
    matches: WordMatches,
    visit: (matched: MatchedWord | undefined, field: number) => void,
  ): void {
    const text = this.#texts[slot] ?? '';
    const units = this.#units.of(text);
    let field = 0;
    let fieldEnd = endOfField(text, 0);
    forEachWord(units, text.length, (from, to, hash) => {
      while (from > fieldEnd) {
        field += 1;
        fieldEnd = endOfField(text, fieldEnd + 1);
      }
      visit(matches.of(units, from, to, hash), field);
    });
  }

  #matchingVocabulary(words: readonly QueryWord[], visit: (number: number, found: FoundWord) => void): void {
    for (const [number, word] of words.entries()) {
      this.#vocabulary.matching(word, (id, match) =>
        visit(number, {
          match,
          text: this.#vocabulary.word(id),
          addListings: (slots) => this.#addListings(id, slots),
          addByName: (slots) => this.#nameLists.addTo(id, slots),
        }),
      );
    }
  }

  #matchingTexts(words: readonly QueryWord[], visit: (number: number, found: FoundWord) => void): void {
    const matches = new WordMatches(words);
    const foundAt = new Map<MatchedWord, { readonly listings: number[]; readonly byName: number[] }>();
    for (const [slot, text] of this.#texts.entries()) {
      const units = this.#units.of(text ?? '');
      const endOfName = this.#endOfName(text ?? '');
      forEachWord(
        units,
        text?.length ?? 0,
        (from, to, hash) => {
          const matched = matches.of(units, from, to, hash);
          if (!matched) return;
          const { listings, byName } = getOrAdd(foundAt, matched);
          if (listings[listings.length - 1] !== slot) listings.push(slot);
          if (from < endOfName && byName[byName.length - 1] !== slot) byName.push(slot);
        },
        matches.firstUnits,
      );
    }
    for (const [{ text, matches: all }, { listings, byName }] of foundAt) {
      for (const [number, match] of all.entries()) {
        if (!match) continue;
        visit(number, {
          match,
          text,
          addListings: (slots) => slots.addAll(listings),
          addByName: (slots) => slots.addAll(byName),
        });
      }
    }
  }

  #addListings(word: number, slots: Bitmap): void {
    const set = this.#sets[word];
    if (set) set.addTo(slots);
    else this.#lists.addTo(word, slots);
  }

  isAffected(before: Row, after: Row): boolean {
    return before.version !== after.version && this.#textOf(before) !== this.#textOf(after);
  }

  insert(slot: number, row: Row): void {
    if (!this.#folded.includes(slot)) return;
    this.#fold(slot, row);
    if (this.#indexed.includes(slot)) this.#indexWords(slot);
    if (this.#namesIndexed.includes(slot)) this.#indexName(slot);
    if (!this.#short || !this.#shortIndexed.includes(slot)) return;
    this.#indexShort(this.#short, slot);
    this.#short.flush();
  }

  remove(slot: number): void {
    if (!this.#folded.includes(slot)) return;
    const text = this.#texts[slot] ?? '';
    this.#texts[slot] = '';
    const units = this.#units.of(text);
    if (this.#shortIndexed.includes(slot)) this.#short?.delete(units, text.length, slot);
    if (!this.#indexed.includes(slot)) return;
    if (this.#namesIndexed.includes(slot)) this.#deleteName(units, text, slot);
    forEachWord(units, text.length, (from, to, hash) => {
      this.#deleteWord(this.#vocabulary.find(units, from, to, hash), slot);
    });
  }

  /** Removes the slots whose text does not contain `q` (folded, not empty). */
  narrow(slots: Bitmap, q: string): void {
    while (!this.prepare());
    const isIndexed = isShort(q) ? this.#continueShort() : this.#continueWords();
    if (!isIndexed) {
      this.#compareTexts(slots, q);
    } else if (isShort(q)) {
      this.#narrowShort(slots, q);
    } else {
      const words = wordsOf(q);
      // Words of one or two units match so many texts that comparing the remaining candidates is faster.
      for (const word of words) if (word.length >= TRIGRAM) slots.and(this.#withinWord(word));
      if (words[0] !== q) this.#compareTexts(slots, q);
    }
  }

  /**
   * Compares the texts unless the index is exact: keys beyond ASCII are hashed, and longer queries match by pairs only.
   */
  #narrowShort(slots: Bitmap, q: string): void {
    const grams = q.length < TRIGRAM ? [q] : bigramsOf(q);
    for (const gram of grams) {
      const listings = this.#emptyBitmap();
      this.#short?.get(gram)?.addTo(listings);
      slots.and(listings);
    }
    if (grams[0] !== q || !this.#short?.isExact(q)) this.#compareTexts(slots, q);
  }

  #compareTexts(slots: Bitmap, q: string): void {
    slots.forEach((slot) => {
      if (!this.#texts[slot]?.includes(q)) slots.delete(slot);
    });
  }

  /** The slots of the listings with a word that contains `text`. */
  #withinWord(text: string): Bitmap {
    const slots = this.#emptyBitmap();
    this.#vocabulary.containing(text, (id) => this.#addListings(id, slots));
    return slots;
  }

  #fold(slot: number, row: Row): void {
    this.#texts[slot] = this.#textOf(row);
  }

  /** Runs some steps of indexing words. @returns whether all are indexed. */
  #continueWords(): boolean {
    return this.#indexed.advance(STEPS_PER_SEARCH, (slot) => this.#indexWords(slot));
  }

  #indexWords(slot: number): void {
    const text = this.#texts[slot] ?? '';
    const units = this.#units.of(text);
    forEachWord(units, text.length, (from, to, hash) => {
      // Only new words are extracted.
      this.#addWord(this.#vocabulary.find(units, from, to, hash) ?? this.#vocabulary.add(text.slice(from, to)), slot);
    });
  }

  #indexName(slot: number): void {
    const text = this.#texts[slot] ?? '';
    const units = this.#units.of(text);
    forEachWord(units, this.#endOfName(text), (from, to, hash) => {
      const word = this.#vocabulary.find(units, from, to, hash);
      if (word !== undefined && this.#nameLists.lastOf(word) !== slot) this.#nameLists.add(word, slot);
    });
  }

  #deleteName(units: Uint16Array, text: string, slot: number): void {
    forEachWord(units, this.#endOfName(text), (from, to, hash) => {
      const word = this.#vocabulary.find(units, from, to, hash);
      if (word !== undefined) this.#nameLists.delete(word, slot);
    });
  }

  /** Runs some steps of indexing units and pairs. @returns whether all are indexed. */
  #continueShort(): boolean {
    const short = this.#short ?? new ShortTextIndex();
    this.#short = short;
    const isComplete = this.#shortIndexed.advance(STEPS_PER_SEARCH, (slot) => this.#indexShort(short, slot));
    short.flush();
    return isComplete;
  }

  #indexShort(short: ShortTextIndex, slot: number): void {
    const text = this.#texts[slot] ?? '';
    short.add(this.#units.of(text), text.length, slot);
  }

  #endOfName(text: string): number {
    return this.#beginsWithName ? endOfField(text, 0) : 0;
  }

  #addWord(word: number, slot: number): void {
    const set = this.#sets[word];
    if (set) {
      set.add(slot);
    } else if (this.#lists.lastOf(word) !== slot) {
      // A repeated word of the same text finds its slot at the end of the list.
      this.#lists.add(word, slot);
      const size = this.#lists.sizeOf(word);
      if (size > LIST_ALWAYS && size * DENSE_RATIO > this.#texts.length) this.#becomeSet(word);
    }
  }

  #becomeSet(word: number): void {
    const slots: number[] = [];
    this.#lists.forEach(word, (slot) => slots.push(slot));
    this.#lists.clear(word);
    this.#sets[word] = IdSet.of(...slots.sort((a, b) => a - b));
  }

  #deleteWord(word: number | undefined, slot: number): void {
    if (word === undefined) return;
    const set = this.#sets[word];
    if (set) set.delete(slot);
    else this.#lists.delete(word, slot);
    if ((set ? set.size : this.#lists.sizeOf(word)) > 0) return;
    this.#sets[word] = undefined;
    this.#vocabulary.delete(word);
  }
}

/** Where the field that contains a position ends. */
const endOfField = (text: string, from: number): number => {
  const end = text.indexOf(SEPARATOR, from);
  return end < 0 ? text.length : end;
};

/** Whether a query has no word of at least a trigram, so that the vocabulary cannot find it. */
const isShort = (q: string): boolean => q.length < TRIGRAM || wordsOf(q).every((word) => word.length < TRIGRAM);

const bigramsOf = (q: string): string[] => Array.from({ length: q.length - 1 }, (_, at) => q.slice(at, at + 2));
