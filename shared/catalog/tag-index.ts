import { tagKey } from '#contract/tags.ts';
import { byCount } from './filters.ts';
import { Postings } from './postings.ts';
import type { ListingIndex, Row } from './rows.ts';
import type { FacetCount } from './types.ts';

/** The listings by tag as it is written, and the spellings of each tag. */
export class TagIndex implements ListingIndex {
  readonly postings = new Postings();
  /** By `tagKey`, the spellings in use. */
  readonly #spellings = new Map<string, readonly string[]>();
  /** By spelling, the key of the tags that have several. */
  readonly #keysOfVariants = new Map<string, string>();

  isAffected(before: Row, after: Row): boolean {
    return before.version !== after.version;
  }

  insert(slot: number, row: Row): void {
    for (const tag of row.tags) {
      if (!this.postings.get(tag)) this.#setSpellings(tagKey(tag), [...this.spellingsOf(tag), tag]);
      this.postings.add(tag, slot);
    }
  }

  remove(slot: number, row: Row): void {
    for (const tag of row.tags) {
      this.postings.delete(tag, slot);
      if (this.postings.get(tag)) continue;
      this.#keysOfVariants.delete(tag);
      this.#setSpellings(
        tagKey(tag),
        this.spellingsOf(tag).filter((spelling) => spelling !== tag),
      );
    }
  }

  /** Every spelling of a tag that a listing has. */
  spellingsOf(tag: string): readonly string[] {
    return this.#spellings.get(tagKey(tag)) ?? [];
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

  #setSpellings(key: string, spellings: readonly string[]): void {
    if (spellings.length === 0) this.#spellings.delete(key);
    else this.#spellings.set(key, spellings);
    for (const spelling of spellings) {
      if (spellings.length > 1) this.#keysOfVariants.set(spelling, key);
      else this.#keysOfVariants.delete(spelling);
    }
  }
}
