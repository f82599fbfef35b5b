import type { Row } from './row.ts';

/** Something that is kept up to date with the listings, one at a time. */
export interface ListingIndex {
  /** Whether the two states of one listing differ in what this index looks at. */
  concerns(before: Row, after: Row): boolean;
  /** Takes in a listing that it does not have. */
  insert(slot: number, row: Row): void;
  /** Forgets a listing, given in the state in which it was taken in. */
  remove(slot: number, row: Row): void;
}
