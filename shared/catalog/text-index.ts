import type { ProjectRecord } from '#domain/projects/project.ts';
import type { Bitmap } from './bitmap.ts';
import { IdSet } from './id-set.ts';
import type { ListingIndex } from './listing-index.ts';
import type { Row } from './row.ts';
import { ShortTexts } from './short-texts.ts';
import { PIECE, Vocabulary } from './vocabulary.ts';

/** White space, punctuation and the end of a field; letters of every script and their signs make words. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the ranges are all of ASCII that is neither letter nor digit
const BETWEEN_WORDS = /[\x00-\x2f\x3a-\x60\x7b-\x7f]+/;

/** The words of a folded text, repeated ones repeatedly. */
const wordsOf = (text: string): string[] => {
  const words = text.split(BETWEEN_WORDS);
  if (words[0] === '') words.shift();
  if (words.at(-1) === '') words.pop();
  return words;
};

/**
 * Finds the listings whose text contains another text. A text that is a word, or a piece of one, can only lie within one word,
 * so the words that contain it name the listings exactly. Of any other text each word narrows, and what is left is read.
 */
export class TextIndex implements ListingIndex {
  readonly #textOf: (project: ProjectRecord) => string;
  readonly #noSlots: () => Bitmap;
  readonly #texts: string[] = [];
  readonly #short = new ShortTexts();
  readonly #vocabulary = new Vocabulary();
  /** By number of the word, the slots of the listings that have it; of the many words that only one has, just that slot. */
  readonly #listings: (number | IdSet)[] = [];

  /** `textOf` gives the searchable text of a listing, folded; `noSlots` an empty bitmap for the length of a question. */
  constructor(textOf: (project: ProjectRecord) => string, noSlots: () => Bitmap) {
    this.#textOf = textOf;
    this.#noSlots = noSlots;
  }

  concerns(before: Row, after: Row): boolean {
    return before.project !== after.project && this.#textOf(before.project) !== this.#textOf(after.project);
  }

  insert(slot: number, { project }: Row): void {
    const text = this.#textOf(project);
    this.#texts[slot] = text;
    this.#short.add(text, slot);
    for (const word of wordsOf(text)) this.#addWord(word, slot);
  }

  remove(slot: number): void {
    const text = this.#texts[slot] ?? '';
    this.#texts[slot] = '';
    this.#short.delete(text, slot);
    for (const word of wordsOf(text)) this.#deleteWord(word, slot);
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
    if (piece.length < PIECE) {
      this.#short.get(piece)?.addTo(slots);
      return slots;
    }
    this.#vocabulary.containing(piece, (id) => {
      const listings = this.#listings[id];
      if (typeof listings === 'number') slots.add(listings);
      else listings?.addTo(slots);
    });
    return slots;
  }

  #addWord(word: string, slot: number): void {
    const id = this.#vocabulary.idOf(word);
    if (id === undefined) {
      this.#listings[this.#vocabulary.add(word)] = slot;
      return;
    }
    const listings = this.#listings[id];
    if (typeof listings === 'object') listings.add(slot);
    else if (listings !== undefined && listings !== slot) this.#listings[id] = IdSet.of(listings, slot);
  }

  #deleteWord(word: string, slot: number): void {
    const id = this.#vocabulary.idOf(word);
    const listings = id === undefined ? undefined : this.#listings[id];
    if (typeof listings === 'object') listings.delete(slot);
    if (listings === slot || (typeof listings === 'object' && listings.size === 0)) this.#vocabulary.delete(word);
  }
}
