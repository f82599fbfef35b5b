import { Bitmap } from './bitmap.ts';

/** What a member costs in a list, in bits: a bitmap that spends less per member is the smaller form. */
const LIST_BITS = 64;

/** Below this a list is always good enough. */
const LIST_ALWAYS = 64;

/** A list up to this length has no room for more. */
const LIST_SMALL = 16;

/** A set of small whole numbers in the smaller of two forms: a sorted list while it is sparse, a bitmap when it is dense. */
export class IdSet {
  #list: number[] = NONE;
  #bitmap: Bitmap | undefined;
  #size = 0;

  /** A set of these ids. */
  static of(...ids: readonly number[]): IdSet {
    const set = new IdSet();
    for (const id of ids) set.add(id);
    return set;
  }

  /** How many members there are. */
  get size(): number {
    return this.#size;
  }

  /** Whether the id is a member. */
  has(id: number): boolean {
    if (this.#bitmap) return this.#bitmap.has(id);
    return this.#list[this.#placeOf(id)] === id;
  }

  /** Takes in the id, if it is not there. */
  add(id: number): void {
    if (!this.#bitmap) this.#addToList(id);
    else if (!this.#bitmap.has(id)) this.#addToBitmap(this.#bitmap, id);
  }

  /** Takes in those of 32 ids, from 32 times `word` on, whose bits are 1. */
  addWord(word: number, bits: number): void {
    for (let rest = bits; rest !== 0; rest &= rest - 1) {
      // A set of many takes all of them at once.
      if (this.#bitmap && word < this.#bitmap.capacity >>> 5) {
        this.#size += this.#bitmap.orWord(word, rest);
        return;
      }
      this.add(word * 32 + 31 - Math.clz32(rest & -rest));
    }
  }

  /** Lets go of the id, if it is there. */
  delete(id: number): void {
    if (this.#bitmap) {
      this.#size -= this.#bitmap.bit(id);
      this.#bitmap.delete(id);
      return;
    }
    const place = this.#placeOf(id);
    if (this.#list[place] !== id) return;
    this.#list.splice(place, 1);
    this.#size -= 1;
  }

  /** Adds all members to a bitmap. */
  addTo(bitmap: Bitmap): void {
    if (this.#bitmap) bitmap.or(this.#bitmap);
    else bitmap.addAll(this.#list);
  }

  /** How many members a bitmap has too. */
  countIn(bitmap: Bitmap): number {
    if (this.#bitmap) return bitmap.countShared(this.#bitmap);
    return bitmap.countOf(this.#list, 0, this.#size);
  }

  /** The members, ascending. */
  forEach(visit: (id: number) => void): void {
    if (this.#bitmap) this.#bitmap.forEach(visit);
    else this.#list.forEach((id) => visit(id));
  }

  #addToList(id: number): void {
    const last = this.#list[this.#size - 1];
    if (last === undefined) {
      this.#list = [id];
    } else if (id > last) {
      // Appending makes room for many more, which most sets never get.
      if (this.#size < LIST_SMALL) this.#list = [...this.#list, id];
      else this.#list.push(id);
    } else {
      const place = this.#placeOf(id);
      if (this.#list[place] === id) return;
      this.#list.splice(place, 0, id);
    }
    this.#size += 1;
    if (this.#size > LIST_ALWAYS && this.#size * LIST_BITS > Math.max(id, last ?? 0)) this.#becomeBitmap();
  }

  #addToBitmap(bitmap: Bitmap, id: number): void {
    // A set that was dense among few ids may be sparse among many; growing is the moment to find out.
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
    this.#list = NONE;
  }

  #becomeList(bitmap: Bitmap): void {
    this.#list = bitmap.toArray();
    this.#bitmap = undefined;
  }

  /** Where in the list the id is or belongs. */
  #placeOf(id: number): number {
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

/** Shared by all sets without a list; never written to, because the first member makes a list of its own. */
const NONE: number[] = [];
