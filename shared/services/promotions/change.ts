import type { Placement } from '#contract/fields.ts';
import { retryOnConflict } from '#data/conflict.ts';
import { changeCounts } from '#data/counts.ts';
import { inOutbox } from '#data/event-log.ts';
import {
  findPromotion,
  promotionInsertion,
  promotionReplacement,
  readOccupancy,
  replacePromotion,
} from '#data/promotions.ts';
import type { Write } from '#data/write.ts';
import { type Message, newMessage } from '#events/catalogue.ts';
import {
  type AllocationVersions,
  holdsSlots,
  lostShare,
  monthsAfter,
  type PromotionRecord,
  promotionEventData,
  promotionOfCheckout,
} from '#model/promotion.ts';
import type { UserRecord } from '#model/user.ts';
import { now } from '#platform/clock.ts';
import { environment } from '#platform/environment.ts';
import { conflict, mustExist, notFound } from '#shared/errors.ts';

/** A promotion that needs slots. Slots that the promotion with this id holds already count as free. */
type Applicant = Pick<PromotionRecord, 'placements'> & { readonly id?: string };

/**
 * Looks for a free slot in each placement: the placements without one, and the versions to allocate the others with, if they
 * are limited.
 */
const findFreeSlots = async (
  { id, placements }: Applicant,
  at: string,
): Promise<{ readonly versions: AllocationVersions; readonly full: readonly Placement[] }> => {
  const limits = environment().promotions.slots;
  const limited = placements.filter((placement) => limits[placement] !== null);
  if (limited.length === 0) return { versions: {}, full: [] };
  const { current, allocationVersions } = await readOccupancy();
  const holders = current.filter((one) => one.id !== id && holdsSlots(one, at));
  const isFull = (placement: Placement): boolean =>
    holders.filter((one) => one.placements.includes(placement)).length >= Number(limits[placement]);
  const [full, free] = [limited.filter(isFull), limited.filter((placement) => !isFull(placement))];
  return { full, versions: Object.fromEntries(free.map((placement) => [placement, allocationVersions[placement]])) };
};

/** The versions to allocate a slot in each placement with. @throws 409 SOLD_OUT when a placement is full. */
export const getFreeSlots = async (applicant: Applicant, at: string): Promise<AllocationVersions> => {
  const { full, versions } = await findFreeSlots(applicant, at);
  if (full.length > 0) throw conflict('SOLD_OUT', `No slot is free: ${full.join(', ')}.`);
  return versions;
};

export interface PromotionChange {
  readonly next: PromotionRecord;
  readonly messages: readonly Message[];
  /** Set when the promotion will run longer than before, so that slots must be free for it. */
  readonly needsSlots?: boolean;
}

/** A change as it is stored, with the version of the record incremented. */
export const nextVersion = (previous: PromotionRecord, next: PromotionRecord): PromotionRecord => ({
  ...next,
  version: previous.version + 1,
});

/**
 * Reads a promotion and writes the change that `decide` returns; undefined leaves it as it is. Retried from the read on
 * when the promotion or a slot was changed concurrently.
 * @param decide must check that the project is live when slots are needed.
 * @throws 404, 409 SOLD_OUT, and the errors of `decide`.
 */
export const changePromotion = (
  promotionId: string,
  decide: (current: PromotionRecord, at: string) => PromotionChange | undefined | Promise<PromotionChange | undefined>,
): Promise<PromotionRecord> =>
  retryOnConflict(async () => {
    const previous = mustExist(await findPromotion(promotionId));
    const at = now();
    const change = await decide(previous, at);
    if (!change) return previous;
    const next = nextVersion(previous, change.next);
    const versions = change.needsSlots ? await getFreeSlots(next, at) : undefined;
    await replacePromotion(previous, next, versions, change.messages);
    return next;
  });

/** Ends a promotion now. A pending one was paid but never shown, so it is refunded; an active one is not. */
export const revocation = (
  current: PromotionRecord,
  { actorId, reason, at }: { readonly actorId: string | null; readonly reason: string | null; readonly at: string },
): PromotionChange => {
  if (current.status === 'active') {
    const next: PromotionRecord = { ...current, status: 'revoked', ends_at: at, reason };
    const data = { ...promotionEventData(next), reason };
    return { next, messages: [newMessage('promotionRevoked', actorId, data)] };
  }
  const refund =
    current.checkout_id === null ? [] : [newMessage('refundDue', actorId, { checkout_id: current.checkout_id })];
  return { next: { ...current, status: 'revoked', reason }, messages: refund };
};

/** @throws 404 for a promotion of another user. */
export const getOwnPromotion = async (owner: UserRecord, promotionId: string): Promise<PromotionRecord> => {
  const promotion = await findPromotion(promotionId);
  if (promotion?.user_id !== owner.id) throw notFound();
  return promotion;
};

/**
 * Changes the call to action of the owner's promotion; it needs no approval.
 * @throws 404 for a promotion of another user; 409 once it is over.
 */
export const changeCallToAction = (
  owner: UserRecord,
  promotionId: string,
  cta_text: string | null,
): Promise<PromotionRecord> =>
  changePromotion(promotionId, (current, at) => {
    if (current.user_id !== owner.id) throw notFound();
    if (!holdsSlots(current, at)) throw conflict('INVALID_TRANSITION', 'The promotion is over.');
    return current.cta_text === cta_text ? undefined : { next: { ...current, cta_text }, messages: [] };
  });

