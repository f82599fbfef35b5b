import {
  auditPrefix,
  checkoutDraftKey,
  eventPrefix,
  ledgerPartition,
  ledgerPrefix,
  openCheckoutsPartition,
  ownerPartition,
  reportKey,
} from './keys.ts';
import { findSuppression } from './mail-suppression.ts';
import { mentionPages } from './mentions.ts';
import { collectionPages, findItem, findItems, type Item } from './read.ts';
import { revisionPagesBy } from './revisions.ts';
import { findUser } from './users.ts';

/** Attributes that exist for storage only; exported items do not contain them. */
const STORAGE_ATTRIBUTES = new Set([
  'pk',
  'sk',
  'feed_pk',
  'feed_sk',
  'collection_pk',
  'collection_sk',
  'type',
  'ttl',
  'version',
  'mentions_stored',
]);

const content = (item: Item): Item =>
  Object.fromEntries(Object.entries(item).filter(([name]) => !STORAGE_ATTRIBUTES.has(name)));

/** List names by item type. The list of any other type is its name with an `s`. */
const LISTS: Readonly<Record<string, string>> = {
  project: 'projects',
  vote: 'votes',
  rating: 'ratings',
  comment: 'comments',
  report: 'reports',
  revision: 'revisions',
  promotion: 'promotions',
  ledgerEntry: 'payments',
  checkout: 'checkouts',
  event: 'events',
  audit: 'audit_log',
};

/** The lists that every export contains, empty ones too, in alphabetical order. */
export const exportedLists: readonly string[] = Object.values(LISTS).toSorted();

/** Exported items of one list, in storage order. */
interface ExportedPart {
  readonly list: string;
  readonly items: readonly Item[];
}

const listOf = (item: Item): string => LISTS[String(item.type)] ?? `${String(item.type)}s`;

function* partsOf(items: readonly Item[]): Generator<ExportedPart> {
  for (const [list, some] of Map.groupBy(items, listOf)) yield { list, items: some.map(content) };
}

/** An open checkout with its submission draft. */
const withDraft = async (checkout: Item): Promise<Item> => {
  const draft = await findItem(checkoutDraftKey(String(checkout.id)));
  return draft ? { ...checkout, submission: draft.submission } : checkout;
};

/** Replaces pointers to reports by the reports, which are stored with their projects. */
const resolveReports = async (items: readonly Item[]): Promise<Item[]> => {
  const pointers = items.filter((item) => item.type === 'reportId');
  const keys = pointers.map((item) => reportKey(String(item.project_id), String(item.user_id)));
  const reports = new Map((await findItems(keys)).map((report, index) => [pointers[index], report]));
  return items.flatMap((item) =>
    item.type === 'reportId' ? [reports.get(item)].filter((one) => one !== undefined) : [item],
  );
};

/** The mail suppression of the user's address; it is stored under the address. */
const mailStops = async (userId: string): Promise<ExportedPart> => {
  const user = await findUser(userId);
  // An unverified address may be that of another person.
  const address = user?.email_verified ? user.email : null;
  const stop = address && (await findSuppression(address));
  return { list: 'mail_stops', items: stop ? [{ ...stop }] : [] };
};

/** Remarks on revisions are for administrators. */
const withoutNote = ({ note: _note, ...revision }: Item): Item => revision;

/** An entry without the id and the address of another user who caused it. */
const asSeenBy = (userId: string, entry: Item): Item =>
  entry.actor_id === userId ? entry : { ...entry, actor_id: null, ...('address' in entry && { address: null }) };

/** The entries of one ledger that name a user, oldest first. Tasks are not part of the export. */
async function* ledgerParts(userId: string, partitionPrefix: string): AsyncGenerator<ExportedPart> {
  for await (const mentions of mentionPages(userId)) {
    const keys = mentions.flatMap(({ entries }) => entries.filter(({ pk }) => pk.startsWith(partitionPrefix)));
    const entries = (await findItems(keys)).filter((item) => item !== undefined && item.type !== 'task');
    yield* partsOf(entries.map((entry) => asSeenBy(userId, entry as Item)));
  }
}

/** Reads everything stored about a user beside the record, a page at a time. The parts of a list are adjacent. */
export async function* userDataPages(userId: string): AsyncGenerator<ExportedPart> {
  yield await mailStops(userId);
  // All open checkouts of all users are read: they expire after a day, so there are few. The user's collection begins
  // with the closed ones, which keeps the list of checkouts adjacent.
  for await (const items of collectionPages({ partition: openCheckoutsPartition, index: 'collection' })) {
    const own = items.filter((item) => item.user_id === userId);
    yield* partsOf(await Promise.all(own.map(withDraft)));
  }
  for await (const items of collectionPages({ partition: ownerPartition(userId), index: 'collection' })) {
    yield* partsOf(await resolveReports(items));
  }
  for await (const items of collectionPages({ partition: ledgerPartition(userId), prefix: ledgerPrefix })) {
    yield* partsOf(items);
  }
  for await (const items of revisionPagesBy(userId)) yield* partsOf(items.map(withoutNote));
  yield* ledgerParts(userId, eventPrefix);
  yield* ledgerParts(userId, auditPrefix);
}
