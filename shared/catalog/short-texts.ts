import { IdSet } from './id-set.ts';

/** Pairs of ASCII have a key each; all other pairs share as many more, so that the keys index a plain array. */
const ASCII = 128;
const ASCII_PAIRS = ASCII * ASCII;

/** Stands after a single unit in place of a second one; no text contains it. */
const NOTHING = 0;

/** Finds the listings whose text contains a given one or two UTF-16 units: so many do that each has a list of its own. */
export class ShortTexts {
  readonly #listings: (IdSet | undefined)[] = new Array(2 * ASCII_PAIRS).fill(undefined);

  /** By key, the last text that had it, counted from 1: a text has the same few pairs again and again. */
  readonly #seen = new Int32Array(2 * ASCII_PAIRS);
  #texts = 0;

  /** Takes in all units and pairs of a text, given as its units. */
  add(units: Uint16Array, length: number, slot: number): void {
    this.#forEachKey(units, length, (key) => {
      const listings = this.#listings[key] ?? new IdSet();
      this.#listings[key] = listings;
      listings.add(slot);
    });
  }

  /** Forgets all units and pairs of a text, given as its units. */
  delete(units: Uint16Array, length: number, slot: number): void {
    this.#forEachKey(units, length, (key) => this.#listings[key]?.delete(slot));
  }

  /** The slots of the listings with a text of one or two units; beyond ASCII possibly of some others too. */
  get(text: string): IdSet | undefined {
    return this.#listings[keyOfText(text)];
  }

  /** Whether `get` answers for this text without any others. */
  isExact(text: string): boolean {
    return keyOfText(text) < ASCII_PAIRS;
  }

  /** Visits each key of a text once. */
  #forEachKey(units: Uint16Array, length: number, visit: (key: number) => void): void {
    const seen = this.#seen;
    this.#texts += 1;
    const now = this.#texts;
    let before = NOTHING;
    for (let i = 0; i < length; i += 1) {
      const unit = units[i] ?? 0;
      const pair = keyOf(before, unit);
      before = unit;
      if (i > 0) {
        // Whoever has seen a pair has seen its units.
        if (seen[pair] === now) continue;
        seen[pair] = now;
        visit(pair);
      }
      const single = keyOf(unit, NOTHING);
      if (seen[single] === now) continue;
      seen[single] = now;
      visit(single);
    }
  }
}

const keyOf = (first: number, second: number): number =>
  first < ASCII && second < ASCII
    ? first * ASCII + second
    : ASCII_PAIRS + ((Math.imul(first, 31) + second) & (ASCII_PAIRS - 1));

const keyOfText = (text: string): number => keyOf(text.charCodeAt(0), text.length > 1 ? text.charCodeAt(1) : NOTHING);
