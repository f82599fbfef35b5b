import type { PaymentState } from '#contract/payments.ts';
import type { Message } from '#events/catalogue.ts';
import { DAY_SECONDS, dayAfter } from '#model/days.ts';
import {
  type CheckoutRecord,
  type CheckoutSubmission,
  entryChange,
  isUnpaid,
  type LedgerRecord,
  listedAt,
  mergedChanges,
  nothing,
  type PaymentDay,
  stateChange,
  subjectsOf,
} from '#model/payment.ts';
import type { ProjectRecord } from '#model/project.ts';
import type { Returns } from '#model/returns.ts';
import type { ChangeOrigin } from '#model/revision.ts';
import { CLOCK_SKEW_MAX_MS, secondsFromNow, timeAfter } from '#platform/clock.ts';
import { ConflictError } from './conflict.ts';
import { deduplicationRecord } from './deduplication.ts';
import { inOutbox } from './event-log.ts';
import {
  checkoutKey,
  checkoutSubmissionKey,
  inOpenCheckouts,
  inOwnerCollection,
  inPayments,
  type Key,
  ledgerKey,
  ledgerPartition,
  ledgerPrefix,
  openCheckoutsPartition,
  paymentDayKey,
  paymentDaysPartition,
  paymentIntentKey,
  paymentsPartition,
  purchaseKey,
  purchasesPartition,
} from './keys.ts';
import { categoryExists, projectInsertion, projectReplacement } from './projects.ts';
import {
  collectionPages,
  countCollection,
  findItem,
  findRecord,
  findRecords,
  type Item,
  itemsOfPartitions,
  pageOfCollection,
  recordOf,
  wholeCollection,
} from './read.ts';
import { userNotErased } from './users.ts';
import { absent, deleteItem, either, every, exists, is, transact, updateItem, type Write } from './write.ts';

/** The payment page closes within a day; its events can arrive for some days more. */
const SUBMISSION_SECONDS = 8 * DAY_SECONDS;
/** Of a submission whose payment is under way: longer than any bank takes. */
const PROCESSING_SECONDS = 45 * DAY_SECONDS;
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

/**
 * Unpaid checkouts are indexed together, all others by buyer, and payments by state. Only checkouts without any payment
 * expire.
 */
const checkoutItem = (checkout: CheckoutRecord): Item & Key => {
  const listed = listedAt(checkout);
  return {
    ...checkoutKey(checkout.id),
    ...(listed && inPayments(listed.state, listed.at, checkout.id)),
    ...(isUnpaid(checkout)
      ? inOpenCheckouts(checkout.created_at, checkout.id)
      : inOwnerCollection(checkout.user_id, 'CHECKOUT', checkout.id)),
    ...(checkout.paid_at === null &&
      checkout.payment_intent === null && {
        ttl: Math.floor(Date.parse(checkout.created_at) / 1000) + UNPAID_CHECKOUT_SECONDS,
      }),
    type: 'checkout',
    ...checkout,
  };
};

/** A checkout as it was stored before reports of the provider were kept with their times. */
interface EarlierCheckout {
  readonly amount_refunded: number;
  readonly is_fully_refunded: boolean;
  readonly disputes: readonly { readonly id: string; readonly state: 'open' | 'won' }[];
}

const returnsOf = ({ amount, currency, ...earlier }: CheckoutRecord & EarlierCheckout): Returns => ({
  refunds:
    earlier.amount_refunded > 0
      ? { amount: earlier.amount_refunded, currency, isFull: earlier.is_fully_refunded, at: 0 }
      : null,
  failedRefunds: [],
  disputes: earlier.disputes.map(({ id, state }) => ({
    id,
    state,
    amount,
    currency,
    isAssumed: true,
    // The event that opened a dispute which was won can still arrive.
    at: state === 'won' ? Number.MAX_SAFE_INTEGER : 0,
  })),
});

/** A checkout of this version or an earlier one. */
export const checkoutOf = (item: Item): CheckoutRecord => {
  if ('returns' in item) return recordOf<CheckoutRecord>(item);
  const record = recordOf<CheckoutRecord & EarlierCheckout>(item);
  const { amount_refunded: _, is_fully_refunded: __, disputes: ___, ...same } = record;
  return { ...same, returns: returnsOf(record) };
};

