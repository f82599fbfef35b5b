import { canonicalHost, canonicalUrl } from '#domain/projects/canonical-url.ts';
import type { ListingIndex } from './listing-index.ts';
import { Postings } from './postings.ts';
import type { Row } from './row.ts';
import type { Rows } from './rows.ts';

/**
 * Finds listings by the canonical form of their address. Kept by host, because the host is cheap to tell and the canonical form
 * is not; that is worked out only for listings whose host is asked for.
 */
export class UrlIndex implements ListingIndex {
  readonly #rows: Rows;
  readonly #hosts = new Postings<string>();
  readonly #canonical: (string | undefined)[] = [];

  constructor(rows: Rows) {
    this.#rows = rows;
  }

  concerns(before: Row, after: Row): boolean {
    return before.version !== after.version && before.unpacked().url !== after.unpacked().url;
  }

  insert(slot: number, row: Row): void {
    this.#hosts.add(canonicalHost(row.unpacked().url), slot);
  }

  remove(slot: number, row: Row): void {
    this.#hosts.delete(canonicalHost(row.unpacked().url), slot);
    this.#canonical[slot] = undefined;
  }

  /** The slots of the listings with the same canonical address. */
  same(url: string): number[] {
    const canonical = canonicalUrl(url);
    const found: number[] = [];
    this.#hosts.get(canonicalHost(url))?.forEach((slot) => {
      const theirs = this.#canonical[slot] ?? canonicalUrl(this.#rows.at(slot).unpacked().url);
      this.#canonical[slot] = theirs;
      if (theirs === canonical) found.push(slot);
    });
    return found;
  }
}
