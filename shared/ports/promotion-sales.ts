import type { Placement } from '#contract/placement.ts';
import { inOutbox } from '#data/outbox.ts';
import { findPromotion, promotionInsertion, promotionReplacement } from '#data/promotions.ts';
import type { Write } from '#data/write.ts';
import { revoked } from '#domain/promotions/administer.ts';
import { promotionOfCheckout, statusAt } from '#domain/promotions/promotion.ts';
import {
  mustBeAvailable as mustBeFree,
  type Purchase,
  purchased,
  quotePromotion as quote,
} from '#domain/promotions/purchase.ts';
import { now } from '#platform/clock.ts';
import { newId } from '#platform/ids.ts';
import { settings } from '#platform/settings.ts';
import { placePorts } from './promotions.ts';

/** The sale of promotions, as checkouts see it. */

/** What promotions cost at this moment, in the smallest unit of the currency. */
export const quotePromotion = (placements: readonly Placement[], months: number) =>
  quote({ ...settings().promotions, currency: settings().payments.currency }, placements, months);

/** @throws 409 SOLD_OUT when some placement has no place free now. */
export const mustBeAvailable = (placements: readonly Placement[]): Promise<void> =>
  mustBeFree({ ...placePorts, now }, placements);

/**
 * The writes of the promotion that a payment brings, for the transaction that takes the payment in. They fail as
 * `ConditionFailed` when somebody has been given a place since.
 * @returns undefined when the places have been given out meanwhile.
 */
export const promotionWrites = async (purchase: Purchase): Promise<readonly Write[] | undefined> => {
  const bought = await purchased(placePorts, purchase);
  return bought && promotionInsertion(bought.promotion, bought.turns);
};

/**
 * The writes that end the promotion of a checkout whose money went back, as far as it still waits or runs; none otherwise.
 * They fail as `ConditionFailed` when somebody has changed it since.
 */
export const promotionEndWrites = async (checkoutId: string, at: string): Promise<readonly Write[]> => {
  const current = await findPromotion(promotionOfCheckout(checkoutId));
  if (!current || !['pending', 'active'].includes(statusAt(current, at))) return [];
  const { next, messages } = revoked({ now, newId }, current, { actorId: null, reason: 'It was paid back.', at });
  // The money is on its way back already.
  const told = messages.filter(({ kind }) => kind !== 'refundDue');
  return [...promotionReplacement(current, { ...next, version: current.version + 1 }, {}), ...told.map(inOutbox)];
};
