import type { ListingIndex } from './listing-index.ts';
import { hasWaitingEdit } from './packed-texts.ts';
import type { Row } from './row.ts';

/** The number of edits that wait for approval, and of open reports, of all listings. */
export class WaitingWork implements ListingIndex {
  #edits = 0;
  #reports = 0;

  get edits(): number {
    return this.#edits;
  }

  get reports(): number {
    return this.#reports;
  }

  isAffected(before: Row, after: Row): boolean {
    return before.version !== after.version || before.counts.reports_open !== after.counts.reports_open;
  }

  insert(_slot: number, row: Row): void {
    this.#add(row, 1);
  }

  remove(_slot: number, row: Row): void {
    this.#add(row, -1);
  }

  #add({ texts, counts }: Row, sign: 1 | -1): void {
    if (hasWaitingEdit(texts)) this.#edits += sign;
    // Below zero where reports of an earlier version, which are not counted until the next recount, were resolved.
    this.#reports += sign * Math.max(0, counts.reports_open);
  }
}
