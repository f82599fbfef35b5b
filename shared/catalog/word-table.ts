import { hashOf } from './folded-text.ts';

/** Entries of the hash table that are not the number of a word. */
const EMPTY = -1;
const DELETED = -2;

/**
 * Numbered words. A part of a text is looked up without extracting it: indexing half a million texts looks up twenty million
 * words. Numbers are reused.
 */
export class WordTable {
  readonly #words: string[] = [];
  readonly #free: number[] = [];
  /** Open-addressing hash table with linear probing; the length is a power of two. */
  #table = new Int32Array(64).fill(EMPTY);
  /** The number of entries that are not empty. */
  #taken = 0;

  /** One more than the greatest number that was ever in use. */
  get capacity(): number {
    return this.#words.length;
  }

  /** The number of the word that equals the units from `from` to before `to` and has this hash, if known. */
  find(units: Uint16Array, from: number, to: number, hash: number): number | undefined {
    const table = this.#table;
    const mask = table.length - 1;
    for (let index = startOf(hash, mask); ; index = (index + 1) & mask) {
      const id = table[index] ?? EMPTY;
      if (id === EMPTY) return undefined;
      if (id !== DELETED && isAt(this.#words[id] ?? '', units, from, to)) return id;
    }
  }

  /** Adds an unknown word and returns its number. */
  add(word: string): number {
    const id = this.#free.pop() ?? this.#words.length;
    this.#words[id] = word;
    this.#taken += 1;
    if (this.#taken * 2 > this.#table.length) this.#rebuild();
    else this.#insert(id, word);
    return id;
  }

  delete(id: number): void {
    const word = this.#words[id] ?? '';
    const mask = this.#table.length - 1;
    let index = startOf(hashOf(word), mask);
    while (this.#table[index] !== id) index = (index + 1) & mask;
    this.#table[index] = DELETED;
    this.#words[id] = '';
    this.#free.push(id);
  }

  /** Empty for a number that is not in use. */
  word(id: number): string {
    return this.#words[id] ?? '';
  }

  #insert(id: number, word: string): void {
    const mask = this.#table.length - 1;
    let index = startOf(hashOf(word), mask);
    while (this.#table[index] !== EMPTY) index = (index + 1) & mask;
    this.#table[index] = id;
  }

  /** Rebuilds the table without deleted entries, larger if necessary. */
  #rebuild(): void {
    const kept = this.#words.length - this.#free.length;
    let length = this.#table.length;
    while (kept * 3 > length) length *= 2;
    this.#table = new Int32Array(length).fill(EMPTY);
    this.#taken = kept;
    const isFree = new Set(this.#free);
    for (const [id, word] of this.#words.entries()) if (!isFree.has(id)) this.#insert(id, word);
  }
}

/** Mixes in the high bits: the low bits of a product hardly depend on them. */
const startOf = (hash: number, mask: number): number => (hash ^ (hash >>> 15)) & mask;

const isAt = (word: string, units: Uint16Array, from: number, to: number): boolean => {
  if (word.length !== to - from) return false;
  for (let i = 0; i < word.length; i += 1) if (word.charCodeAt(i) !== units[from + i]) return false;
  return true;
};
