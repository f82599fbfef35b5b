import type { CheckoutRecord, Draft } from '#domain/payments/checkout.ts';
import type { Settlement } from '#domain/payments/settlement.ts';
import { secondsFromNow } from '#platform/clock.ts';
import { absent, either, every, exists, is } from './conditions.ts';
import {
  amongOpenCheckouts,
  checkoutDraftKey,
  checkoutKey,
  type Key,
  ofUser,
  openCheckoutsPartition,
  paymentIntentKey,
  receiptKey,
} from './keys.ts';
import { ledgerItem } from './ledger.ts';
import { inOutbox } from './outbox.ts';
import { categoryExists, insertionOf, replacementOf } from './projects.ts';
import { collectionPages, findItem, type Item } from './read.ts';
import { userIsThere } from './user-records.ts';
import { removeItem, transact, updateItem, type Write } from './write.ts';

const DAY_SECONDS = 86_400;
/** How long the submission behind a checkout is kept: seven days beyond the day on which its payment page closes. */
const DRAFT_SECONDS = 8 * DAY_SECONDS;
/** How long a checkout is kept that nobody has paid, and how long it is remembered that an event was taken in. */
const UNPAID_SECONDS = 90 * DAY_SECONDS;
const RECEIPT_SECONDS = 40 * DAY_SECONDS;

// While it is open it stands in the index among the open ones, afterwards among its buyer's things; and only what nobody has paid ever goes.
const checkoutItem = (checkout: CheckoutRecord): Item & Key => ({
  ...checkoutKey(checkout.id),
  ...(checkout.status === 'open'
    ? amongOpenCheckouts(checkout.created_at, checkout.id)
    : ofUser(checkout.user_id, 'CHECKOUT', checkout.id)),
  ...(checkout.paid_at === null &&
    checkout.payment_intent === null && { ttl: Math.floor(Date.parse(checkout.created_at) / 1000) + UNPAID_SECONDS }),
  type: 'checkout',
  ...checkout,
});

const checkoutOf = (item: Item): CheckoutRecord => {
  const orNull = <T>(value: unknown): T | null => (value === undefined ? null : (value as T));
  return {
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
    is_disputed: item.is_disputed === true,
    version: Number(item.version),
  };
};

/** A checkout; the newest state. */
export const findCheckout = async (checkoutId: string): Promise<CheckoutRecord | undefined> => {
  const item = await findItem(checkoutKey(checkoutId));
  return item && checkoutOf(item);
};

/** What a premium submission said, as long as it is kept. */
export const findDraft = async (checkoutId: string): Promise<Draft | undefined> => {
  const item = await findItem(checkoutDraftKey(checkoutId));
  if (!item) return undefined;
  const { submission, slug, category_ids: categoryIds } = item;
  return { submission, slug, categoryIds } as Draft;
};

/** The checkout that a payment of the provider has paid. */
export const checkoutOfIntent = async (paymentIntent: string): Promise<string | undefined> =>
  (await findItem(paymentIntentKey(paymentIntent)))?.checkout_id as string | undefined;

/** Keeps a new checkout, and with a premium submission what it said. @throws 401 when the buyer was erased meanwhile. */
export const insertCheckout = async (checkout: CheckoutRecord, draft: Draft | undefined): Promise<void> => {
  await transact([
    { put: checkoutItem(checkout), when: absent },
    // Who is being forgotten must not leave behind what the erasure has not seen.
    userIsThere(checkout.user_id),
    ...(draft
      ? [
          {
            put: {
              ...checkoutDraftKey(checkout.id),
              type: 'draft',
              submission: draft.submission,
              slug: draft.slug,
              category_ids: draft.categoryIds,
              ttl: secondsFromNow(DRAFT_SECONDS),
            },
          },
        ]
      : []),
  ]);
};

/** Forgets a checkout that nobody will ever hear of. One that news have come of stays. */
export const dropCheckout = async (checkoutId: string): Promise<void> => {
  const isUntouched = every(is('status', 'open'), is('session_id', null), is('payment_intent', null));
  if (await removeItem(checkoutKey(checkoutId), isUntouched)) await removeItem(checkoutDraftKey(checkoutId));
};

/** Notes the provider's session. News of it may have come before, and stay. */
export const rememberSession = async (
  checkoutId: string,
  session: { readonly sessionId: string; readonly url: string },
): Promise<void> => {
  const set = { session_id: session.sessionId, checkout_url: session.url };
  await updateItem(checkoutKey(checkoutId), { set, add: { version: 1 } }, exists);
};

/** Checkouts that nobody has paid and that were opened before a moment, oldest first. */
export async function* openCheckouts(before: string): AsyncGenerator<CheckoutRecord> {
  for await (const items of collectionPages({ index: 'collection', partition: openCheckoutsPartition, before })) {
    for (const item of items) yield checkoutOf(item);
  }
}

/** The event has taken effect before. */
export class AlreadyReceived extends Error {
  override readonly name = 'AlreadyReceived';
}

/** Somebody else changed the checkout since it was read. */
export class CheckoutChanged extends Error {
  override readonly name = 'CheckoutChanged';
}

const receipt = (eventId: string): Write => ({
  put: {
    ...receiptKey('webhooks.stripe', eventId),
    type: 'receipt',
    state: 'done',
    ttl: secondsFromNow(RECEIPT_SECONDS),
  },
  when: absent,
  orElse: () => new AlreadyReceived(eventId),
});

const intentPointer = ({ id, payment_intent }: CheckoutRecord): Write[] =>
  payment_intent === null
    ? []
    : [
        {
          put: { ...paymentIntentKey(payment_intent), type: 'paymentIntent', checkout_id: id },
          when: either(absent, is('checkout_id', id)),
        },
      ];

const projectWrites = async (step: Settlement<Write>['project']): Promise<Write[]> => {
  if (!step) return [];
  if ('replace' in step) return await replacementOf(step.replace, step.by);
  const { insert } = step;
  return [...insertionOf(insert), ...insert.categories.map(categoryExists), userIsThere(insert.owner_id)];
};

/**
 * Lets news about a checkout take effect, all of it or nothing: the receipt of the event, the checkout, the ledger, the
 * project or promotion, and what is told about it.
 * @throws {AlreadyReceived}, {@link CheckoutChanged}; ProjectChanged; 409, 400 and 401 when a slug, an address, a category
 * or the buyer of a submission went meanwhile.
 */
export const settle = async ({ eventId, previous, next, ...effect }: Settlement<Write>): Promise<void> => {
  await transact([
    ...(eventId === undefined ? [] : [receipt(eventId)]),
    {
      put: checkoutItem(next),
      when: every(exists, is('version', previous.version)),
      orElse: () => new CheckoutChanged(next.id),
    },
    ...(next.payment_intent === previous.payment_intent ? [] : intentPointer(next)),
    ...effect.entries.map((entry): Write => ({ put: ledgerItem(entry), when: absent })),
    ...(await projectWrites(effect.project)),
    ...(effect.others ?? []),
    // What was submitted has become a project; it need not be kept twice.
    ...(effect.project && 'insert' in effect.project ? [{ remove: checkoutDraftKey(next.id) }] : []),
    ...effect.messages.map(inOutbox),
  ]);
};
