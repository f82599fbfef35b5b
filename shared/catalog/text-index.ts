import type { ProjectRecord } from '#domain/projects/project.ts';
import { Bitmap } from './bitmap.ts';
import { IdSet } from './id-set.ts';
import type { ListingIndex } from './listing-index.ts';
import { Postings } from './postings.ts';
import type { Row } from './row.ts';
import { FIELD_END } from './search-text.ts';
import { Vocabulary } from './vocabulary.ts';

const BETWEEN_WORDS = new RegExp(`[\\s${FIELD_END}]+`, 'u');

/** The distinct words of a text; whatever has no white space in it is one word. */
const wordsOf = (text: string): string[] => [...new Set(text.split(BETWEEN_WORDS))].filter((word) => word !== '');

/**
 * Finds the listings whose text contains another text. A text without white space can only lie within one word, so the words
 * that contain it name the listings exactly. With white space, each of its words narrows, and what is left is read.
 */
export class TextIndex implements ListingIndex {
  readonly #textOf: (project: ProjectRecord) => string;
  readonly #texts: string[] = [];
  readonly #vocabulary = new Vocabulary();
  /** By number of the word, the slots of the listings that have it. */
  readonly #listings: IdSet[] = [];
  /** A single character is in so many words that it has a list of listings of its own. */
  readonly #characters = new Postings<string>();

  /** `textOf` gives the searchable text of a listing, folded. */
  constructor(textOf: (project: ProjectRecord) => string) {
    this.#textOf = textOf;
  }

  concerns(before: Row, after: Row): boolean {
    return before.project !== after.project && this.#textOf(before.project) !== this.#textOf(after.project);
  }

  insert(slot: number, { project }: Row): void {
    const text = this.#textOf(project);
    this.#texts[slot] = text;
    for (const word of wordsOf(text)) this.#addWord(word, slot);
    for (const character of charactersOf(text)) this.#characters.add(character, slot);
  }

  remove(slot: number): void {
    const text = this.#texts[slot] ?? '';
    this.#texts[slot] = '';
    for (const word of wordsOf(text)) this.#deleteWord(word, slot);
    for (const character of charactersOf(text)) this.#characters.delete(character, slot);
  }

  /** Keeps of the slots those whose text contains `q`, which is folded and more than white space. */
  narrow(slots: Bitmap, q: string): void {
    const words = wordsOf(q);
    for (const word of words) slots.and(this.#withWordContaining(word));
    if (words[0] === q) return;
    slots.forEach((slot) => {
      if (!this.#texts[slot]?.includes(q)) slots.delete(slot);
    });
  }

  #withWordContaining(text: string): Bitmap {
    if (text.length === 1) return this.#characters.anyOf([text]);
    const slots = new Bitmap();
    this.#vocabulary.containing(text, (id) => this.#listings[id]?.addTo(slots));
    return slots;
  }

  #addWord(word: string, slot: number): void {
    const id = this.#vocabulary.idOf(word) ?? this.#vocabulary.add(word);
    let listings = this.#listings[id];
    if (!listings) {
      listings = new IdSet();
      this.#listings[id] = listings;
    }
    listings.add(slot);
  }

  #deleteWord(word: string, slot: number): void {
    const id = this.#vocabulary.idOf(word);
    const listings = id === undefined ? undefined : this.#listings[id];
    if (!listings) return;
    listings.delete(slot);
    if (listings.size === 0) this.#vocabulary.delete(word);
  }
}

/** The distinct UTF-16 units of a text that can stand in a word. */
const charactersOf = (text: string): Set<string> => new Set(text.split(''));
