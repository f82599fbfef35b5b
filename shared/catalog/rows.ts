import type { Row } from './row.ts';

/**
 * The listings, each in a numbered slot. Slots are dense, so that sets of listings can be bitmaps; freed slots are
 * reused.
 */
export class Rows {
  readonly #slots = new Map<string, number>();
  readonly #rows: (Row | undefined)[] = [];
  readonly #free: number[] = [];

  /** The number of listings. */
  get size(): number {
    return this.#slots.size;
  }

  /** One more than the greatest slot that was ever in use. */
  get capacity(): number {
    return this.#rows.length;
  }

  slotOf(id: string): number | undefined {
    return this.#slots.get(id);
  }

  /** The listing in a slot that is in use. */
  at(slot: number): Row {
    return this.#rows[slot] as Row;
  }

  /** The listing in a slot, if it is in use. */
  findAt(slot: number): Row | undefined {
    return this.#rows[slot];
  }

  find(id: string): Row | undefined {
    const slot = this.#slots.get(id);
    return slot === undefined ? undefined : this.#rows[slot];
  }

  /** Stores a new listing and returns its slot. */
  insert(row: Row): number {
    const slot = this.#free.pop() ?? this.#rows.length;
    this.#slots.set(row.id, slot);
    this.#rows[slot] = row;
    return slot;
  }

  /** Stores a newer state of the listing in a slot. */
  replace(slot: number, row: Row): void {
    this.#rows[slot] = row;
  }

  /** Frees the slot of a listing. */
  remove(slot: number): void {
    this.#slots.delete(this.at(slot).id);
    this.#rows[slot] = undefined;
    this.#free.push(slot);
  }

  /** The slots in use, ascending. */
  *slots(): IterableIterator<number> {
    for (let slot = 0; slot < this.#rows.length; slot += 1) if (this.#rows[slot]) yield slot;
  }
}