interface Purchase {
  readonly checkoutId: string;
  readonly projectId: string;
  readonly userId: string;
  readonly placements: readonly Placement[];
  readonly months: number;
  /** In the smallest unit that Stripe has for the currency. */
  readonly price: number;
  /** ISO 4217 in lower case. */
  readonly currency: string;
  readonly at: string;
}

/**
 * The writes that create a bought promotion, for the transaction of its payment. It awaits approval and holds its
 * slots. They fail with `ConditionFailed` when a slot is allocated concurrently.
 * @returns undefined when the slots are sold out.
 */
export const purchaseWrites = async (purchase: Purchase): Promise<readonly Write[] | undefined> => {
  const promotion: PromotionRecord = {
    id: promotionOfCheckout(purchase.checkoutId),
    project_id: purchase.projectId,
    user_id: purchase.userId,
    placements: [...new Set(purchase.placements)],
    status: 'pending',
    starts_at: null,
    ends_at: null,
    months: purchase.months,
    cta_text: null,
    price: purchase.price,
    currency: purchase.currency,
    reason: null,
    checkout_id: purchase.checkoutId,
    created_at: purchase.at,
    version: 1,
  };
  const { full, versions } = await findFreeSlots(promotion, purchase.at);
  if (full.length > 0) return undefined;
  return [...promotionInsertion(promotion, versions), changeCounts(purchase.projectId, { promotions_count: 1 })];
};

const RETURNED = 'The payment was refunded.';

/**
 * The writes that revoke the promotion of a returned payment, for the transaction of the return; none when it is over.
 * They fail with `ConditionFailed` when the promotion is changed concurrently.
 */
export const returnWrites = async (checkoutId: string, at: string): Promise<readonly Write[]> => {
  const current = await findPromotion(promotionOfCheckout(checkoutId));
  if (!current || !holdsSlots(current, at)) return [];
  const { next, messages } = revocation(current, { actorId: null, reason: RETURNED, at });
  const withoutRefund = messages.filter(({ kind }) => kind !== 'refundDue');
  const lost: PromotionRecord['lost'] =
    current.status === 'active' && current.ends_at !== null
      ? { status: 'active', ms: Date.parse(current.ends_at) - Date.parse(at) }
      : { status: 'pending' };
  const revoked = nextVersion(current, { ...next, lost });
  return [...promotionReplacement(current, revoked, undefined), ...withoutRefund.map(inOutbox)];
};

/** What a return took from a promotion, also in records of earlier versions, which do not say so. */
const lostOf = ({ lost, status, reason, starts_at, ends_at, months }: PromotionRecord): PromotionRecord['lost'] => {
  if (lost !== undefined || status !== 'revoked' || reason !== RETURNED) return lost;
  if (starts_at === null || ends_at === null || months === null) return { status: 'pending' };
  const ms = Date.parse(monthsAfter(starts_at, months)) - Date.parse(ends_at);
  return ms > 0 ? { status: 'active', ms } : null;
};

interface RestoredPromotion {
  readonly writes: readonly Write[];
  /** The placements that it lost and has not again. */
  readonly missing: readonly Placement[];
  /** Whether at least one placement was given back. */
  readonly isRestored: boolean;
  /** The part of its time that was lost, from 0 to 1. */
  readonly share: number;
}

const givenBack = (current: PromotionRecord, placements: readonly Placement[], at: string): PromotionRecord => {
  const lost = lostOf(current);
  if (!lost || placements.length === 0) return nextVersion(current, { ...current, lost: null });
  const given = { ...current, placements, status: lost.status, reason: null, lost: null };
  return nextVersion(
    current,
    lost.status === 'active' ? { ...given, ends_at: new Date(Date.parse(at) + lost.ms).toISOString() } : given,
  );
};

/**
 * The writes that restore the promotion which `returnWrites` revoked: with the time that it lost, in those of its
 * placements that have a free slot, if its project is live. They fail with `ConditionFailed` when the promotion, a slot
 * or the project is changed concurrently. One that was revoked for another reason before it was shown is not restored: its
 * whole time was lost.
 * @param isLive whether the project is live.
 * @returns undefined when no time was lost.
 */
export const restorationWrites = async (
  checkoutId: string,
  { isLive, at }: { readonly isLive: boolean; readonly at: string },
): Promise<RestoredPromotion | undefined> => {
  const current = await findPromotion(promotionOfCheckout(checkoutId));
  if (!current) return undefined;
  const lost = lostOf(current);
  if (!lost) {
    const isUnshown = current.status === 'revoked' && current.starts_at === null;
    return isUnshown ? { writes: [], missing: current.placements, isRestored: false, share: 1 } : undefined;
  }
  const { full, versions } = await findFreeSlots(current, at);
  const placements = isLive ? current.placements.filter((placement) => !full.includes(placement)) : [];
  const next = givenBack(current, placements, at);
  const messages = next.status === 'active' ? [newMessage('promotionActivated', null, promotionEventData(next))] : [];
  const writes = promotionReplacement(current, next, placements.length > 0 ? versions : undefined);
  return {
    writes: [...writes, ...messages.map(inOutbox)],
    missing: current.placements.filter((placement) => !placements.includes(placement)),
    isRestored: placements.length > 0,
    share: lostShare({ ...current, lost }),
  };
};
