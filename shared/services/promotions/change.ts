import { retryOnConflict } from '#data/conflict.ts';
import { findPromotion, replacePromotion } from '#data/promotions.ts';
import { type Message, newMessage } from '#events/catalogue.ts';
import { holdsSlots, type PromotionRecord, promotionEventData } from '#model/promotion.ts';
import type { UserRecord } from '#model/user.ts';
import { now } from '#platform/clock.ts';
import { conflict, notFound } from '#shared/errors.ts';
import { getFreeSlots } from './slots.ts';

/** The next state of a promotion and the events about it. */
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
    const previous = await findPromotion(promotionId);
    if (!previous) throw notFound();
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
