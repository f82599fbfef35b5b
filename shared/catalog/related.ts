import type { Listings } from './listings.ts';
import type { IdSet } from './postings.ts';
import type { Row } from './rows.ts';
import { slotsInScope } from './selection.ts';
import type { RelatedQuery } from './types.ts';

interface Candidate {
  readonly slot: number;
  readonly row: Row;
  /** Shared tags count more than all categories together. */
  readonly shared: number;
}

/** More than the categories of a listing. */
const TAG = 256;

/** Negative when `a` comes first. */
const compare = (a: Candidate, b: Candidate): number =>
  b.shared - a.shared || b.row.upvotes - a.row.upvotes || (a.row.id > b.row.id ? -1 : 1);

/**
 * The slots of other live listings that share a tag or a category: most shared tags first, then most shared categories, most
 * upvotes, greatest id. Takes time in proportion to the listings with one of them.
 */
export const relatedSlots = (listings: Listings, { id, tags, categories }: RelatedQuery, max: number): number[] => {
  const { rows } = listings;
  listings.beginQuery();
  const live = slotsInScope(listings, { status: 'live', deleted: 'excluded' });
  const own = rows.slotOf(id);
  if (own !== undefined) live.delete(own);
  const shared = new Uint16Array(rows.capacity);
  const sharing = listings.emptyBitmap();
  const add = (set: IdSet | undefined, weight: number): void => {
    set?.forEach((slot) => {
      shared[slot] = (shared[slot] ?? 0) + weight;
    });
    set?.addTo(sharing);
  };
  const spellings = tags.flatMap((tag) => listings.tags().spellingsOf(tag));
  for (const tag of new Set(spellings)) add(listings.attribute('tag').get(tag), TAG);
  for (const slug of new Set(categories)) add(listings.attribute('category').get(slug), 1);
  sharing.and(live);

  const first: Candidate[] = [];
  sharing.forEach((slot) => {
    const candidate = { slot, row: rows.at(slot), shared: shared[slot] ?? 0 };
    const last = first[max - 1];
    if (last && compare(candidate, last) > 0) return;
    const before = first.findIndex((one) => compare(candidate, one) < 0);
    first.splice(before < 0 ? first.length : before, 0, candidate);
    if (first.length > max) first.pop();
  });
  return first.map(({ slot }) => slot);
};
