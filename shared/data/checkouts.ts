import type { Message } from '#events/catalogue.ts';
import type { CheckoutRecord, Draft, LedgerRecord } from '#model/checkout.ts';
import { entryChange, mergedChanges, type PaymentDay, stateChange } from '#model/payment-totals.ts';
import type { ProjectRecord } from '#model/project.ts';
import type { ChangeOrigin } from '#model/revision.ts';
import { secondsFromNow } from '#platform/clock.ts';
import { ConflictError } from './conflict.ts';
import {
  checkoutDraftKey,
  checkoutKey,
  deduplicationKey,
  inOpenCheckouts,
  inOwnerCollection,
  inPayments,
  type Key,
  ledgerKey,
  ledgerPartition,
  ledgerPrefix,
  openCheckoutsPartition,
  ownerPartition,
  ownerPrefix,
  paymentDayKey,
  paymentIntentKey,
} from './keys.ts';
import { inOutbox } from './outbox.ts';
import { categoryExists, projectInsertion, projectReplacement } from './projects.ts';
import { collectionPages, countCollection, findItem, type Item, orNull, pageOfCollection } from './read.ts';
import { userNotErased } from './users.ts';
import {
  absent,
  deleteItem,
  either,
  every,
  exists,
  is,
  lacks,
  transact,
  tryTransact,
  updateItem,
  type Write,
} from './write.ts';

const DAY_SECONDS = 86_400;
/** The payment page closes within a day; its events can arrive for some days more. */
const DRAFT_SECONDS = 8 * DAY_SECONDS;
const UNPAID_CHECKOUT_SECONDS = 90 * DAY_SECONDS;
/** Longer than Stripe can redeliver an event. */
const STRIPE_DEDUPLICATION_SECONDS = 40 * DAY_SECONDS;

/** Another write changed the checkout since it was read. */
class CheckoutChanged extends ConflictError {
  override readonly name = 'CheckoutChanged';
}

/** The provider's event has been processed before. */
class AlreadyReceived extends Error {
  override readonly name = 'AlreadyReceived';
}

/** Open checkouts are indexed together, all others by buyer, and paid ones by state. Only checkouts without any payment expire. */
const checkoutItem = (checkout: CheckoutRecord): Item & Key => ({
  ...checkoutKey(checkout.id),
  ...(checkout.is_counted && checkout.paid_at !== null && inPayments(checkout.status, checkout.paid_at, checkout.id)),
  ...(checkout.status === 'open'
    ? inOpenCheckouts(checkout.created_at, checkout.id)
    : inOwnerCollection(checkout.user_id, 'CHECKOUT', checkout.id)),
  ...(checkout.paid_at === null &&
    checkout.payment_intent === null && {
      ttl: Math.floor(Date.parse(checkout.created_at) / 1000) + UNPAID_CHECKOUT_SECONDS,
    }),
  type: 'checkout',
  ...checkout,
});

const deliveryOf = ({ status, paid_at }: Item): CheckoutRecord['delivery'] =>
  status === 'fulfilled' || (status === 'refunded' && orNull(paid_at) !== null) ? 'done' : null;

/** The record in an item. */
export const checkoutOf = (item: Item): CheckoutRecord => ({
  id: String(item.id),
  kind: item.kind as CheckoutRecord['kind'],
  status: item.status as CheckoutRecord['status'],
  user_id: String(item.user_id),
  title: String(item.title),
  amount: Number(item.amount),
  currency: String(item.currency),
  project_id: orNull(item.project_id),
  placements: orNull(item.placements),
  months: orNull(item.months),
  session_id: orNull(item.session_id),
  checkout_url: orNull(item.checkout_url),
  payment_intent: orNull(item.payment_intent),
  created_at: String(item.created_at),
  updated_at: String(item.updated_at),
  paid_at: orNull(item.paid_at),
  amount_refunded: Number(item.amount_refunded),
  // Earlier versions stored `is_disputed` in place of the three attributes.
  is_fully_refunded:
    typeof item.is_fully_refunded === 'boolean'
      ? item.is_fully_refunded
      : item.status === 'refunded' && item.is_disputed !== true,
  disputes: (item.disputes ?? []) as CheckoutRecord['disputes'],
  delivery: (item.delivery ?? deliveryOf(item)) as CheckoutRecord['delivery'],
  is_counted: item.is_counted === true,
  version: Number(item.version),
});

/** A checkout, read consistently. */
export const findCheckout = async (checkoutId: string): Promise<CheckoutRecord | undefined> => {
  const item = await findItem(checkoutKey(checkoutId));
  return item && checkoutOf(item);
};

