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
 * It is made in steps, so that a large one can be made while requests are answered.
 */
export class TextIndex implements ListingIndex {
  readonly #textOf: (project: ProjectRecord) => string;
  readonly #noSlots: () => Bitmap;
  readonly #rows: Rows;
  readonly #units = new TextUnits();
  readonly #texts: string[] = [];
  readonly #short = new ShortTexts();
  readonly #vocabulary = new Vocabulary();
  /** By number of the word, the slots of the listings that have it. */
  readonly #few = new ListPool();
  /** Of words that very many have, these take the place of a list. */
  readonly #many = new Map<number, IdSet>();
  /** The slots below this are in it; undefined when all are. */
  #reach: number | undefined = 0;

  /** `textOf` gives the searchable text of a listing, folded; `noSlots` an empty bitmap for the length of a question. */
  constructor(rows: Rows, textOf: (project: ProjectRecord) => string, noSlots: () => Bitmap) {
    this.#rows = rows;
    this.#textOf = textOf;
    this.#noSlots = noSlots;
  }

  /** Whether everything is in it. */
  get isComplete(): boolean {
    return this.#reach === undefined;
  }

  /** Takes in some of the listings that it does not have yet. */
  step(): void {
    if (this.#reach === undefined) return;
    const end = Math.min(this.#reach + STEP, this.#rows.capacity);
    for (let slot = this.#reach; slot < end; slot += 1) {
      const row = this.#rows.findAt(slot);
      if (row) this.#take(slot, row);
    }
    this.#reach = end === this.#rows.capacity ? undefined : end;
  }

  concerns(before: Row, after: Row): boolean {
    return before.version !== after.version && this.#textOf(before.unpacked()) !== this.#textOf(after.unpacked());
  }

  insert(slot: number, row: Row): void {
    if (this.#reach === undefined || slot < this.#reach) this.#take(slot, row);
  }

  remove(slot: number): void {
    if (this.#reach !== undefined && slot >= this.#reach) return;
    const text = this.#texts[slot] ?? '';
    this.#texts[slot] = '';
    const units = this.#units.of(text);
    this.#short.delete(units, text.length, slot);
    forEachWord(units, text.length, (from, to, hash) => {
      this.#deleteWord(this.#vocabulary.find(units, from, to, hash), slot);
    });
  }

  /** Keeps of the slots those whose text contains `q`, which is folded and not empty. */
  narrow(slots: Bitmap, q: string): void {
    const pieces = q.length < PIECE ? [q] : wordsOf(q);
    for (const piece of pieces) slots.and(this.#withPiece(piece));
    if (pieces[0] === q && (q.length >= PIECE || this.#short.isExact(q))) return;
    if (pieces.length === 0) slots.and(this.#withPiece(q.slice(0, PIECE - 1)));
    slots.forEach((slot) => {
      if (!this.#texts[slot]?.includes(q)) slots.delete(slot);
    });
  }

  /** The slots of the listings with a piece of a word somewhere, or with one or two units of anything. */
  #withPiece(piece: string): Bitmap {
    const slots = this.#noSlots();
    if (piece.length < PIECE) this.#short.get(piece)?.addTo(slots);
    else this.#vocabulary.containing(piece, (id) => this.#addListings(id, slots));
    return slots;
  }

  #addListings(word: number, slots: Bitmap): void {
    const many = this.#many.get(word);
    if (many) many.addTo(slots);
    else this.#few.addTo(word, slots);
  }

  #take(slot: number, row: Row): void {
    const text = this.#textOf(row.unpacked());
    this.#texts[slot] = text;
    const units = this.#units.of(text);
    this.#short.add(units, text.length, slot);
    forEachWord(units, text.length, (from, to, hash) => {
      // A word is cut out only when it is new.
      this.#addWord(this.#vocabulary.find(units, from, to, hash) ?? this.#vocabulary.add(text.slice(from, to)), slot);
    });
  }

  #addWord(word: number, slot: number): void {
    const many = this.#many.get(word);
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
    this.#many.set(word, IdSet.of(...slots.sort((a, b) => a - b)));
  }

  #deleteWord(word: number | undefined, slot: number): void {
    if (word === undefined) return;
    const many = this.#many.get(word);
    if (many) many.delete(slot);
    else this.#few.delete(word, slot);
    if ((many ? many.size : this.#few.sizeOf(word)) > 0) return;
    this.#many.delete(word);
    this.#vocabulary.delete(word);
  }
}