/** A checkout, read consistently. */
export const findCheckout = (checkoutId: string) => findRecord(checkoutKey(checkoutId), checkoutOf);

/** The premium submission that a checkout pays for; undefined once it has expired. */
export const findCheckoutSubmission = async (checkoutId: string): Promise<CheckoutSubmission | undefined> => {
  const item = await findItem(checkoutSubmissionKey(checkoutId));
  if (!item) return undefined;
  const { submission, slug, category_ids: categoryIds, decision = null, field_values: fieldValues = null } = item;
  return { submission, slug, categoryIds, decision, fieldValues } as CheckoutSubmission;
};

/** The id of the checkout that a payment of the provider belongs to; undefined until an event has linked them. */
export const findCheckoutIdByPayment = async (paymentIntent: string): Promise<string | undefined> =>
  (await findItem(paymentIntentKey(paymentIntent)))?.checkout_id as string | undefined;

/** Stores a new checkout and the premium submission. @throws 401 when the buyer was erased concurrently. */
export const insertCheckout = async (
  checkout: CheckoutRecord,
  ordered: CheckoutSubmission | undefined,
): Promise<void> => {
  await transact([
    { put: checkoutItem(checkout), when: absent },
    // Without this check the items could be written after the erasure has collected the user's items.
    userNotErased(checkout.user_id),
    ...(ordered
      ? [
          {
            put: {
              ...checkoutSubmissionKey(checkout.id),
              type: 'checkoutSubmission',
              submission: ordered.submission,
              slug: ordered.slug,
              category_ids: ordered.categoryIds,
              decision: ordered.decision,
              field_values: ordered.fieldValues,
              ttl: secondsFromNow(SUBMISSION_SECONDS),
            },
          },
        ]
      : []),
  ]);
};

/** Deletes an open checkout whose session could not be created, unless an event has arrived for it. */
export const discardCheckout = async (checkoutId: string): Promise<void> => {
  const isUntouched = every(is('status', 'open'), is('session_id', null), is('payment_intent', null));
  if (await deleteItem(checkoutKey(checkoutId), isUntouched)) await deleteItem(checkoutSubmissionKey(checkoutId));
};

/** Stores the provider's session. It updates single attributes, so changes by events that arrived first are kept. */
export const saveSession = async (
  checkoutId: string,
  session: { readonly sessionId: string; readonly url: string },
): Promise<void> => {
  const set = { session_id: session.sessionId, checkout_url: session.url };
  await updateItem(checkoutKey(checkoutId), { set, add: { version: 1 } }, exists);
};

/** Whether a payment for one of some subjects is under way. @param except a checkout that does not count. */
export const isUnderWay = async (subjects: readonly string[], except: string): Promise<boolean> => {
  const purchases = await Promise.all(
    subjects.map((subject) => wholeCollection({ partition: purchasesPartition(subject) })),
  );
  const ids = purchases.flat().map((item) => String(item.checkout_id));
  const checkouts = await findRecords([...new Set(ids)].map(checkoutKey), checkoutOf);
  return checkouts.some(({ id, status }) => id !== except && status === 'processing');
};

/**
 * The writes beside a checkout whose payment is under way: it is found by what it buys, and its submission is kept.
 * @param submission what it pays for, if that is a submission.
 */
export const underWayWrites = (checkout: CheckoutRecord, submission: CheckoutSubmission | undefined): Write[] => {
  const ttl = secondsFromNow(PROCESSING_SECONDS);
  return [
    ...subjectsOf(checkout, submission?.submission.url).map(
      (subject): Write => ({
        put: { ...purchaseKey(subject, checkout.id), type: 'purchase', checkout_id: checkout.id, ttl },
      }),
    ),
    ...(submission
      ? [{ update: checkoutSubmissionKey(checkout.id), change: { set: { ttl } }, when: exists } satisfies Write]
      : []),
  ];
};