/** The premium submission that a checkout pays for; undefined once it has expired. */
export const findDraft = async (checkoutId: string): Promise<Draft | undefined> => {
  const item = await findItem(checkoutDraftKey(checkoutId));
  if (!item) return undefined;
  const { submission, slug, category_ids: categoryIds, decision = null } = item;
  return { submission, slug, categoryIds, decision } as Draft;
};

/** The id of the checkout that a payment of the provider belongs to; undefined until an event has linked them. */
export const findCheckoutIdByPayment = async (paymentIntent: string): Promise<string | undefined> =>
  (await findItem(paymentIntentKey(paymentIntent)))?.checkout_id as string | undefined;

/** Stores a new checkout and the draft of a premium submission. @throws 401 when the buyer was erased concurrently. */
export const insertCheckout = async (checkout: CheckoutRecord, draft: Draft | undefined): Promise<void> => {
  await transact([
    { put: checkoutItem(checkout), when: absent },
    // Without this check the items could be written after the erasure has collected the user's items.
    userNotErased(checkout.user_id),
    ...(draft
      ? [
          {
            put: {
              ...checkoutDraftKey(checkout.id),
              type: 'draft',
              submission: draft.submission,
              slug: draft.slug,
              category_ids: draft.categoryIds,
              decision: draft.decision,
              ttl: secondsFromNow(DRAFT_SECONDS),
            },
          },
        ]
      : []),
  ]);
};

/** Deletes an open checkout whose session could not be created, unless an event has arrived for it. */
export const discardCheckout = async (checkoutId: string): Promise<void> => {
  const isUntouched = every(is('status', 'open'), is('session_id', null), is('payment_intent', null));
  if (await deleteItem(checkoutKey(checkoutId), isUntouched)) await deleteItem(checkoutDraftKey(checkoutId));
};

/** Stores the provider's session. It updates single attributes, so changes by events that arrived first are kept. */
export const saveSession = async (
  checkoutId: string,
  session: { readonly sessionId: string; readonly url: string },
): Promise<void> => {
  const set = { session_id: session.sessionId, checkout_url: session.url };
  await updateItem(checkoutKey(checkoutId), { set, add: { version: 1 } }, exists);
};

/** Open checkouts created before a time, oldest first. */
export async function* openCheckouts(before: string): AsyncGenerator<CheckoutRecord> {
  for await (const items of collectionPages({ index: 'collection', partition: openCheckoutsPartition, before })) {
    for (const item of items) yield checkoutOf(item);
  }
}

/** The attribute `type` holds the type of the item, so the type of the entry has another name. */
const ledgerItem = ({ type, ...entry }: LedgerRecord): Item & Key => ({
  ...ledgerKey(entry.user_id, entry.id),
  is_counted: true,
  type: 'ledgerEntry',
  entry_type: type,
  ...entry,
});

const ledgerEntryOf = (item: Item): LedgerRecord => ({
  id: String(item.id),
  type: item.entry_type as LedgerRecord['type'],
  checkout_id: String(item.checkout_id),
  user_id: String(item.user_id),
  kind: item.kind as LedgerRecord['kind'],
  project_id: orNull(item.project_id),
  amount: Number(item.amount),
  currency: String(item.currency),
  note: orNull(item.note),
  created_at: String(item.created_at),
});

/** The number of entries in a user's ledger. */
export const countLedger = (userId: string): Promise<number> => countCollection(ledgerPartition(userId), ledgerPrefix);

/** Entries of a user's ledger, newest first, after the first `skip`. */
export const pageOfLedger = async (userId: string, skip: number, count: number): Promise<LedgerRecord[]> => {
  const range = { partition: ledgerPartition(userId), prefix: ledgerPrefix, newestFirst: true };
  return (await pageOfCollection(range, skip, count)).map(ledgerEntryOf);
};

/** The write that adds to the totals of a day. */
const addToDay = ({ day, currency, ...numbers }: PaymentDay): Write => ({
  update: paymentDayKey(day, currency),
  change: { set: { type: 'paymentDay', day, currency }, add: numbers },
});

/** The writes that add the changes of a settlement to the totals. */
const totalWrites = (
  previous: CheckoutRecord | undefined,
  next: CheckoutRecord | undefined,
  entries: readonly LedgerRecord[],
): Write[] =>
  mergedChanges([
    ...(previous?.is_counted ? stateChange(previous, -1) : []),
    ...(next?.is_counted ? stateChange(next, 1) : []),
    ...entries.map(entryChange),
  ]).map(addToDay);

/**
 * Adds the payments of a user that an earlier version recorded to the totals. Safe to repeat and to run beside writers.
 * @returns how many it added.
 */
