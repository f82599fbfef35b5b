import type { FieldChange } from '#contract/projects.ts';
import type { DraftRecord } from '#model/draft.ts';
import { type Fields, shownChanges, shownNames, shownValues } from '#model/field.ts';
import { refundsOf } from '#model/payment.ts';
import { currentFields } from './custom-fields.ts';
import { draftsOf } from './drafts.ts';
import { fromJsonText } from './json-text.ts';
import {
  auditPrefix,
  bookmarkPrefix,
  bookmarksPartition,
  checkoutSubmissionKey,
  eventPrefix,
  followPrefix,
  followsPartition,
  ledgerPartition,
  ledgerPrefix,
  openCheckoutsPartition,
  ownerPartition,
  reportKey,
  voteOriginKey,
} from './keys.ts';
import { findSuppression } from './mail-suppression.ts';
import { mentionPages } from './mentions.ts';
import { checkoutOf } from './payments.ts';
import { collectionPages, findItem, findItems, type Item, orNull, recordOf } from './read.ts';
import { revisionPagesBy } from './revisions.ts';
import { findUser } from './users.ts';

/** An item with the values that are stored in another form: those of further fields as the owner of a listing reads them. */
const withValues = (item: Item, definitions: Fields): Item => {
  const { field_values, ...others } = item;
  const changesOf = (changes: unknown) => shownChanges(definitions, changes as FieldChange[], 'owner');
  if (item.type === 'revision') {
    const applied = shownNames(definitions, item.applied as readonly string[], 'owner');
    return { ...item, changes: changesOf(item.changes), applied };
  }
  if (item.type === 'audit') return { ...item, input: fromJsonText(item.input) };
  if (item.type === 'checkout') {
    const { returns, ...checkout } = checkoutOf(item);
    return { ...checkout, ...refundsOf({ ...checkout, returns }) };
  }
  if (item.type !== 'project') return item;
  const { pending_revision: pending } = item as { pending_revision?: Item };
  return {
    ...others,
    fields: shownValues(definitions, { categories: [], ...item, field_values: orNull(field_values) }, 'owner'),
    ...(pending && { pending_revision: { ...pending, changes: changesOf(pending.changes) } }),
  };
};

const content = (item: Item, definitions: Fields): Item => {
  const { version: _version, ...record } = recordOf<Item>(withValues(item, definitions));
  return record;
};

/** List names by item type. The list of any other type is its name with an `s`. */
const LISTS: Readonly<Record<string, string>> = {
  project: 'projects',
  draft: 'drafts',
  vote: 'votes',
  rating: 'ratings',
  comment: 'comments',
  report: 'reports',
  claim: 'claims',
  bookmark: 'bookmarks',
  follow: 'follows',
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

async function* partsOf(items: readonly Item[]): AsyncGenerator<ExportedPart> {
  const definitions = await currentFields();
  for (const [list, some] of Map.groupBy(items, listOf)) {
    yield { list, items: some.map((item) => content(item, definitions)) };
  }
}

const withSubmission = async (checkout: Item): Promise<Item> => {
  const stored = await findItem(checkoutSubmissionKey(String(checkout.id)));
  if (!stored) return checkout;
  const { submission, category_ids, field_values } = stored;
  const { categories } = submission as Item;
  const values = { categories: (categories ?? category_ids) as string[], field_values: orNull<string>(field_values) };
  return {
    ...checkout,
    submission: { ...(submission as Item), fields: shownValues(await currentFields(), values, 'owner') },
  };
};

/** Adds to votes what is stored for their review. */
const withOrigins = async (items: readonly Item[]): Promise<Item[]> => {
  const votes = items.filter(({ type }) => type === 'vote');
  const origins = await findItems(votes.map((vote) => voteOriginKey(String(vote.project_id), String(vote.user_id))));
  const byVote = new Map(votes.map((vote, position) => [vote, origins[position]]));
  return items.map((item) => {
    const origin = byVote.get(item);
    return origin ? { ...item, joined_at: origin.joined_at, network: origin.network } : item;
  });
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
const mailSuppressions = async (userId: string): Promise<ExportedPart> => {
  const user = await findUser(userId);
  // An unverified address may be that of another person.
  const address = user?.email_verified ? user.email : null;
  const stop = address && (await findSuppression(address));
  return { list: 'mail_stops', items: stop ? [{ ...stop }] : [] };
};

const exportedDraft = ({ version: _version, ...draft }: DraftRecord): Item => ({
  ...draft,
  content: JSON.parse(draft.content) as unknown,
});

/** Remarks on revisions are for administrators. */
const withoutNote = ({ note: _note, ...revision }: Item): Item => revision;

/** An entry without the id and the address of another user who caused it. */
const asSeenBy = (userId: string, entry: Item): Item =>
  entry.actor_id === userId ? entry : { ...entry, actor_id: null, ...('address' in entry && { address: null }) };

/** The entries of one log that name a user, oldest first. Tasks are not part of the export. */
async function* logParts(userId: string, partitionPrefix: string): AsyncGenerator<ExportedPart> {
  for await (const mentions of mentionPages(userId)) {
    const keys = mentions.flatMap(({ entries }) => entries.filter(({ pk }) => pk.startsWith(partitionPrefix)));
    const entries = (await findItems(keys)).filter((item) => item !== undefined && item.type !== 'task');
    yield* partsOf(entries.map((entry) => asSeenBy(userId, entry as Item)));
  }
}

/** Reads everything stored about a user beside the record, a page at a time. The parts of a list are adjacent. */
export async function* userDataPages(userId: string): AsyncGenerator<ExportedPart> {
  yield await mailSuppressions(userId);
  // All unpaid checkouts of all users are read: they are few, because most end within a day. The user's collection begins
  // with the closed ones, which keeps the list of checkouts adjacent.
  for await (const items of collectionPages({ partition: openCheckoutsPartition, index: 'collection' })) {
    const own = items.filter((item) => item.user_id === userId);
    yield* partsOf(await Promise.all(own.map(withSubmission)));
  }
  for await (const items of collectionPages({ partition: ownerPartition(userId), index: 'collection' })) {
    yield* partsOf(await withOrigins(await resolveReports(items)));
  }
  yield { list: 'drafts', items: (await draftsOf(userId)).map(exportedDraft) };
  for await (const items of collectionPages({ partition: ledgerPartition(userId), prefix: ledgerPrefix })) {
    yield* partsOf(items);
  }
  for await (const items of collectionPages({ partition: bookmarksPartition(userId), prefix: bookmarkPrefix })) {
    yield* partsOf(items);
  }
  for await (const items of collectionPages({ partition: followsPartition(userId), prefix: followPrefix })) {
    yield* partsOf(items);
  }
  for await (const items of revisionPagesBy(userId)) yield* partsOf(items.map(withoutNote));
  yield* logParts(userId, eventPrefix);
  yield* logParts(userId, auditPrefix);
}