/** Unpaid checkouts created before a time, oldest first, and those that a clock which was ahead has stamped. */
export async function* openCheckouts(before: string): AsyncGenerator<CheckoutRecord> {
  const all = { index: 'collection', partition: openCheckoutsPartition } as const;
  const ahead = timeAfter(CLOCK_SKEW_MAX_MS);
  for (const range of [{ before }, { after: before > ahead ? before : ahead }]) {
    for await (const items of collectionPages({ ...all, ...range })) yield* items.map(checkoutOf);
  }
}

/** The attribute `type` holds the type of the item, so the type of the entry has another name. */
const ledgerItem = ({ type, ...entry }: LedgerRecord): Item & Key => ({
  ...ledgerKey(entry.user_id, entry.id),
  type: 'ledgerEntry',
  entry_type: type,
  ...entry,
});

const ledgerEntryOf = (item: Item): LedgerRecord => {
  const { entry_type: type, ...entry } = recordOf<LedgerRecord & { readonly entry_type: LedgerRecord['type'] }>(item);
  return { ...entry, type };
};

export const countLedger = (userId: string): Promise<number> => countCollection(ledgerPartition(userId), ledgerPrefix);

/** Entries of a user's ledger, newest first, after the first `skip`. */
export const pageOfLedger = async (userId: string, skip: number, count: number): Promise<LedgerRecord[]> => {
  const range = { partition: ledgerPartition(userId), prefix: ledgerPrefix, newestFirst: true };
  return (await pageOfCollection(range, skip, count)).map(ledgerEntryOf);
};

const addToDay = ({ day, currency, ...numbers }: PaymentDay): Write => ({
  update: paymentDayKey(day, currency),
  change: { set: { type: 'paymentDay', day, currency }, add: numbers },
});

const totalWrites = (previous: CheckoutRecord, next: CheckoutRecord, entries: readonly LedgerRecord[]): Write[] =>
  mergedChanges([...stateChange(previous, -1), ...stateChange(next, 1), ...entries.map(entryChange)]).map(addToDay);

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
  readonly writes?: readonly Write[];
  readonly messages: readonly Message[];
}

const handledOnce = (eventId: string): Write => ({
  ...deduplicationRecord('webhooks.stripe', eventId, STRIPE_DEDUPLICATION_SECONDS),
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
  const { eventId, previous, next, entries, project, messages } = settlement;
  const writes: Write[] = [
    ...(eventId === undefined ? [] : [handledOnce(eventId)]),
    {
      put: checkoutItem(next),
      when: every(exists, is('version', previous.version)),
      orElse: () => new CheckoutChanged(`The checkout ${next.id} was changed concurrently.`),
    },
    ...(next.payment_intent === previous.payment_intent ? [] : paymentLink(next)),
    ...entries.map((entry): Write => ({ put: ledgerItem(entry), when: absent })),
    ...totalWrites(previous, next, entries),
    ...(await projectWrites(project)),
    ...(settlement.writes ?? []),
    // The submission has become the project.
    ...(project && 'insert' in project ? [{ delete: checkoutSubmissionKey(next.id) }] : []),
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

/** Days, `yyyy-mm-dd`, both included. */
export interface Period {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** Sort keys of days and of times within a period. */
const within = ({ from, to }: Period) => ({
  ...(from !== undefined && { after: from }),
  ...(to !== undefined && { before: dayAfter(to, 1) }),
});

/** The totals of the days with payments, refunds or disputes, newest first. */
export const paymentDays = async (period: Period): Promise<PaymentDay[]> => {
  const range = { partition: paymentDaysPartition, newestFirst: true, isConsistent: false, ...within(period) };
  return (await wholeCollection(range)).map((item) => ({ ...nothing, ...recordOf<PaymentDay>(item) }));
};

/** The payments of some states in a period, newest first, after the first `skip`, which are read. */
export const pageOfPayments = async (
  states: readonly PaymentState[],
  period: Period,
  skip: number,
  count: number,
): Promise<CheckoutRecord[]> => {
  const range = { index: 'feed', newestFirst: true, ...within(period) } as const;
  const checkouts: CheckoutRecord[] = [];
  let position = 0;
  for await (const item of itemsOfPartitions(states.map(paymentsPartition), range, skip + count)) {
    if (position >= skip) checkouts.push(checkoutOf(item));
    position += 1;
    if (checkouts.length === count) break;
  }
  return checkouts;
};
