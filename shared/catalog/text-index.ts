import type { ProjectRecord } from '#domain/projects/project.ts';
import type { Bitmap } from './bitmap.ts';
import { IdSet } from './id-set.ts';
import { ListPool } from './list-pool.ts';
import type { ListingIndex } from './listing-index.ts';
import type { Row } from './row.ts';
import type { Rows } from './rows.ts';
import { ShortTexts } from './short-texts.ts';
import { TextUnits } from './text-units.ts';
import { PIECE, Vocabulary } from './vocabulary.ts';
import { forEachWord, wordsOf } from './words.ts';

/** Where more than one listing in so many has a word, a bitmap of them is smaller than a list and added up faster. */
const MANY = 32;

/** Below this a list is always good enough. */
const LIST_ALWAYS = 64;

/** How many listings are taken in at once while the index is being made: a few milliseconds of work. */
const STEP = 1024;

/**
 * Finds the listings whose text contains another text. A text that is a word, or a piece of one, can only lie within one word,
 * so the words that contain it name the listings exactly. Of any other text each word narrows, and what is left is read.
 *
 * It is made in steps, so that a large one can be made while others are answered. What serves only texts of one or two units
 * is made when the first of those is asked for: it takes as much room as all words.
 */
export class TextIndex implements ListingIndex {
  readonly #textOf: (project: ProjectRecord) => string;
  readonly #noSlots: () => Bitmap;
  readonly #rows: Rows;
  readonly #units = new TextUnits();
  readonly #texts: string[] = [];
  readonly #vocabulary = new Vocabulary();
  /** By number of the word, the slots of the listings that have it. */
  readonly #few = new ListPool();
  /** Of words that very many have, these take the place of a list. */
  readonly #many: (IdSet | undefined)[] = [];
  /** The slots below this have their words in it; undefined when all have. */
  #reach: number | undefined = 0;
  #short: ShortTexts | undefined;
  /** The slots below this have their units and pairs in it; undefined when all have. */
  #shortReach: number | undefined = 0;

  /** `textOf` gives the searchable text of a listing, folded; `noSlots` an empty bitmap for the length of a question. */
  constructor(rows: Rows, textOf: (project: ProjectRecord) => string, noSlots: () => Bitmap) {
    this.#rows = rows;
    this.#textOf = textOf;
    this.#noSlots = noSlots;
  }

