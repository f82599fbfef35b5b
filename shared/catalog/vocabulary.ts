import { ListPool } from './list-pool.ts';
import { hashOf } from './words.ts';

/** The length of a trigram in UTF-16 units. */
export const TRIGRAM = 3;

/** Trigrams are hashed into this many buckets. A collision costs some more comparisons, never a wrong result. */
const TRIGRAM_BUCKETS = 2 ** 15;

/** Entries of the hash table that are not the number of a word. */
const EMPTY = -1;
const DELETED = -2;

/**
 * Numbered words, found by equality with a part of a text or by any substring of at least `TRIGRAM` units. A part of a
 * text is looked up without extracting it: indexing half a million texts looks up twenty million words. Numbers are
 * reused.
 */
export class Vocabulary {
  readonly #words: string[] = [];
  readonly #free: number[] = [];
  /** By trigram bucket, the numbers of the words that contain it. */
  readonly #postings = new ListPool();
  /** Open-addressing hash table with linear probing; the length is a power of two. */
  #table = new Int32Array(1024).fill(EMPTY);
  /** The number of entries that are not empty. */
  #taken = 0;

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
    for (let i = 0; i <= word.length - TRIGRAM; i += 1) {
      const trigram = trigramAt(word, i);
      // A word may contain the same trigram twice.
      if (this.#postings.lastOf(trigram) !== id) this.#postings.add(trigram, id);
    }
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
    for (let i = 0; i <= word.length - TRIGRAM; i += 1) this.#postings.delete(trigramAt(word, i), id);
  }

  /** Visits the numbers of the words that contain the text. */
  containing(text: string, visit: (id: number) => void): void {
    this.#postings.forEach(this.#rarestTrigramOf(text), (id) => {
      if (this.#words[id]?.includes(text)) visit(id);
    });
  }

  /** A word that contains the text contains all its trigrams, so the rarest one gives the fewest candidates. */
  #rarestTrigramOf(text: string): number {
    let rarest = trigramAt(text, 0);
    for (let i = 1; i <= text.length - TRIGRAM; i += 1) {
      const trigram = trigramAt(text, i);
      if (this.#postings.sizeOf(trigram) < this.#postings.sizeOf(rarest)) rarest = trigram;
    }
    return rarest;
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

/** The bucket, below `TRIGRAM_BUCKETS`, of the trigram at a position of a word. */
const trigramAt = (word: string, at: number): number => {
  const units =
    (Math.imul(word.charCodeAt(at), 961) + Math.imul(word.charCodeAt(at + 1), 31)) ^ word.charCodeAt(at + 2);
  return (Math.imul(units, 0x9e37_79b1) >>> 17) & (TRIGRAM_BUCKETS - 1);
};
