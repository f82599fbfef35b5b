import { IdSet } from './id-set.ts';

/** Pairs of ASCII have a key each; all other pairs share as many more, so that the keys index a plain array. */
const ASCII = 128;
const ASCII_PAIRS = ASCII * ASCII;

/** Stands after a single unit in place of a second one; no text contains it. */
const NOTHING = 0;

/** How many listings share a word of a bitmap. */
const BLOCK = 32;

/** Finds the listings whose text contains a given one or two UTF-16 units: so many do that each has a list of its own. */
export class ShortTexts {
  readonly #listings: (IdSet | undefined)[] = new Array(2 * ASCII_PAIRS).fill(undefined);

  /**
   * What is noted and not yet taken in: by key, which listings of one block of slots have it, a bit each; and the keys that any has.
   * A text has hundreds of keys, so a set is looked for once per block instead of once per text.
   */
  readonly #noted = new Int32Array(2 * ASCII_PAIRS);
  readonly #keys: number[] = [];
  #block = 0;

  /** Notes all units and pairs of a text, given as its units; `settle` has to follow before the next question. */
  note(units: Uint16Array, length: number, slot: number): void {
    const block = Math.floor(slot / BLOCK);
    if (block !== this.#block) this.settle();
    this.#block = block;
    const bit = 1 << (slot % BLOCK);
    const noted = this.#noted;
    let before = NOTHING;
    for (let i = 0; i < length; i += 1) {
      const unit = units[i] ?? 0;
      const pair = keyOf(before, unit);
      before = unit;
      const others = noted[pair] ?? 0;
      // Whoever has noted a pair has noted its units. The first unit, which has none before it, is one half of a pair with nothing.
      if ((others & bit) !== 0 && i > 0) continue;
      if (i > 0) this.#noteKey(pair, others, bit);
      const single = keyOf(unit, NOTHING);
      this.#noteKey(single, noted[single] ?? 0, bit);
    }
  }

  /** Takes in what was noted. */
  settle(): void {
    for (const key of this.#keys) {
      const listings = this.#listings[key] ?? new IdSet();
      this.#listings[key] = listings;
      listings.addWord(this.#block, this.#noted[key] ?? 0);
      this.#noted[key] = 0;
    }
    this.#keys.length = 0;
  }

  /** Forgets all units and pairs of a text, given as its units. */
  delete(units: Uint16Array, length: number, slot: number): void {
    this.note(units, length, slot);
    for (const key of this.#keys) {
      this.#listings[key]?.delete(slot);
      this.#noted[key] = 0;
    }
    this.#keys.length = 0;
  }

  /** The slots of the listings with a text of one or two units; beyond ASCII possibly of some others too. */
  get(text: string): IdSet | undefined {
    return this.#listings[keyOfText(text)];
  }

  /** Whether `get` answers for this text without any others. */
  isExact(text: string): boolean {
    return keyOfText(text) < ASCII_PAIRS;
  }

  #noteKey(key: number, others: number, bit: number): void {
    if (others === 0) this.#keys.push(key);
    this.#noted[key] = others | bit;
  }
}

const keyOf = (first: number, second: number): number =>
  first < ASCII && second < ASCII
    ? first * ASCII + second
    : ASCII_PAIRS + ((Math.imul(first, 31) + second) & (ASCII_PAIRS - 1));

const keyOfText = (text: string): number => keyOf(text.charCodeAt(0), text.length > 1 ? text.charCodeAt(1) : NOTHING);