export const countEarlierPayments = async (userId: string): Promise<number> => {
  const isUncounted = either(lacks('is_counted'), is('is_counted', false));
  const owned = { partition: ownerPartition(userId), index: 'collection', prefix: ownerPrefix.checkouts } as const;
  let counted = 0;
  for await (const items of collectionPages(owned)) {
    for (const checkout of items.map(checkoutOf)) {
      const { id, status, paid_at, version, is_counted } = checkout;
      if (is_counted || paid_at === null) continue;
      const set = { is_counted: true, ...inPayments(status, paid_at, id) };
      const isAdded = await tryTransact([
        { update: checkoutKey(id), change: { set }, when: every(isUncounted, is('version', version)) },
        ...totalWrites(undefined, { ...checkout, is_counted: true }, []),
      ]);
      counted += Number(isAdded);
    }
  }
  for await (const items of collectionPages({ partition: ledgerPartition(userId), prefix: ledgerPrefix })) {
    for (const item of items.filter((one) => one.is_counted !== true)) {
      const entry = ledgerEntryOf(item);
      await tryTransact([
        {
          update: ledgerKey(userId, entry.id),
          change: { set: { is_counted: true } },
          when: every(exists, isUncounted),
        },
        ...totalWrites(undefined, undefined, [entry]),
      ]);
    }
  }
  return counted;
};

/** A write of the project that belongs to a payment. */
type ProjectChange = { readonly origin: ChangeOrigin } & (
  | { readonly insert: ProjectRecord; readonly writes: readonly Write[] }
  | { readonly replace: ProjectRecord; readonly by: ProjectRecord }
);

/** Everything that one report about a payment changes, written in one transaction. */
export interface Settlement {
  /** The provider's event, for deduplication; undefined when the state was polled. */
  readonly eventId: string | undefined;
  readonly previous: CheckoutRecord;
  readonly next: CheckoutRecord;
  readonly entries: readonly LedgerRecord[];
  readonly project?: ProjectChange;
  /** The writes of a promotion. */
  readonly promotion?: readonly Write[];
  readonly messages: readonly Message[];
}

const deduplicationRecord = (eventId: string): Write => ({
  put: {
    ...deduplicationKey('webhooks.stripe', eventId),
    type: 'receipt',
    state: 'done',
    ttl: secondsFromNow(STRIPE_DEDUPLICATION_SECONDS),
  },
  when: absent,
  orElse: () => new AlreadyReceived(eventId),
});

const paymentLink = ({ id, payment_intent }: CheckoutRecord): Write[] =>
  payment_intent === null
    ? []
    : [
        {
          put: { ...paymentIntentKey(payment_intent), type: 'paymentIntent', checkout_id: id },
          when: either(absent, is('checkout_id', id)),
        },
      ];

const projectWrites = async (change: ProjectChange | undefined): Promise<Write[]> => {
  if (!change) return [];
  if ('replace' in change) return await projectReplacement(change.replace, change.by, change.origin);
  const { insert, origin, writes } = change;
  return [
    ...projectInsertion(insert, origin),
    ...insert.categories.map(categoryExists),
    userNotErased(insert.owner_id),
    ...writes,
  ];
};

/**
 * Writes a settlement: all of it or nothing.
 * @returns false when the provider's event has been processed before.
 * @throws {ConflictError} when the checkout, the project, a category, the promotion or a slot was changed concurrently; 409
 * and 401 when the slug or address of a submission was taken or the buyer erased concurrently.
 */
export const writeSettlement = async (settlement: Settlement): Promise<boolean> => {
  const { eventId, previous, entries, project, promotion, messages } = settlement;
  // Payments of an earlier version are counted by `countEarlierPayments` alone.
  const is_counted = settlement.next.paid_at !== null && (previous.paid_at === null || previous.is_counted);
  const next = { ...settlement.next, is_counted };
  const writes: Write[] = [
    ...(eventId === undefined ? [] : [deduplicationRecord(eventId)]),
    {
      put: checkoutItem(next),
      when: every(exists, is('version', previous.version)),
      orElse: () => new CheckoutChanged(`The checkout ${next.id} was changed concurrently.`),
    },
    ...(next.payment_intent === previous.payment_intent ? [] : paymentLink(next)),
    ...entries.map((entry): Write => ({ put: ledgerItem(entry), when: absent })),
    ...totalWrites(previous, next, entries),
    ...(await projectWrites(project)),
    ...(promotion ?? []),
    // The draft has become the project.
    ...(project && 'insert' in project ? [{ delete: checkoutDraftKey(next.id) }] : []),
    ...messages.map(inOutbox),
  ];
  try {
    await transact(writes);
    return true;
  } catch (error) {
    if (error instanceof AlreadyReceived) return false;
    throw error;
  }
};
