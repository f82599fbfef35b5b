import type { Bitmap } from './bitmap.ts';
import type { Matches } from './filter-cache.ts';
import type { Order } from './order.ts';
import type { Sortable } from './row.ts';

/** How long it takes to look up the rank of a match, compared with testing whether a listing is a match. */
const LOOKUP_COST = 3;
/** The number of ranks that are passed over in the time of such a test. */
const RANKS_PER_TEST = 32;

/**
 * Matching listings in an order or its reverse. Either the listings are tested in order, or the ranks of all matches are
 * looked up, which are then in order as the members of a bitmap: the former is faster for many matches, the latter for few.
 */
export class OrderedMatches {
  readonly total: number;
  readonly #slots: Bitmap;
  readonly #order: Order;
  readonly #reversed: boolean;

  constructor(order: Order, reversed: boolean, { slots, total }: Matches) {
    this.#order = order;
    this.#reversed = reversed;
    this.#slots = slots;
    this.total = total;
  }

  has(slot: number): boolean {
    return this.#slots.has(slot);
  }

  /** The matches at an offset; reads from the nearer end. */
  page(offset: number, limit: number): number[] {
    const length = Math.min(limit, this.total - offset);
    if (length <= 0) return [];
    const following = this.total - offset - length;
    const isFromEnd = following < offset;
    const backwards = this.#reversed !== isFromEnd;
    const begin = backwards ? this.#order.length : 0;
    const slots = this.#takeFrom(begin, backwards, isFromEnd ? following : offset, length);
    return isFromEnd ? slots.reverse() : slots;
  }

  /** The matches strictly after these values, and the number of matches before those. */
  after(values: Sortable, limit: number): { offset: number; slots: number[] } {
    const order = this.#order;
    const rank = this.#reversed ? order.rankBefore(values) : order.rankAfter(values);
    const below = this.#countBelow(rank);
    const offset = this.#reversed ? this.total - below : below;
    const length = Math.min(limit, this.total - offset);
    if (length <= 0) return { offset, slots: [] };
    return { offset, slots: this.#takeFrom(rank, this.#reversed, 0, length) };
  }

  /** @param rank where to begin: with this one, or backwards with the one before. */
  #takeFrom(rank: number, backwards: boolean, skip: number, length: number): number[] {
    const order = this.#order;
    if (this.#isLookupFaster(((skip + length) / this.total) * order.length)) {
      const ranks = order.ranksOf(this.#slots);
      const taken = backwards ? ranks.descending(rank, skip, length) : ranks.ascending(rank, skip, length);
      return taken.map((one) => order.slotAt(one));
    }
    return backwards
      ? order.descending(this.#slots, rank, skip, length)
      : order.ascending(this.#slots, rank, skip, length);
  }

  /** The number of matches below a rank; counts on the shorter side. */
  #countBelow(rank: number): number {
    const order = this.#order;
    const isNearEnd = rank > order.length / 2;
    if (this.#isLookupFaster(isNearEnd ? order.length - rank : rank)) {
      return order.ranksOf(this.#slots).countBelow(rank);
    }
    return isNearEnd
      ? this.total - order.countIn(this.#slots, rank, order.length)
      : order.countIn(this.#slots, 0, rank);
  }

  /** @param tested how many listings would be tested. */
  #isLookupFaster(tested: number): boolean {
    return this.total * LOOKUP_COST + this.#order.length / RANKS_PER_TEST < tested;
  }
}
