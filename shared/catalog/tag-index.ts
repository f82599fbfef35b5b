import { tagKey } from '#contract/tags.ts';
import { byCount } from './filters.ts';
import { Postings } from './postings.ts';
import type { ListingIndex, Row } from './rows.ts';
import type { FacetCount } from './types.ts';

/** The listings by tag as it is written, and the spellings of each tag. */
export class TagIndex implements ListingIndex {
  readonly postings = new Postings();
  /** By `tagKey`, the spellings in use: a set where there are several, which is rare. */
  readonly #spellings = new Map<string, string | Set<string>>();
  /** By spelling, the key of the tags that have several. */
  readonly #keysOfVariants = new Map<string, string>();

  isAffected(before: Row, after: Row): boolean {
    return before.version !== after.version;
  }

  insert(slot: number, row: Row): void {
    for (const tag of row.tags) {
      if (!this.postings.get(tag)) this.#addSpelling(tagKey(tag), tag);
      this.postings.add(tag, slot);
    }
  }

  remove(slot: number, row: Row): void {
    for (const tag of row.tags) {
      this.postings.delete(tag, slot);
      if (!this.postings.get(tag)) this.#deleteSpelling(tagKey(tag), tag);
    }
  }

  /** Every spelling of a tag that a listing has. */
  spellingsOf(tag: string): readonly string[] {
    const spellings = this.#spellings.get(tagKey(tag)) ?? [];
    return typeof spellings === 'string' ? [spellings] : [...spellings];
  }

  /**
   * Counts by tag, each in its most frequent spelling.
   * @param counts by spelling, the most frequent first. A listing has one spelling of a tag.
   */
  merged(counts: readonly FacetCount[]): readonly FacetCount[] {
    if (this.#keysOfVariants.size === 0) return counts;
    const byKey = new Map<string, FacetCount>();
    const others = counts.filter(({ value, count }) => {
      const key = this.#keysOfVariants.get(value);
      if (key === undefined) return true;
      const more = byKey.get(key);
      byKey.set(key, more ? { value: more.value, count: more.count + count } : { value, count });
      return false;
    });
    return byKey.size === 0 ? counts : [...others, ...byKey.values()].sort(byCount);
  }

  #addSpelling(key: string, tag: string): void {
    const others = this.#spellings.get(key);
    if (others === undefined) {
      this.#spellings.set(key, tag);
      return;
    }
    if (typeof others === 'string') {
      this.#spellings.set(key, new Set([others, tag]));
      this.#keysOfVariants.set(others, key);
    } else {
      others.add(tag);
    }
    this.#keysOfVariants.set(tag, key);
  }

  #deleteSpelling(key: string, tag: string): void {
    const spellings = this.#spellings.get(key);
    if (spellings === undefined || typeof spellings === 'string') {
      this.#spellings.delete(key);
      return;
    }
    spellings.delete(tag);
    this.#keysOfVariants.delete(tag);
    if (spellings.size > 1) return;
    for (const last of spellings) {
      this.#spellings.set(key, last);
      this.#keysOfVariants.delete(last);
    }
  }
}
