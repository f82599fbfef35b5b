import type { Bitmap } from './bitmap.ts';
import type { ListingIndex } from './listing-index.ts';
import type { Compare } from './orders.ts';
import type { Row, Sortable } from './row.ts';
import type { Rows } from './rows.ts';

/**
 * All listings in one order, as a flat array of slots. A place is found by halving; putting a listing in or taking it out moves
 * the rest by one in a single block copy, which for half a million listings still takes less than a tenth of a millisecond.
 */
export class Order implements ListingIndex {
  readonly #rows: Rows;
  readonly #compare: Compare;
  #slots: Uint32Array;
  #length: number;

  /** Sorts the listings that are there, or those in some of the slots; later ones come by `insert`. */
  constructor(rows: Rows, compare: Compare, slots: Iterable<number> = rows.slots()) {
    this.#rows = rows;
    this.#compare = compare;
    this.#slots = Uint32Array.from(slots).sort((a, b) => compare(rows.at(a), rows.at(b)));
    this.#length = this.#slots.length;
  }

  /** How many listings there are. */
  get length(): number {
    return this.#length;
  }

  concerns(before: Row, after: Row): boolean {
    return this.#compare(before, after) !== 0;
  }

  insert(slot: number, row: Row): void {
    if (this.#length === this.#slots.length) this.#grow();
    const rank = this.rankBefore(row);
    this.#slots.copyWithin(rank + 1, rank, this.#length);
    this.#slots[rank] = slot;
    this.#length += 1;
  }

  remove(_slot: number, row: Row): void {
    const rank = this.rankBefore(row);
    this.#slots.copyWithin(rank, rank + 1, this.#length);
    this.#length -= 1;
  }

  /** The same order of only some of the listings, as they are now. */
  only(slots: Bitmap): Order {
    return new Order(this.#rows, this.#compare, slots.toArray());
  }

  /** The slot at a rank from 0 to `length - 1`. */
  slotAt(rank: number): number {
    return this.#slots[rank] ?? 0;
  }

  /** How many listings come before these values: the rank of what has them, or would have. */
  rankBefore(values: Sortable): number {
    let low = 0;
    let high = this.#length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#compare(this.#rows.at(this.slotAt(middle)), values) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** How many listings do not come after these values. */
  rankAfter(values: Sortable): number {
    const rank = this.rankBefore(values);
    return rank < this.#length && this.#compare(this.#rows.at(this.slotAt(rank)), values) === 0 ? rank + 1 : rank;
  }

  /** How many of the ranks from `from` to below `to` are in a set of slots. */
  countIn(slots: Bitmap, from: number, to: number): number {
    return slots.countOf(this.#slots, from, to);
  }

  #grow(): void {
    const grown = new Uint32Array(Math.max(64, this.#slots.length * 2));
    grown.set(this.#slots);
    this.#slots = grown;
  }
}
