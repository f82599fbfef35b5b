import { Attributes } from './attributes.ts';
import type { Bitmap } from './bitmap.ts';
import { BitmapPool } from './bitmap-pool.ts';
import type { ListingIndex } from './listing-index.ts';
import { Order } from './order.ts';
import { type KeptOrder, orders } from './orders.ts';
import { PlaceIndex } from './place-index.ts';
import type { Row } from './row.ts';
import { Rows } from './rows.ts';
import { searchTexts } from './search-text.ts';
import { TextIndex } from './text-index.ts';
import { UrlIndex } from './url-index.ts';

/** A kind of search text. */
export type SearchText = keyof typeof searchTexts;

/**
 * All listings and what finds them. An index is made when it is first asked for and kept up to date from then on, so that a
 * process that never sorts by name or searches text neither waits nor pays for it.
 */
export class Listings {
  /** The listings themselves. */
  readonly rows = new Rows();
  /** What filters and facets ask for; always there, because every question does. */
  readonly attributes = new Attributes();
  readonly #pool = new BitmapPool();
  readonly #kept = new Map<string, ListingIndex>([['attributes', this.attributes]]);

  /** Takes in a listing, or the newer state of one. */
  put(row: Row): void {
    const slot = this.rows.slotOf(row.id);
    if (slot === undefined) {
      const fresh = this.rows.insert(row);
      for (const index of this.#kept.values()) index.insert(fresh, row);
      return;
    }
    const before = this.rows.at(slot);
    const concerned = [...this.#kept.values()].filter((index) => index.concerns(before, row));
    // An order finds what it removes by comparing rows, so the old row has to stand in its slot until then.
    for (const index of concerned) index.remove(slot, before);
    this.rows.replace(slot, row);
    for (const index of concerned) index.insert(slot, row);
  }

  /** Forgets a listing; answers whether it was there. */
  remove(id: string): boolean {
    const slot = this.rows.slotOf(id);
    if (slot === undefined) return false;
    const row = this.rows.at(slot);
    for (const index of this.#kept.values()) index.remove(slot, row);
    this.rows.remove(slot);
    return true;
  }

  /** Begins another question: bitmaps that were lent for the one before must not be used any more. */
  beginQuestion(): void {
    this.#pool.reclaim();
  }

  /** An empty set of slots, for as long as the question lasts. */
  noSlots(): Bitmap {
    return this.#pool.lend(this.rows.capacity);
  }

  /** All listings in an order. */
  order(name: KeptOrder): Order {
    return this.#keep(name, () => new Order(this.rows, orders[name]));
  }

  /** The index of one kind of search text. */
  text(name: SearchText): TextIndex {
    return this.#keep(`${name} text`, () => new TextIndex(this.rows, searchTexts[name], () => this.noSlots()));
  }

  /** The index of places. */
  places(): PlaceIndex {
    return this.#keep('places', () => this.#filled(new PlaceIndex()));
  }

  /** The index of canonical addresses. */
  urls(): UrlIndex {
    return this.#keep('urls', () => this.#filled(new UrlIndex(this.rows)));
  }

  #keep<Index extends ListingIndex>(name: string, make: () => Index): Index {
    const kept = this.#kept.get(name);
    if (kept) return kept as Index;
    const made = make();
    this.#kept.set(name, made);
    return made;
  }

  #filled<Index extends ListingIndex>(index: Index): Index {
    for (const slot of this.rows.slots()) index.insert(slot, this.rows.at(slot));
    return index;
  }
}
