import type { CatalogEntry } from '#catalog/types.ts';
import type { Fragment } from '#model/fragment.ts';

/** The objects around the text of a fragment: fragment, digest, entry and their places in the map. */
const OVERHEAD_BYTES = 250;

/** V8 stores two bytes per character when one of them is not in Latin-1. */
const bytesOf = ({ text }: Fragment): number => OVERHEAD_BYTES + text.length * (/[^\0-\xff]/.test(text) ? 2 : 1);

/** The share of the memory that remains in use when it is full. Each start of a removal walks over the places of what was removed. */
const REMAINING_SHARE = 7 / 8;

interface Kept<T extends object> {
  readonly fragment: Fragment<T>;
  readonly bytes: number;
  /** Whether it was used since it was added or last spared. */
  isUsed: boolean;
}

/**
 * Fragments of the catalog's entries. They are kept by the identity of the entry, which changes with its content, so a
 * fragment never outlives the version that it was made from. When the memory is full, the oldest are removed; those that
 * were used in the meantime get a second chance.
 */
export class EntryFragments<T extends object> {
  readonly #make: (entry: CatalogEntry) => Fragment<T>;
  readonly #bytesMax: number;
  /** In the order of removal. */
  readonly #kept = new Map<CatalogEntry, Kept<T>>();
  #bytes = 0;

  /** @param bytesMax of the memory that the fragments take, approximately. */
  constructor(make: (entry: CatalogEntry) => Fragment<T>, bytesMax: number) {
    this.#make = make;
    this.#bytesMax = bytesMax;
  }

  of(entry: CatalogEntry): Fragment<T> {
    const known = this.#kept.get(entry);
    if (known) {
      known.isUsed = true;
      return known.fragment;
    }
    const fragment = this.#make(entry);
    const bytes = bytesOf(fragment);
    this.#kept.set(entry, { fragment, bytes, isUsed: false });
    this.#bytes += bytes;
    if (this.#bytes > this.#bytesMax) this.#removeOldest();
    return fragment;
  }

  #removeOldest(): void {
    for (const [entry, kept] of this.#kept) {
      if (this.#bytes <= this.#bytesMax * REMAINING_SHARE) return;
      this.#kept.delete(entry);
      if (kept.isUsed) {
        kept.isUsed = false;
        this.#kept.set(entry, kept);
      } else {
        this.#bytes -= kept.bytes;
      }
    }
  }
}
