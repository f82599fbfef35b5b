import { type Placement, placementNames } from '#contract/placement.ts';
import { findTurns, getTurns, type PlacePorts, type Turns } from './places.ts';
import { type PromotionRecord, promotionOfCheckout } from './promotion.ts';

/** What promotions cost. */
export interface PromotionOffer {
  /** Per month, in the smallest unit of the currency. */
  readonly monthlyPrices: Readonly<Record<Placement, number>>;
  /** ISO 4217 in lower case. */
  readonly currency: string;
}

/** What all placements together are cheaper by than each for itself, in percent. */
export const TOGETHER_DISCOUNT_PERCENT = 30;

/** What some placements cost for some months; all of them together are cheaper. */
export const quotePromotion = (
  { monthlyPrices, currency }: PromotionOffer,
  placements: readonly Placement[],
  months: number,
): { readonly amount: number; readonly currency: string } => {
  const distinct = [...new Set(placements)];
  const apart = distinct.reduce((sum, placement) => sum + monthlyPrices[placement], 0);
  const perMonth =
    distinct.length === placementNames.length ? Math.round((apart * (100 - TOGETHER_DISCOUNT_PERCENT)) / 100) : apart;
  return { amount: perMonth * months, currency };
};

/** @throws 409 SOLD_OUT when some placement has no place free now. */
export const mustBeAvailable = async (
  ports: PlacePorts & { readonly now: () => string },
  placements: readonly Placement[],
): Promise<void> => {
  await getTurns(ports, { placements }, ports.now());
};

/** What has been paid for. */
export interface Purchase {
  readonly checkoutId: string;
  readonly projectId: string;
  readonly userId: string;
  readonly placements: readonly Placement[];
  readonly months: number;
  /** In the smallest unit of the currency. */
  readonly price: number;
  /** ISO 4217 in lower case. */
  readonly currency: string;
  readonly at: string;
}

/**
 * The promotion that a payment brings: it waits for approval and holds its places from now on.
 * @returns undefined when the places have been given out meanwhile.
 */
export const purchased = async (
  ports: PlacePorts,
  purchase: Purchase,
): Promise<{ readonly promotion: PromotionRecord; readonly turns: Turns } | undefined> => {
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
  const found = await findTurns(ports, promotion, purchase.at);
  return 'turns' in found ? { promotion, turns: found.turns } : undefined;
};
