import { TOGETHER_DISCOUNT_PERCENT } from '#domain/promotions/purchase.ts';
import type { Offer } from '#domain/settings/site.ts';
import { settings } from '#platform/settings.ts';

/** What is for sale in this environment. */
export const offer = (): Offer => {
  const { premiumPrice, currency } = settings().payments;
  return {
    currency,
    premiumPrice,
    promotionPrices: settings().promotions.monthlyPrices,
    bundleDiscountPercent: TOGETHER_DISCOUNT_PERCENT,
  };
};
