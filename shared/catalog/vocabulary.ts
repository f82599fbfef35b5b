import type { IdSet } from './id-set.ts';
import { Postings } from './postings.ts';

/** The length of the pieces by which words are found, in UTF-16 units. */
export const PIECE = 3;

/** Numbered words, found by any text of at least `PIECE` units that they contain. Numbers are used again. */
export class Vocabulary {
  readonly #ids = new Map<string, number>();
  readonly #words: string[] = [];
  readonly #free: number[] = [];
  readonly #pieces = new Postings<number>();

  idOf(word: string): number | undefined {
    return this.#ids.get(word);
  }

  /** Takes in a word that is not there and answers its number. */
  add(word: string): number {
    const id = this.#free.pop() ?? this.#words.length;
    this.#ids.set(word, id);
    this.#words[id] = word;
    for (let i = 0; i <= word.length - PIECE; i += 1) this.#pieces.add(pieceAt(word, i), id);
    return id;
  }

  delete(word: string): void {
    const id = this.#ids.get(word);
    if (id === undefined) return;
    this.#ids.delete(word);
    this.#words[id] = '';
    this.#free.push(id);
    for (let i = 0; i <= word.length - PIECE; i += 1) this.#pieces.delete(pieceAt(word, i), id);
  }

  /** Visits the numbers of the words that contain the text. */
  containing(text: string, visit: (id: number) => void): void {
    this.#withRarestPieceOf(text)?.forEach((id) => {
      if (this.#words[id]?.includes(text)) visit(id);
    });
  }

  /** All pieces of a text have to be in a word that contains it, so the rarest one alone leaves few words to look at. */
  #withRarestPieceOf(text: string): IdSet | undefined {
    let rarest = this.#pieces.get(pieceAt(text, 0));
    for (let i = 1; i <= text.length - PIECE && rarest; i += 1) {
      const words = this.#pieces.get(pieceAt(text, i));
      if (!words || words.size < rarest.size) rarest = words;
    }
    return rarest;
  }
}

/** A number for the piece of a word at a place. Rare letters may share numbers, which costs a look at a word, never a mistake. */
const pieceAt = (word: string, at: number): number =>
  ((word.charCodeAt(at) << 20) ^ (word.charCodeAt(at + 1) << 10) ^ word.charCodeAt(at + 2)) & 0x3fff_ffff;
