import type { CatalogEntry } from '#catalog/types.ts';
import type { Fragment } from '#model/fragment.ts';

/** The objects around the text of a fragment: fragment, digest, entry and their places in maps. */
const OVERHEAD_BYTES = 250;

/** V8 stores two bytes per character when one of them is not in Latin-1. */
const bytesOf = ({ text }: Fragment): number => OVERHEAD_BYTES + text.length * (/[^\0-\xff]/.test(text) ? 2 : 1);

/**
 * Fragments of the catalog's entries. They are kept by the identity of the entry, which changes with its content, so a
 * fragment never outlives the version that it was made from.
 */
export class EntryFragments<T extends object> {
  readonly #make: (entry: CatalogEntry) => Fragment<T>;
  readonly #generationBytesMax: number;
  #bytes = 0;
  // Two generations approximate the order of use: what is used moves to the young one, the old one is discarded whole.
  #young = new Map<CatalogEntry, Fragment<T>>();
  #old = new Map<CatalogEntry, Fragment<T>>();

  /** @param bytesMax of the memory that the fragments take, approximately. */
  constructor(make: (entry: CatalogEntry) => Fragment<T>, bytesMax: number) {
    this.#make = make;
    this.#generationBytesMax = bytesMax / 2;
  }

  of(entry: CatalogEntry): Fragment<T> {
    const known = this.#young.get(entry);
    if (known) return known;
    const fragment = this.#old.get(entry) ?? this.#make(entry);
    this.#young.set(entry, fragment);
    this.#bytes += bytesOf(fragment);
    if (this.#bytes > this.#generationBytesMax) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#bytes = 0;
    }
    return fragment;
  }
}
