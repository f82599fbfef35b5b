import { checkoutDraftKey, ledgerPartition, ledgerPrefix, openCheckoutsPartition, ownerPartition } from './keys.ts';
import { collectionPages, findItem, type Item } from './read.ts';

/** Everything that is stored about somebody beside his record, as it is stored but for what only places it. */

const PLACING = new Set(['pk', 'sk', 'feed_pk', 'feed_sk', 'collection_pk', 'collection_sk', 'type', 'ttl', 'version']);

const content = (item: Item): Item => Object.fromEntries(Object.entries(item).filter(([name]) => !PLACING.has(name)));

/** Kinds of things with the name of their list. A kind that is not among them gets its own name with an `s`. */
const LISTS: Readonly<Record<string, string>> = {
  project: 'projects',
  vote: 'votes',
  rating: 'ratings',
  comment: 'comments',
  report: 'reports',
  promotion: 'promotions',
  ledgerEntry: 'payments',
  checkout: 'checkouts',
};

/** Some things of one kind, in the order in which they are stored. Things of a kind come together. */
export interface ExportedPart {
  readonly list: string;
  readonly items: readonly Item[];
}

const listOf = (item: Item): string => LISTS[String(item.type)] ?? `${String(item.type)}s`;

/** Parts of a page, one for each run of things of the same kind. */
function* partsOf(items: readonly Item[]): Generator<ExportedPart> {
  for (const [list, some] of Map.groupBy(items, listOf)) yield { list, items: some.map(content) };
}

/** A checkout that nobody has paid yet, with what was submitted with it. */
const withDraft = async (checkout: Item): Promise<Item> => {
  const draft = await findItem(checkoutDraftKey(String(checkout.id)));
  return draft ? { ...checkout, submission: draft.submission } : checkout;
};

/** Walks what belongs to a user, kind by kind, a page at a time. */
export async function* belongingsOf(userId: string): AsyncGenerator<ExportedPart> {
  // There are never many that nobody has paid yet, whosever they are: they close after a day. Those that have come to an
  // end are the first of the user's collection, so all of them come together.
  for await (const items of collectionPages({ partition: openCheckoutsPartition, index: 'collection' })) {
    const own = items.filter((item) => item.user_id === userId);
    yield* partsOf(await Promise.all(own.map(withDraft)));
  }
  for await (const items of collectionPages({ partition: ownerPartition(userId), index: 'collection' })) {
    yield* partsOf(items);
  }
  for await (const items of collectionPages({ partition: ledgerPartition(userId), prefix: ledgerPrefix })) {
    yield* partsOf(items);
  }
}

/** The lists that an export has in any case, in the order of their names. */
export const exportedLists: readonly string[] = Object.values(LISTS).toSorted();
