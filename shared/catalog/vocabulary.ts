import { IdSet } from './id-set.ts';

/** The length of the pieces by which words are found, in UTF-16 units. */
export const PIECE = 3;

/** How many numbers the pieces share. Two pieces with the same number cost a look at some more words, never a mistake. */
const PIECES = 2 ** 15;

/** Numbered words, found by any text of at least `PIECE` units that they contain. Numbers are used again. */
export class Vocabulary {
  readonly #ids = new Map<string, number>();
  readonly #words: string[] = [];
  readonly #free: number[] = [];
  /** By number of the piece, the numbers of the words that have it. */
  readonly #withPiece: (IdSet | undefined)[] = new Array(PIECES).fill(undefined);

  /** The number of a word that is there. */
  idOf(word: string): number | undefined {
    return this.#ids.get(word);
  }

  /** Takes in a word that is not there and answers its number. */
  add(word: string): number {
    const id = this.#free.pop() ?? this.#words.length;
    this.#ids.set(word, id);
    this.#words[id] = word;
    for (let i = 0; i <= word.length - PIECE; i += 1) {
      const piece = pieceAt(word, i);
      const words = this.#withPiece[piece] ?? new IdSet();
      this.#withPiece[piece] = words;
      words.add(id);
    }
    return id;
  }

  /** Forgets a word, if it is there. */
  delete(word: string): void {
    const id = this.#ids.get(word);
    if (id === undefined) return;
    this.#ids.delete(word);
    this.#words[id] = '';
    this.#free.push(id);
    for (let i = 0; i <= word.length - PIECE; i += 1) this.#withPiece[pieceAt(word, i)]?.delete(id);
  }

  /** Visits the numbers of the words that contain the text. */
  containing(text: string, visit: (id: number) => void): void {
    this.#withRarestPieceOf(text)?.forEach((id) => {
      if (this.#words[id]?.includes(text)) visit(id);
    });
  }

  /** All pieces of a text have to be in a word that contains it, so the rarest one alone leaves few words to look at. */
  #withRarestPieceOf(text: string): IdSet | undefined {
    let rarest = this.#withPiece[pieceAt(text, 0)];
    for (let i = 1; i <= text.length - PIECE && rarest; i += 1) {
      const words = this.#withPiece[pieceAt(text, i)];
      if (!words || words.size < rarest.size) rarest = words;
    }
    return rarest;
  }
}

/** A number below `PIECES` for the piece of a word at a place. */
const pieceAt = (word: string, at: number): number => {
  const units =
    (Math.imul(word.charCodeAt(at), 961) + Math.imul(word.charCodeAt(at + 1), 31)) ^ word.charCodeAt(at + 2);
  return Math.imul(units, 0x9e37_79b1) >>> 17;
};
