import type { Row } from './row.ts';

/** An index over the listings, updated one listing at a time. */
export interface ListingIndex {
  /** Whether two states of one listing differ in a field that is indexed. */
  isAffected(before: Row, after: Row): boolean;
  /** Adds a listing, which must not be indexed yet. */
  insert(slot: number, row: Row): void;
  /** Removes a listing, given in its indexed state. */
  remove(slot: number, row: Row): void;
}
