const WORD_BITS = 32;

/** A set of small integers, one bit each. Grows on demand; ids beyond its capacity are absent. */
export class Bitmap {
  #words: Int32Array;

  /** An empty set with capacity for the ids below `capacity`. */
  constructor(capacity = 0) {
    this.#words = new Int32Array(Math.ceil(capacity / WORD_BITS));
  }

  get capacity(): number {
    return this.#words.length * WORD_BITS;
  }

  has(id: number): boolean {
    return this.bit(id) === 1;
  }

  /** 1 when the id is present, else 0; for branch-free counting. */
  bit(id: number): number {
    return ((this.#words[id >>> 5] ?? 0) >>> (id & 31)) & 1;
  }

  add(id: number): void {
    const word = id >>> 5;
    if (word >= this.#words.length) this.#grow(word + 1);
    this.#words[word] = (this.#words[word] ?? 0) | (1 << (id & 31));
  }

  addAll(ids: readonly number[]): void {
    for (let i = 0; i < ids.length; i += 1) this.add(ids[i] ?? 0);
  }

  /** Adds the ids of the set bits of one machine word within the capacity. @returns how many were absent. */
  orWord(word: number, bits: number): number {
    const before = this.#words[word] ?? 0;
    this.#words[word] = before | bits;
    return bitsIn(bits & ~before);
  }

  delete(id: number): void {
    const word = id >>> 5;
    if (word < this.#words.length) this.#words[word] = (this.#words[word] ?? 0) & ~(1 << (id & 31));
  }

  /** Removes all ids and ensures a capacity. */
  reset(capacity: number): void {
    const words = Math.ceil(capacity / WORD_BITS);
    if (words > this.#words.length) this.#words = new Int32Array(words);
    else this.#words.fill(0);
  }

  /** Makes this set equal to the other one. */
  copy(other: Bitmap): void {
    if (this.#words.length < other.#words.length) this.#words = other.#words.slice();
    else {
      this.#words.set(other.#words);
      this.#words.fill(0, other.#words.length);
    }
  }

  /** Union in place. */
  or(other: Bitmap): void {
    const theirs = other.#words;
    let used = theirs.length;
    while (used > this.#words.length && theirs[used - 1] === 0) used -= 1;
    if (used > this.#words.length) this.#grow(used);
    const mine = this.#words;
    for (let i = 0; i < used; i += 1) mine[i] = (mine[i] ?? 0) | (theirs[i] ?? 0);
  }

  /** Intersection in place. */
  and(other: Bitmap): void {
    const mine = this.#words;
    const theirs = other.#words;
    const shared = Math.min(mine.length, theirs.length);
    for (let i = 0; i < shared; i += 1) mine[i] = (mine[i] ?? 0) & (theirs[i] ?? 0);
    mine.fill(0, shared);
  }

  /** Difference in place. */
  andNot(other: Bitmap): void {
    const mine = this.#words;
    const theirs = other.#words;
    const shared = Math.min(mine.length, theirs.length);
    for (let i = 0; i < shared; i += 1) mine[i] = (mine[i] ?? 0) & ~(theirs[i] ?? 0);
  }

  /** The number of ids. */
  count(): number {
    const words = this.#words;
    let total = 0;
    for (let i = 0; i < words.length; i += 1) total += bitsIn(words[i] ?? 0);
    return total;
  }

  /** The size of the intersection. */
  countShared(other: Bitmap): number {
    const mine = this.#words;
    const theirs = other.#words;
    const shared = Math.min(mine.length, theirs.length);
    let total = 0;
    for (let i = 0; i < shared; i += 1) total += bitsIn((mine[i] ?? 0) & (theirs[i] ?? 0));
    return total;
  }

  /**
   * The number of ids present among `ids` from `from` to before `to`; one loop over plain arrays, as it counts whole
   * orders.
   */
  countOf(ids: ArrayLike<number>, from: number, to: number): number {
    const words = this.#words;
    let total = 0;
    for (let i = from; i < to; i += 1) {
      const id = ids[i] ?? 0;
      total += ((words[id >>> 5] ?? 0) >>> (id & 31)) & 1;
    }
    return total;
  }

  /**
   * Writes the ids that are present among `ids` from `from` to before `to` to the beginning of `found`, in their order.
   * @param found has room for all of `ids`.
   * @returns their number.
   */
  collectOf(ids: Uint32Array, from: number, to: number, found: Uint32Array): number {
    const words = this.#words;
    let total = 0;
    for (let i = from; i < to; i += 1) {
      const id = ids[i] ?? 0;
      found[total] = id;
      total += ((words[id >>> 5] ?? 0) >>> (id & 31)) & 1;
    }
    return total;
  }

  /** Adds the number that each id is mapped to, all below the capacity of `target`. */
  addMapped(numbers: Uint32Array, target: Bitmap): void {
    const words = this.#words;
    const mapped = target.#words;
    for (let i = 0; i < words.length; i += 1) {
      for (let rest = words[i] ?? 0; rest !== 0; rest &= rest - 1) {
        const number = numbers[i * WORD_BITS + 31 - Math.clz32(rest & -rest)] ?? 0;
        mapped[number >>> 5] = (mapped[number >>> 5] ?? 0) | (1 << (number & 31));
      }
    }
  }

  /** The ids from `from` on, ascending, after skipping `skip` of them; at most `max`. */
  ascending(from: number, skip: number, max: number): number[] {
    const words = this.#words;
    const ids: number[] = [];
    let toSkip = skip;
    for (let i = from >>> 5; i < words.length && ids.length < max; i += 1) {
      let rest = words[i] ?? 0;
      if (i === from >>> 5) rest &= -1 << (from & 31);
      const found = bitsIn(rest);
      if (found <= toSkip) {
        toSkip -= found;
        continue;
      }
      for (; rest !== 0 && ids.length < max; rest &= rest - 1) {
        if (toSkip > 0) toSkip -= 1;
        else ids.push(i * WORD_BITS + 31 - Math.clz32(rest & -rest));
      }
    }
    return ids;
  }

  /** The ids before `to`, descending, after skipping `skip` of them; at most `max`. */
  descending(to: number, skip: number, max: number): number[] {
    const words = this.#words;
    const ids: number[] = [];
    let toSkip = skip;
    for (let i = Math.min(to >>> 5, words.length - 1); i >= 0 && ids.length < max; i -= 1) {
      let rest = words[i] ?? 0;
      if (i === to >>> 5) rest &= ~(-1 << (to & 31));
      const found = bitsIn(rest);
      if (found <= toSkip) {
        toSkip -= found;
        continue;
      }
      while (rest !== 0 && ids.length < max) {
        const bit = 31 - Math.clz32(rest);
        rest &= ~(1 << bit);
        if (toSkip > 0) toSkip -= 1;
        else ids.push(i * WORD_BITS + bit);
      }
    }
    return ids;
  }

  /** The number of ids before `to`. */
  countBelow(to: number): number {
    const words = this.#words;
    const last = to >>> 5;
    let total = 0;
    for (let i = 0; i < last && i < words.length; i += 1) total += bitsIn(words[i] ?? 0);
    return total + bitsIn((words[last] ?? 0) & ~(-1 << (to & 31)));
  }

  /** Visits the ids, ascending; `visit` may delete the visited id. */
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

/** The number of set bits in a word, added in parallel: by pairs, nibbles, then bytes. */
export const bitsIn = (word: number): number => {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const nibbles = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((nibbles + (nibbles >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
};

/**
 * Bitmaps reused by successive queries. Allocated per query, they would dominate garbage collection, which then
 * traverses the whole catalog.
 */
export class BitmapPool {
  readonly #bitmaps: Bitmap[] = [];
  #acquired = 0;

  /** An empty bitmap for `capacity` ids, valid until the next `release`. */
  acquire(capacity: number): Bitmap {
    const bitmap = this.#next();
    bitmap.reset(capacity);
    return bitmap;
  }

  /** A copy of a bitmap, valid until the next `release`. */
  acquireCopy(original: Bitmap): Bitmap {
    const bitmap = this.#next();
    bitmap.copy(original);
    return bitmap;
  }

  /** Makes all bitmaps available again; those acquired before are invalid. */
  release(): void {
    this.#acquired = 0;
  }

  #next(): Bitmap {
    const bitmap = this.#bitmaps[this.#acquired] ?? new Bitmap();
    this.#bitmaps[this.#acquired] = bitmap;
    this.#acquired += 1;
    return bitmap;
  }
}
