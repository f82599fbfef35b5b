import type { Bitmap } from './bitmap.ts';
import type { Order } from './order.ts';
import type { Sortable } from './row.ts';

/** How many places are counted at once while looking for the items of a page. */
const STRIDE = 256;

/** Where fewer than one listing in so many matches, sorting those takes less time than walking past all the others. */
const FEW = 1024;

/** An order walked from its beginning or its end. Positions count from 0 in the direction of the walk. */
export class Walk {
  readonly #order: Order;
  readonly #backwards: boolean;

  constructor(order: Order, backwards: boolean) {
    this.#order = order;
    this.#backwards = backwards;
  }

  /** A walk of an order in which `total` slots match; only those may be on its way. */
  static through(order: Order, backwards: boolean, matches: Bitmap, total: number): Walk {
    return new Walk(total * FEW < order.length ? order.only(matches) : order, backwards);
  }

  /** The position of the first item strictly after these values. */
  after(values: Sortable): number {
    return this.#backwards ? this.#order.length - this.#order.rankBefore(values) : this.#order.rankAfter(values);
  }

  /** How many of `total` matching slots come before a position; counts on the side that is shorter. */
  matchesBefore(position: number, matches: Bitmap, total: number): number {
    const end = this.#order.length;
    return position <= end / 2 ? this.#count(matches, 0, position) : total - this.#count(matches, position, end);
  }

  /** Of the matching slots from a position on, those after the first `skip`; at most `max`. */
  take(matches: Bitmap, position: number, skip: number, max: number): number[] {
    const end = this.#order.length;
    const taken: number[] = [];
    let toSkip = skip;
    for (let from = position; from < end && taken.length < max; from += STRIDE) {
      const to = Math.min(from + STRIDE, end);
      const found = this.#count(matches, from, to);
      // Counting is several times cheaper than looking at each, so a stride without anything to take is only counted.
      if (found > toSkip) taken.push(...this.#matching(matches, from, to).slice(toSkip, toSkip + max - taken.length));
      toSkip = Math.max(0, toSkip - found);
    }
    return taken;
  }

  /** The matching slots of a page, `offset` of `total` being before it; walks from the nearer end. */
  page(matches: Bitmap, total: number, offset: number, limit: number): number[] {
    if (offset >= total) return [];
    if (offset <= total / 2) return this.take(matches, 0, offset, limit);
    const length = Math.min(limit, total - offset);
    const reverse = new Walk(this.#order, !this.#backwards);
    return reverse.take(matches, 0, total - offset - length, length).reverse();
  }

  #matching(matches: Bitmap, from: number, to: number): number[] {
    const slots: number[] = [];
    for (let at = from; at < to; at += 1) {
      const slot = this.#order.slotAt(this.#backwards ? this.#order.length - 1 - at : at);
      if (matches.has(slot)) slots.push(slot);
    }
    return slots;
  }

  #count(matches: Bitmap, from: number, to: number): number {
    const end = this.#order.length;
    return this.#backwards
      ? this.#order.countIn(matches, end - to, end - from)
      : this.#order.countIn(matches, from, to);
  }
}
