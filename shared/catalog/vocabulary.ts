import { ListPool } from './list-pool.ts';
import { hashOf } from './words.ts';

/** The length of the pieces by which words are found, in UTF-16 units. */
export const PIECE = 3;

/** How many numbers the pieces share. Two pieces with the same number cost a look at some more words, never a mistake. */
const PIECES = 2 ** 15;

/** In the table: nothing was ever here, and something was. Words stand there with their number. */
const EMPTY = -1;
const LEFT = -2;

/**
 * Numbered words, found by a part of a text that is equal to them and by any text of at least `PIECE` units that they contain. A
 * part of a text is looked up without being cut out: an index of half a million texts meets twenty million words. Numbers
 * are used again.
 */
export class Vocabulary {
  readonly #words: string[] = [];
  readonly #free: number[] = [];
  /** By number of the piece, the numbers of the words that have it. */
  readonly #withPiece = new ListPool();
  /** Words by their hash, each in the first place from there on that was free; the length is a power of two. */
  #table = new Int32Array(1024).fill(EMPTY);
  /** How many places are not empty. */
  #taken = 0;

  /** The number of the word that stands from `from` to before `to` among units and has this hash, if there is such a word. */
  find(units: Uint16Array, from: number, to: number, hash: number): number | undefined {
    const table = this.#table;
    const mask = table.length - 1;
    for (let place = placeOf(hash, mask); ; place = (place + 1) & mask) {
      const id = table[place] ?? EMPTY;
      if (id === EMPTY) return undefined;
      if (id !== LEFT && isAt(this.#words[id] ?? '', units, from, to)) return id;
    }
  }

  /** Takes in a word that is not there and answers its number. */
  add(word: string): number {
    const id = this.#free.pop() ?? this.#words.length;
    this.#words[id] = word;
    this.#taken += 1;
    if (this.#taken * 2 > this.#table.length) this.#rebuild();
    else this.#place(id, word);
    for (let i = 0; i <= word.length - PIECE; i += 1) {
      const piece = pieceAt(word, i);
      // A word may have the same piece twice.
      if (this.#withPiece.lastOf(piece) !== id) this.#withPiece.add(piece, id);
    }
    return id;
  }

  /** Forgets a word by its number. */
  delete(id: number): void {
    const word = this.#words[id] ?? '';
    const mask = this.#table.length - 1;
    let place = placeOf(hashOf(word), mask);
    while (this.#table[place] !== id) place = (place + 1) & mask;
    this.#table[place] = LEFT;
    this.#words[id] = '';
    this.#free.push(id);
    for (let i = 0; i <= word.length - PIECE; i += 1) this.#withPiece.delete(pieceAt(word, i), id);
  }

  /** Visits the numbers of the words that contain the text. */
  containing(text: string, visit: (id: number) => void): void {
    this.#withPiece.forEach(this.#rarestPieceOf(text), (id) => {
      if (this.#words[id]?.includes(text)) visit(id);
    });
  }

  /** All pieces of a text have to be in a word that contains it, so the rarest one alone leaves few words to look at. */
  #rarestPieceOf(text: string): number {
    let rarest = pieceAt(text, 0);
    for (let i = 1; i <= text.length - PIECE; i += 1) {
      const piece = pieceAt(text, i);
      if (this.#withPiece.sizeOf(piece) < this.#withPiece.sizeOf(rarest)) rarest = piece;
    }
    return rarest;
  }

  #place(id: number, word: string): void {
    const mask = this.#table.length - 1;
    let place = placeOf(hashOf(word), mask);
    while (this.#table[place] !== EMPTY) place = (place + 1) & mask;
    this.#table[place] = id;
  }

  /** Makes room, of which places that words have left are the first. */
  #rebuild(): void {
    const kept = this.#words.length - this.#free.length;
    let length = this.#table.length;
    while (kept * 3 > length) length *= 2;
    this.#table = new Int32Array(length).fill(EMPTY);
    this.#taken = kept;
    const isFree = new Set(this.#free);
    for (const [id, word] of this.#words.entries()) if (!isFree.has(id)) this.#place(id, word);
  }
}

/** The low bits of a product say little of its high ones, so those are mixed in. */
const placeOf = (hash: number, mask: number): number => (hash ^ (hash >>> 15)) & mask;

const isAt = (word: string, units: Uint16Array, from: number, to: number): boolean => {
  if (word.length !== to - from) return false;
  for (let i = 0; i < word.length; i += 1) if (word.charCodeAt(i) !== units[from + i]) return false;
  return true;
};

/** A number below `PIECES` for the piece of a word at a place. */
const pieceAt = (word: string, at: number): number => {
  const units =
    (Math.imul(word.charCodeAt(at), 961) + Math.imul(word.charCodeAt(at + 1), 31)) ^ word.charCodeAt(at + 2);
  return (Math.imul(units, 0x9e37_79b1) >>> 17) & (PIECES - 1);
};
