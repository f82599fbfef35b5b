import {
  checkoutDraftKey,
  ledgerPartition,
  ledgerPrefix,
  openCheckoutsPartition,
  ownerPartition,
  reportKey,
} from './keys.ts';
import { findMailStop } from './mail-stops.ts';
import { collectionPages, findItem, findItems, type Item } from './read.ts';
import { findUser } from './users.ts';

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

/** A page of somebody's things: his reports stand with their projects, and among his things is only what leads there. */
const followed = async (items: readonly Item[]): Promise<Item[]> => {
  const pointers = items.filter((item) => item.type === 'reportId');
  const keys = pointers.map((item) => reportKey(String(item.project_id), String(item.user_id)));
  const reports = new Map((await findItems(keys)).map((report, position) => [pointers[position], report]));
  return items.flatMap((item) =>
    item.type === 'reportId' ? [reports.get(item)].filter((one) => one !== undefined) : [item],
  );
};

/** That his address takes no mail stands under the address, which is in his record. */
const mailStopsOf = async (userId: string): Promise<ExportedPart> => {
  const address = (await findUser(userId))?.email;
  const stop = address && (await findMailStop(address));
  return { list: 'mail_stops', items: stop ? [{ ...stop }] : [] };
};

/** Walks what belongs to a user, kind by kind, a page at a time. */
export async function* belongingsOf(userId: string): AsyncGenerator<ExportedPart> {
  yield await mailStopsOf(userId);
  // There are never many that nobody has paid yet, whosever they are: they close after a day. Those that have come to an
  // end are the first of the user's collection, so all of them come together.
  for await (const items of collectionPages({ partition: openCheckoutsPartition, index: 'collection' })) {
    const own = items.filter((item) => item.user_id === userId);
    yield* partsOf(await Promise.all(own.map(withDraft)));
  }
  for await (const items of collectionPages({ partition: ownerPartition(userId), index: 'collection' })) {
    yield* partsOf(await followed(items));
  }
  for await (const items of collectionPages({ partition: ledgerPartition(userId), prefix: ledgerPrefix })) {
    yield* partsOf(items);
  }
}

/** The lists that an export has in any case, in the order of their names. */
export const exportedLists: readonly string[] = Object.values(LISTS).toSorted();
