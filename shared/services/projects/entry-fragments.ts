import type { CatalogEntry } from '#catalog/types.ts';
import type { Fragment } from '#model/fragment.ts';

/** The objects around the text of a fragment: fragment, digest, entry and their places in the map. */
const OVERHEAD_BYTES = 250;

/** V8 stores two bytes per character when one of them is not in Latin-1. */
const bytesOf = ({ text }: Fragment): number => OVERHEAD_BYTES + text.length * (/[^\0-\xff]/.test(text) ? 2 : 1);

interface Kept<T extends object> {
  readonly entry: CatalogEntry;
  readonly fragment: Fragment<T>;
  readonly bytes: number;
  /** Whether it was used since it was added or last spared. */
  isUsed: boolean;
}

/**
 * Fragments of the catalog's entries. They are kept by the identity of the entry, which changes with its content, so a
 * fragment never outlives the version that it was made from. When the memory is full, they are replaced by the CLOCK
 * algorithm: the oldest first, except those that were used since their last turn.
 */
export class EntryFragments<T extends object> {
  readonly #make: (entry: CatalogEntry) => Fragment<T>;
  readonly #bytesMax: number;
  readonly #byEntry = new Map<CatalogEntry, Kept<T>>();
  /** The same, as a ring with free places. */
  readonly #ring: (Kept<T> | undefined)[] = [];
  readonly #freePlaces: number[] = [];
  /** The place in the ring whose turn is next. */
  #hand = 0;
  #bytes = 0;

  /** @param bytesMax of the memory that the fragments take, approximately. */
  constructor(make: (entry: CatalogEntry) => Fragment<T>, bytesMax: number) {
    this.#make = make;
    this.#bytesMax = bytesMax;
  }

  of(entry: CatalogEntry): Fragment<T> {
    const known = this.#byEntry.get(entry);
    if (known) {
      known.isUsed = true;
      return known.fragment;
    }
    const fragment = this.#make(entry);
    const kept = { entry, fragment, bytes: bytesOf(fragment), isUsed: false };
    this.#bytes += kept.bytes;
    while (this.#bytes > this.#bytesMax && this.#byEntry.size > 0) this.#takeTurn();
    this.#byEntry.set(entry, kept);
    this.#ring[this.#freePlaces.pop() ?? this.#ring.length] = kept;
    return fragment;
  }

  /** Spares or removes the fragment whose turn it is. */
  #takeTurn(): void {
    const place = this.#hand;
    this.#hand = (place + 1) % this.#ring.length;
    const kept = this.#ring[place];
    if (kept?.isUsed) {
      kept.isUsed = false;
    } else if (kept) {
      this.#byEntry.delete(kept.entry);
      this.#bytes -= kept.bytes;
      this.#ring[place] = undefined;
      this.#freePlaces.push(place);
    }
  }
}