  /** Does some of the work that is left before `q` (folded, not empty) can be looked for; answers whether it can be now. */
  prepare(q: string): boolean {
    if (this.#reach !== undefined) this.#reach = this.#step(this.#reach, (slot, row) => this.#takeWords(slot, row));
    else if (isShort(q) && this.#shortReach !== undefined) this.#prepareShort(this.#shortReach);
    return this.#reach === undefined && (this.#shortReach === undefined || !isShort(q));
  }

  concerns(before: Row, after: Row): boolean {
    return before.version !== after.version && this.#textOf(before.unpacked()) !== this.#textOf(after.unpacked());
  }

  insert(slot: number, row: Row): void {
    if (!isReached(slot, this.#reach)) return;
    this.#takeWords(slot, row);
    if (!this.#short || !isReached(slot, this.#shortReach)) return;
    this.#noteShort(this.#short, slot);
    this.#short.settle();
  }

  remove(slot: number): void {
    if (!isReached(slot, this.#reach)) return;
    const text = this.#texts[slot] ?? '';
    this.#texts[slot] = '';
    const units = this.#units.of(text);
    if (isReached(slot, this.#shortReach)) this.#short?.delete(units, text.length, slot);
    forEachWord(units, text.length, (from, to, hash) => {
      this.#deleteWord(this.#vocabulary.find(units, from, to, hash), slot);
    });
  }

  /** Keeps of the slots those whose text contains `q`, which is folded and not empty. */
  narrow(slots: Bitmap, q: string): void {
    while (!this.prepare(q));
    if (isShort(q)) {
      this.#narrowShort(slots, q);
    } else {
      const words = wordsOf(q);
      // A word of one or two units is in so many texts that reading those that the others leave takes less.
      for (const word of words) if (word.length >= PIECE) slots.and(this.#withWord(word));
      if (words[0] !== q) this.#read(slots, q);
    }
  }

  /** Reads the texts: units and pairs beyond ASCII share numbers, and a longer text only begins with what was looked for. */
  #narrowShort(slots: Bitmap, q: string): void {
    const pieces = q.length < PIECE ? [q] : piecesOf(q);
    for (const piece of pieces) {
      const listings = this.#noSlots();
      this.#short?.get(piece)?.addTo(listings);
      slots.and(listings);
    }
    if (pieces[0] !== q || !this.#short?.isExact(q)) this.#read(slots, q);
  }

  #read(slots: Bitmap, q: string): void {
    slots.forEach((slot) => {
      if (!this.#texts[slot]?.includes(q)) slots.delete(slot);
    });
  }

  /** The slots of the listings with a text somewhere that lies within one word. */
  #withWord(text: string): Bitmap {
    const slots = this.#noSlots();
    this.#vocabulary.containing(text, (id) => this.#addListings(id, slots));
    return slots;
  }

  #addListings(word: number, slots: Bitmap): void {
    const many = this.#many[word];
    if (many) many.addTo(slots);
    else this.#few.addTo(word, slots);
  }

  /** Lets some listings from a slot on be taken in; answers from where on it goes on. */
  #step(from: number, take: (slot: number, row: Row) => void): number | undefined {
    const end = Math.min(from + STEP, this.#rows.capacity);
    for (let slot = from; slot < end; slot += 1) {
      const row = this.#rows.findAt(slot);
      if (row) take(slot, row);
    }
    return end === this.#rows.capacity ? undefined : end;
  }

  #takeWords(slot: number, row: Row): void {
    const text = this.#textOf(row.unpacked());
    this.#texts[slot] = text;
    const units = this.#units.of(text);
    forEachWord(units, text.length, (from, to, hash) => {
      // A word is cut out only when it is new.
      this.#addWord(this.#vocabulary.find(units, from, to, hash) ?? this.#vocabulary.add(text.slice(from, to)), slot);
    });
  }

  #prepareShort(from: number): void {
    const short = this.#short ?? new ShortTexts();
    this.#short = short;
    this.#shortReach = this.#step(from, (slot) => this.#noteShort(short, slot));
    short.settle();
  }

  #noteShort(short: ShortTexts, slot: number): void {
    const text = this.#texts[slot] ?? '';
    short.note(this.#units.of(text), text.length, slot);
  }

  #addWord(word: number, slot: number): void {
    const many = this.#many[word];
    if (many) {
      many.add(slot);
    } else if (this.#few.lastOf(word) !== slot) {
      // What a text adds stands last, so a word that comes twice in it is seen.
      this.#few.add(word, slot);
      const size = this.#few.sizeOf(word);
      if (size > LIST_ALWAYS && size * MANY > this.#texts.length) this.#becomeMany(word);
    }
  }

  #becomeMany(word: number): void {
    const slots: number[] = [];
    this.#few.forEach(word, (slot) => slots.push(slot));
    this.#few.clear(word);
    this.#many[word] = IdSet.of(...slots.sort((a, b) => a - b));
  }

  #deleteWord(word: number | undefined, slot: number): void {
    if (word === undefined) return;
    const many = this.#many[word];
    if (many) many.delete(slot);
    else this.#few.delete(word, slot);
    if ((many ? many.size : this.#few.sizeOf(word)) > 0) return;
    this.#many[word] = undefined;
    this.#vocabulary.delete(word);
  }
}

/** Whether a text has no word, nor a piece of one, that is long enough to be found in the vocabulary. */
const isShort = (q: string): boolean => q.length < PIECE || wordsOf(q).every((word) => word.length < PIECE);

/** The pairs of units of a text that has at least two. */
const piecesOf = (q: string): string[] => Array.from({ length: q.length - 1 }, (_, at) => q.slice(at, at + 2));

const isReached = (slot: number, reach: number | undefined): boolean => reach === undefined || slot < reach;
