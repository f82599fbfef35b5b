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

  /** Takes in all units and pairs of a text. */
  add(text: string, slot: number): void {
    this.#texts += 1;
    for (let i = 0; i < text.length; i += 1) {
      this.#addKey(keyOf(text.charCodeAt(i), NOTHING), slot);
      if (i > 0) this.#addKey(keyOf(text.charCodeAt(i - 1), text.charCodeAt(i)), slot);
    }
  }

  /** Forgets all units and pairs of a text. */
  delete(text: string, slot: number): void {
    for (let i = 0; i < text.length; i += 1) {
      this.#listings[keyOf(text.charCodeAt(i), NOTHING)]?.delete(slot);
      if (i > 0) this.#listings[keyOf(text.charCodeAt(i - 1), text.charCodeAt(i))]?.delete(slot);
    }
  }

  /** The slots of the listings with a text of one or two units; beyond ASCII possibly of some others too. */
  get(text: string): IdSet | undefined {
    return this.#listings[keyOfText(text)];
  }

  /** Whether `get` answers for this text without any others. */
  isExact(text: string): boolean {
    return keyOfText(text) < ASCII_PAIRS;
  }

  #addKey(key: number, slot: number): void {
    if (this.#seen[key] === this.#texts) return;
    this.#seen[key] = this.#texts;
    let listings = this.#listings[key];
    if (!listings) {
      listings = new IdSet();
      this.#listings[key] = listings;
    }
    listings.add(slot);
  }
}

const keyOf = (first: number, second: number): number =>
  first < ASCII && second < ASCII
    ? first * ASCII + second
    : ASCII_PAIRS + ((Math.imul(first, 31) + second) & (ASCII_PAIRS - 1));

const keyOfText = (text: string): number => keyOf(text.charCodeAt(0), text.length > 1 ? text.charCodeAt(1) : NOTHING);
