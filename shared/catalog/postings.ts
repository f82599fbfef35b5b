import type { Bitmap } from './bitmap.ts';
import { IdSet } from './id-set.ts';

/** For each value, the slots of the listings that have it. A value is forgotten when its last listing is gone. */
export class Postings<Value extends string | number> {
  readonly #sets = new Map<Value, IdSet>();
  /** By value; undefined when one has come or gone since. */
  #sorted: (readonly [Value, IdSet])[] | undefined;

  /** Notes that the listing in a slot has the value. */
  add(value: Value, slot: number): void {
    let set = this.#sets.get(value);
    if (!set) {
      set = new IdSet();
      this.#sets.set(value, set);
      this.#sorted = undefined;
    }
    set.add(slot);
  }

  /** Notes that the listing in a slot does not have the value any more. */
  delete(value: Value, slot: number): void {
    const set = this.#sets.get(value);
    if (!set) return;
    set.delete(slot);
    if (set.size > 0) return;
    this.#sets.delete(value);
    this.#sorted = undefined;
  }

  /** The slots that have the value. */
  get(value: Value): IdSet | undefined {
    return this.#sets.get(value);
  }

  /** Adds the slots that have any of the values to a bitmap, which it answers. */
  addAnyOf(values: Iterable<Value>, slots: Bitmap): Bitmap {
    for (const value of values) this.#sets.get(value)?.addTo(slots);
    return slots;
  }

  /** For each value that any of the slots has, in the order of the values, how many have it. */
  countsIn(slots: Bitmap): { value: Value; count: number }[] {
    this.#sorted ??= [...this.#sets].sort(([a], [b]) => (a < b ? -1 : 1));
    const counts: { value: Value; count: number }[] = [];
    for (const [value, set] of this.#sorted) {
      const count = set.countIn(slots);
      if (count > 0) counts.push({ value, count });
    }
    return counts;
  }
}
