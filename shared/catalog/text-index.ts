import type { Bitmap } from './bitmap.ts';
import { fold } from './fold.ts';
import { IdSet } from './id-set.ts';
import { ListPool } from './list-pool.ts';
import type { ListingIndex } from './listing-index.ts';
import type { Row, Searchable } from './row.ts';
import type { Rows } from './rows.ts';
import type { CatalogFilters } from './types.ts';
import { TRIGRAM, Vocabulary } from './vocabulary.ts';
import { forEachWord, wordsOf } from './words.ts';

/** Separates the fields of a search text; folded text never contains it, so no match spans two fields. */
const SEPARATOR = '\0';

const HOST = /^\s*[a-z][a-z0-9+.-]*:[/\\]*(?:[^/\\?#]*@)?([^/\\?#:]*)/i;

/** The host as written, not in Punycode, so that international names are found by their own letters. */
const writtenHost = (url: string): string => HOST.exec(url)?.[1] ?? '';

/** The folded texts of a listing, each with an index of its own. */
export const searchTexts = {
  public: ({ name, description, url, tags }: Searchable): string =>
    fields(name, description, writtenHost(url), ...tags),
  nameAndUrl: ({ name, url }: Searchable): string => fields(name, url),
  descriptionAndTags: ({ description, tags }: Searchable): string => fields(description, ...tags),
} as const;

/** The texts of each kind of search. A listing belongs to the group of the first text that matches. */
export const searchGroups: Readonly<Record<CatalogFilters['searchIn'], readonly (keyof typeof searchTexts)[]>> = {
  public: ['public'],
  admin: ['nameAndUrl', 'descriptionAndTags'],
};

/** ASCII including the separator: such texts are folded in one operation. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the range is ASCII
const ASCII = /^[\x00-\x7f]*$/;

const fields = (...texts: string[]): string => {
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
/** How many listings a search adds to the index, until it is complete. */
export const INDEXED_PER_SEARCH = STEPS_PER_SEARCH * STEP;

/** Visits the listings in the order of their slots, in steps. Those that are added to complete steps are not visited. */
class Progress {
  readonly #rows: Rows;
  #to = 0;
  #isComplete = false;

  constructor(rows: Rows) {
    this.#rows = rows;
  }

  /** Whether the step of a slot is complete. */
  includes(slot: number): boolean {
    return this.#isComplete || slot < this.#to;
  }

  /** @returns whether all steps are complete. */
  advance(steps: number, visit: (slot: number, row: Row) => void): boolean {
    for (let step = 0; step < steps && !this.#isComplete; step += 1) {
      const end = Math.min(this.#to + STEP, this.#rows.capacity);
      for (let slot = this.#to; slot < end; slot += 1) {
        const row = this.#rows.findAt(slot);
        if (row) visit(slot, row);
      }
      this.#to = end;
      this.#isComplete = end === this.#rows.capacity;
    }
    return this.#isComplete;
  }
}

/**
 * Substring search over the texts of all listings. A query without separators between words can only match within one
 * word, so the words that contain it determine the listings exactly. For other queries each word narrows the
 * candidates, whose texts are then compared.
 *
 * A search requires the folded texts only, and compares all of them until the index that it needs is complete. Each search
 * adds some steps to the index, so that none waits for it. The index for queries of one or two units is built on first
 * use: it takes as much memory as all words.
 */
export class TextIndex implements ListingIndex {
  readonly #textOf: (texts: Searchable) => string;
  readonly #emptyBitmap: () => Bitmap;
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

  /**
   * @param textOf the folded searchable text of a listing.
   * @param emptyBitmap lends a bitmap for the duration of a query.
   */
  constructor(rows: Rows, textOf: (texts: Searchable) => string, emptyBitmap: () => Bitmap) {
    this.#folded = new Progress(rows);
    this.#indexed = new Progress(rows);
    this.#shortIndexed = new Progress(rows);
    this.#textOf = textOf;
    this.#emptyBitmap = emptyBitmap;
  }

  /** Runs one step of folding the texts. @returns whether all are folded. */
  prepare(): boolean {
    return this.#folded.advance(1, (slot, row) => this.#fold(slot, row));
  }

  isAffected(before: Row, after: Row): boolean {
    return before.version !== after.version && this.#textOf(before.searchable()) !== this.#textOf(after.searchable());
  }

  insert(slot: number, row: Row): void {
    if (!this.#folded.includes(slot)) return;
    this.#fold(slot, row);
    if (this.#indexed.includes(slot)) this.#indexWords(slot);
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

  #addListings(word: number, slots: Bitmap): void {
    const set = this.#sets[word];
    if (set) set.addTo(slots);
    else this.#lists.addTo(word, slots);
  }

  #fold(slot: number, row: Row): void {
    this.#texts[slot] = this.#textOf(row.searchable());
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

/** Whether a query has no word of at least a trigram, so that the vocabulary cannot find it. */
const isShort = (q: string): boolean => q.length < TRIGRAM || wordsOf(q).every((word) => word.length < TRIGRAM);

const bigramsOf = (q: string): string[] => Array.from({ length: q.length - 1 }, (_, at) => q.slice(at, at + 2));
