import { canonicalHost, canonicalUrl } from '#model/canonical-url.ts';
import { Postings } from './id-set.ts';
import type { ListingIndex } from './listing-index.ts';
import type { Row } from './row.ts';
import type { Rows } from './rows.ts';

/**
 * Finds listings by canonical URL. Indexed by host, which is cheap to extract; the canonical URL is expensive, so it is
 * computed only for listings on a requested host.
 */
export class UrlIndex implements ListingIndex {
  readonly #rows: Rows;
  readonly #hosts = new Postings();
  readonly #canonical: (string | undefined)[] = [];

  constructor(rows: Rows) {
    this.#rows = rows;
  }

  isAffected(before: Row, after: Row): boolean {
    return before.version !== after.version && before.unpacked().url !== after.unpacked().url;
  }

  insert(slot: number, row: Row): void {
    this.#hosts.add(canonicalHost(row.unpacked().url), slot);
  }

  remove(slot: number, row: Row): void {
    this.#hosts.delete(canonicalHost(row.unpacked().url), slot);
    this.#canonical[slot] = undefined;
  }

  /** The slots of the first listings on a host, as `canonicalHost` returns it, at most `max`. */
  onHost(host: string, max: number): readonly number[] {
    const found: number[] = [];
    this.#hosts.get(host)?.forEach((slot) => {
      if (found.length < max) found.push(slot);
    });
    return found;
  }

  /** The slots of the listings with the same canonical URL. */
  same(url: string): number[] {
    const canonical = canonicalUrl(url);
    const found: number[] = [];
    this.#hosts.get(canonicalHost(url))?.forEach((slot) => {
      const other = this.#canonical[slot] ?? canonicalUrl(this.#rows.at(slot).unpacked().url);
      this.#canonical[slot] = other;
      if (other === canonical) found.push(slot);
    });
    return found;
  }
}
