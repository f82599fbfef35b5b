import { describe, expect, it } from 'vitest';
import { Bitmap } from '#catalog/bitmap.ts';
import { Order } from '#catalog/order.ts';
import { OrderedMatches } from '#catalog/ordered-matches.ts';
import type { Row, Sortable } from '#catalog/row.ts';
import { Rows } from '#catalog/rows.ts';
import { Random } from './random.ts';

const LISTINGS = 3000;
const CHANGES = 200;

const compare = (a: Sortable, b: Sortable): number => b.upvotes - a.upvotes || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);

const rowOf = (id: number, upvotes: number): Row => ({ id: String(id).padStart(5, '0'), upvotes }) as Row;

/** Listings with few distinct values, so that many of them are equal in all but their id. */
class Listings {
  readonly rows = new Rows();
  readonly #random: Random;
  #created = 0;
  order: Order;

  constructor(random: Random) {
    this.#random = random;
    for (let i = 0; i < LISTINGS; i += 1) this.rows.insert(this.#row());
    this.order = new Order(this.rows, compare);
  }

  /** Adds, removes or moves a listing. */
  change(): void {
    const slot = this.#random.pick(this.slots());
    const row = this.rows.at(slot);
    const kind = this.#random.below(10);
    if (kind === 0) {
      this.order.remove(slot, row);
      this.rows.remove(slot);
    } else if (kind === 1) {
      const added = this.#row();
      this.order.insert(this.rows.insert(added), added);
    } else {
      const moved = rowOf(Number(row.id), this.#random.below(50));
      if (!this.order.isAffected(row, moved)) return;
      this.order.remove(slot, row);
      this.rows.replace(slot, moved);
      this.order.insert(slot, moved);
    }
  }

  slots(): number[] {
    return [...this.rows.slots()];
  }

  #row(): Row {
    this.#created += 1;
    return rowOf(this.#created, this.#random.below(50));
  }
}

describe('matches in an order', () => {
  // From a few, whose ranks are looked up, to most of the listings, which are tested in order.
  it.each([0.002, 0.02, 0.2, 0.9])('are paged like a sorted array when %d of the listings match', (share) => {
    const random = new Random(share * 1000);
    const listings = new Listings(random);
    for (let step = 0; step < CHANGES; step += 1) {
      for (let changes = random.below(4); changes > 0; changes -= 1) listings.change();
      const slots = new Bitmap();
      const matching = listings.slots().filter(() => random.chance(share));
      slots.addAll(matching);
      const reversed = random.chance(0.5);
      const sorted = matching.sort((a, b) => compare(listings.rows.at(a), listings.rows.at(b)));
      if (reversed) sorted.reverse();
      const matches = new OrderedMatches(listings.order, reversed, { slots, total: sorted.length });
      const limit = 1 + random.below(40);

      const offset = random.below(sorted.length + 10);
      expect(matches.page(offset, limit)).toEqual(sorted.slice(offset, offset + limit));

      const position = listings.rows.at(random.pick(listings.slots()));
      const isAfter = (slot: number): boolean => {
        const difference = compare(listings.rows.at(slot), position);
        return reversed ? difference < 0 : difference > 0;
      };
      const following = sorted.filter(isAfter);
      expect(matches.after(position, limit)).toEqual({
        offset: sorted.length - following.length,
        slots: following.slice(0, limit),
      });
    }
  });
});
