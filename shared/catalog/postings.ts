import { Bitmap } from './bitmap.ts';
import { IdSet } from './id-set.ts';

/** For each value, the slots of the listings that have it. Values that nothing has any more are forgotten. */
export class Postings<Value extends string | number> {
  readonly #sets = new Map<Value, IdSet>();

  add(value: Value, slot: number): void {
    let set = this.#sets.get(value);
    if (!set) {
      set = new IdSet();
      this.#sets.set(value, set);
    }
    set.add(slot);
  }

  delete(value: Value, slot: number): void {
    const set = this.#sets.get(value);
    if (!set) return;
    set.delete(slot);
    if (set.size === 0) this.#sets.delete(value);
  }

  get(value: Value): IdSet | undefined {
    return this.#sets.get(value);
  }

  /** The slots that have any of the values, with room for `capacity` of them. */
  anyOf(values: Iterable<Value>, capacity = 0): Bitmap {
    const slots = new Bitmap(capacity);
    for (const value of values) this.#sets.get(value)?.addTo(slots);
    return slots;
  }

  /** For each value that anything has, how many of the slots have it. */
  *countsIn(slots: Bitmap): IterableIterator<readonly [Value, number]> {
    for (const [value, set] of this.#sets) yield [value, set.countIn(slots)];
  }
}
