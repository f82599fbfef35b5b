import type { Offer } from '#domain/settings/site.ts';
import { settings } from '#platform/settings.ts';

/** What a month of each placement costs, in the smallest unit of the currency, and what all together are cheaper by. */
const PROMOTION_PRICES = { banner: 6900, catalog: 3900, detail: 1900 };
const BUNDLE_DISCOUNT_PERCENT = 30;

/** What is for sale in this environment. */
export const offer = (): Offer => {
  const { premiumPrice, currency } = settings().payments;
  return {
    currency,
    premiumPrice,
    promotionPrices: PROMOTION_PRICES,
    bundleDiscountPercent: BUNDLE_DISCOUNT_PERCENT,
  };
};
