import { Postings } from './id-set.ts';
import type { ListingIndex } from './listing-index.ts';
import type { Row } from './row.ts';

const NONE: readonly string[] = [];

/** The properties that filters select by, with the values of a listing. Without spheres, which depend on the categories. */
const attributes = {
  /** The status, unless it is deleted. */
  present: (row: Row): readonly string[] => (row.deletedAt === null ? [row.status] : NONE),
  /** The status, if it is deleted. */
  deleted: (row: Row): readonly string[] => (row.deletedAt === null ? NONE : [row.status]),
  pricing: (row: Row): readonly string[] => [row.pricing],
  /** User ids. */
  owner: (row: Row): readonly string[] => [row.owner],
  /** Slugs, also of categories that do not exist. */
  category: (row: Row): readonly string[] => row.categories,
  /** Not folded. */
  tag: (row: Row): readonly string[] => row.tags,
} as const;

export type AttributeName = keyof typeof attributes;

/** The listings by value of an attribute. */
export class AttributeIndex implements ListingIndex {
  readonly postings = new Postings();
  readonly #valuesOf: (row: Row) => readonly string[];

  constructor(name: AttributeName) {
    this.#valuesOf = attributes[name];
  }

  isAffected(before: Row, after: Row): boolean {
    return before.version !== after.version;
  }

  insert(slot: number, row: Row): void {
    for (const value of this.#valuesOf(row)) this.postings.add(value, slot);
  }

  remove(slot: number, row: Row): void {
    for (const value of this.#valuesOf(row)) this.postings.delete(value, slot);
  }
}
