const WORD_BITS = 32;

/** A set of small whole numbers as one bit each. Grows by itself; ids beyond its end count as absent. */
export class Bitmap {
  #words: Int32Array;

  /** Room for the ids below `capacity` without growing; all absent. */
  constructor(capacity = 0) {
    this.#words = new Int32Array(Math.ceil(capacity / WORD_BITS));
  }

  /** How many ids fit without growing. */
  get capacity(): number {
    return this.#words.length * WORD_BITS;
  }

  /** Whether the id is present. */
  has(id: number): boolean {
    return this.bit(id) === 1;
  }

  /** 1 when the id is present, else 0: for counting without a branch. */
  bit(id: number): number {
    return ((this.#words[id >>> 5] ?? 0) >>> (id & 31)) & 1;
  }

  /** Makes the id present, with room for it where there is none. */
  add(id: number): void {
    const word = id >>> 5;
    if (word >= this.#words.length) this.#grow(word + 1);
    this.#words[word] = (this.#words[word] ?? 0) | (1 << (id & 31));
  }

  /** Makes all of the ids present. */
  addAll(ids: readonly number[]): void {
    for (let i = 0; i < ids.length; i += 1) this.add(ids[i] ?? 0);
  }

  /** Makes those of 32 ids, from 32 times `word` on and within the capacity, present whose bits are 1; answers how many were absent. */
  orWord(word: number, bits: number): number {
    const before = this.#words[word] ?? 0;
    this.#words[word] = before | bits;
    return ones(bits & ~before);
  }

  /** Makes the id absent. */
  delete(id: number): void {
    const word = id >>> 5;
    if (word < this.#words.length) this.#words[word] = (this.#words[word] ?? 0) & ~(1 << (id & 31));
  }

  /** Forgets all ids and makes room for those below `capacity`. */
  reset(capacity: number): void {
    const words = Math.ceil(capacity / WORD_BITS);
    if (words > this.#words.length) this.#words = new Int32Array(words);
    else this.#words.fill(0);
  }

  /** Adds what the other has. */
  or(other: Bitmap): void {
    const theirs = other.#words;
    let used = theirs.length;
    while (used > this.#words.length && theirs[used - 1] === 0) used -= 1;
    if (used > this.#words.length) this.#grow(used);
    const mine = this.#words;
    for (let i = 0; i < used; i += 1) mine[i] = (mine[i] ?? 0) | (theirs[i] ?? 0);
  }

  /** Keeps only what the other has too. */
  and(other: Bitmap): void {
    const mine = this.#words;
    const theirs = other.#words;
    const shared = Math.min(mine.length, theirs.length);
    for (let i = 0; i < shared; i += 1) mine[i] = (mine[i] ?? 0) & (theirs[i] ?? 0);
    mine.fill(0, shared);
  }

  /** How many ids are present. */
  count(): number {
    const words = this.#words;
    let total = 0;
    for (let i = 0; i < words.length; i += 1) total += ones(words[i] ?? 0);
    return total;
  }

  /** How many ids are present here and there. */
  countShared(other: Bitmap): number {
    const mine = this.#words;
    const theirs = other.#words;
    const shared = Math.min(mine.length, theirs.length);
    let total = 0;
    for (let i = 0; i < shared; i += 1) total += ones((mine[i] ?? 0) & (theirs[i] ?? 0));
    return total;
  }

  /** How many of the ids in a part of a list are present; in one loop over bare arrays, because whole orders are counted. */
  countOf(ids: ArrayLike<number>, from: number, to: number): number {
    const words = this.#words;
    let total = 0;
    for (let i = from; i < to; i += 1) {
      const id = ids[i] ?? 0;
      total += ((words[id >>> 5] ?? 0) >>> (id & 31)) & 1;
    }
    return total;
  }

  /** The ids, ascending. The walk allows deleting the id that it is at. */
  forEach(visit: (id: number) => void): void {
    const words = this.#words;
    for (let i = 0; i < words.length; i += 1) {
      for (let rest = words[i] ?? 0; rest !== 0; rest &= rest - 1) {
        visit(i * WORD_BITS + 31 - Math.clz32(rest & -rest));
      }
    }
  }

  /** The ids, ascending. */
  toArray(): number[] {
    const ids: number[] = [];
    this.forEach((id) => ids.push(id));
    return ids;
  }

  #grow(words: number): void {
    const grown = new Int32Array(Math.max(words, this.#words.length * 2));
    grown.set(this.#words);
    this.#words = grown;
  }
}

/** The number of 1 bits in a word, added up in parallel: by pairs, nibbles, then bytes. */
const ones = (word: number): number => {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const nibbles = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((nibbles + (nibbles >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
};
