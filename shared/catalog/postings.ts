import { Bitmap } from './bitmap.ts';
import type { ListingIndex, Row } from './rows.ts';

/** The size of a list member in bits: a bitmap with fewer bits per member is smaller. */
const LIST_BITS = 64;

/** Sets up to this size stay lists. */
const LIST_ALWAYS = 64;

/** Lists up to this length are reallocated per append, without spare capacity. */
const LIST_SMALL = 16;

/** A set of small integers, stored as a sorted list while sparse and as a bitmap when dense. */
export class IdSet {
  #list: number[] = NO_IDS;
  #bitmap: Bitmap | undefined;
  #size = 0;

  static of(...ids: readonly number[]): IdSet {
    const set = new IdSet();
    for (const id of ids) set.add(id);
    return set;
  }

  get size(): number {
    return this.#size;
  }

  has(id: number): boolean {
    if (this.#bitmap) return this.#bitmap.has(id);
    return this.#list[this.#indexOf(id)] === id;
  }

  add(id: number): void {
    if (!this.#bitmap) this.#addToList(id);
    else if (!this.#bitmap.has(id)) this.#addToBitmap(this.#bitmap, id);
  }

  /** Adds the ids of the set bits of one machine word: bit 0 is the id 32 × `word`. */
  addWord(word: number, bits: number): void {
    for (let rest = bits; rest !== 0; rest &= rest - 1) {
      // A bitmap adds the rest in one operation.
      if (this.#bitmap && word < this.#bitmap.capacity >>> 5) {
        this.#size += this.#bitmap.orWord(word, rest);
        return;
      }
      this.add(word * 32 + 31 - Math.clz32(rest & -rest));
    }
  }

  delete(id: number): void {
    if (this.#bitmap) {
      this.#size -= this.#bitmap.bit(id);
      this.#bitmap.delete(id);
      return;
    }
    const index = this.#indexOf(id);
    if (this.#list[index] !== id) return;
    this.#list.splice(index, 1);
    this.#size -= 1;
  }

  /** Adds all members to a bitmap. */
  addTo(bitmap: Bitmap): void {
    if (this.#bitmap) bitmap.or(this.#bitmap);
    else bitmap.addAll(this.#list);
  }

  /** The number of members that are also in a bitmap. */
  countIn(bitmap: Bitmap): number {
    if (this.#bitmap) return bitmap.countShared(this.#bitmap);
    return bitmap.countOf(this.#list, 0, this.#size);
  }

  /** The members, ascending. */
  forEach(visit: (id: number) => void): void {
    if (this.#bitmap) this.#bitmap.forEach(visit);
    else for (const id of this.#list) visit(id);
  }

  #addToList(id: number): void {
    const last = this.#list[this.#size - 1];
    if (last === undefined) {
      this.#list = [id];
    } else if (id > last) {
      // A push reserves capacity that most sets never use.
      if (this.#size < LIST_SMALL) this.#list = [...this.#list, id];
      else this.#list.push(id);
    } else {
      const index = this.#indexOf(id);
      if (this.#list[index] === id) return;
      this.#list.splice(index, 0, id);
    }
    this.#size += 1;
    if (this.#size > LIST_ALWAYS && this.#size * LIST_BITS > Math.max(id, last ?? 0)) this.#becomeBitmap();
  }

  #addToBitmap(bitmap: Bitmap, id: number): void {
    // A set that was dense among few ids may be sparse among many, which is checked whenever it grows.
    if (id >= bitmap.capacity && this.#size * LIST_BITS < bitmap.capacity) {
      this.#becomeList(bitmap);
      this.#addToList(id);
      return;
    }
    bitmap.add(id);
    this.#size += 1;
  }

  #becomeBitmap(): void {
    const bitmap = new Bitmap((this.#list[this.#size - 1] ?? 0) + 1);
    bitmap.addAll(this.#list);
    this.#bitmap = bitmap;
    this.#list = NO_IDS;
  }

  #becomeList(bitmap: Bitmap): void {
    this.#list = bitmap.toArray();
    this.#bitmap = undefined;
  }

  /** The index of the id in the list, or of its insertion point. */
  #indexOf(id: number): number {
    let low = 0;
    let high = this.#list.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#list[middle] ?? 0) < id) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** Shared by all sets without a list; never modified, because the first member creates a new list. */
const NO_IDS: number[] = [];

/** By value, the slots of the listings that have it. A value is removed with its last slot. */
export class Postings {
  readonly #sets = new Map<string, IdSet>();
  /** Sorted by value; undefined after a value was added or removed. */
  #sorted: (readonly [string, IdSet])[] | undefined;

  add(value: string, slot: number): void {
    let set = this.#sets.get(value);
    if (!set) {
      set = new IdSet();
      this.#sets.set(value, set);
      this.#sorted = undefined;
    }
    set.add(slot);
  }

  delete(value: string, slot: number): void {
    const set = this.#sets.get(value);
    if (!set) return;
    set.delete(slot);
    if (set.size > 0) return;
    this.#sets.delete(value);
    this.#sorted = undefined;
  }

  get(value: string): IdSet | undefined {
    return this.#sets.get(value);
  }

  /** Adds the slots that have any of the values to a bitmap and returns it. */
  addAnyOf(values: Iterable<string>, slots: Bitmap): Bitmap {
    for (const value of values) this.#sets.get(value)?.addTo(slots);
    return slots;
  }

  /** The number of slots by value, sorted by value; values without any are omitted. */
  countsIn(slots: Bitmap): { value: string; count: number }[] {
    this.#sorted ??= [...this.#sets].sort(([a], [b]) => (a < b ? -1 : 1));
    const counts: { value: string; count: number }[] = [];
    for (const [value, set] of this.#sorted) {
      const count = set.countIn(slots);
      if (count > 0) counts.push({ value, count });
    }
    return counts;
  }
}

const NO_VALUES: readonly string[] = [];

/** The properties that filters select by, with the values of a listing. Without spheres, which depend on the categories. */
const attributes = {
  /** The status, unless it is deleted. */
  present: (row: Row): readonly string[] => (row.deletedAt === null ? [row.status] : NO_VALUES),
  /** The status, if it is deleted. */
  deleted: (row: Row): readonly string[] => (row.deletedAt === null ? NO_VALUES : [row.status]),
  pricing: (row: Row): readonly string[] => [row.pricing],
  /** User ids. */
  owner: (row: Row): readonly string[] => [row.owner],
  /** Slugs, also of categories that do not exist. */
  category: (row: Row): readonly string[] => row.categories,
} as const;

export type AttributeName = keyof typeof attributes;

/** The listings by value of an attribute. */
export class AttributeIndex implements ListingIndex {
  readonly postings = new Postings();
  readonly #valuesOf: (row: Row) => readonly string[];

  constructor(name: AttributeName) {
    this.#valuesOf = attributes[name];
  }

  isAffected(before: Row, after: Row): boolean {
    return before.version !== after.version;
  }

  insert(slot: number, row: Row): void {
    for (const value of this.#valuesOf(row)) this.postings.add(value, slot);
  }

  remove(slot: number, row: Row): void {
    for (const value of this.#valuesOf(row)) this.postings.delete(value, slot);
  }
}
