import { type Placement, placementNames } from '#contract/fields.ts';
import type { Offer } from '#model/promotion.ts';
import { settings } from '#platform/settings.ts';

/** An amount in the smallest unit of the currency. */
interface Price {
  readonly amount: number;
  /** ISO 4217 in lower case. */
  readonly currency: string;
}

/** The discount on all placements together, in percent. */
const BUNDLE_DISCOUNT_PERCENT = 30;

/** The prices of this environment. */
export const offer = (): Offer => ({
  currency: settings().payments.currency,
  premiumPrice: settings().payments.premiumPrice,
  promotionPrices: settings().promotions.monthlyPrices,
  promotionSlots: settings().promotions.slots,
  bundleDiscountPercent: BUNDLE_DISCOUNT_PERCENT,
});

export const premiumPrice = (): Price => ({
  amount: settings().payments.premiumPrice,
  currency: settings().payments.currency,
});

/** The price of placements for some months; duplicates count once. */
export const promotionPrice = (placements: readonly Placement[], months: number): Price => {
  const distinct = [...new Set(placements)];
  const sum = distinct.reduce((total, placement) => total + settings().promotions.monthlyPrices[placement], 0);
  const isBundle = distinct.length === placementNames.length;
  const perMonth = isBundle ? Math.round((sum * (100 - BUNDLE_DISCOUNT_PERCENT)) / 100) : sum;
  return { amount: perMonth * months, currency: settings().payments.currency };
};
