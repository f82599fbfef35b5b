import { sortAliases, sortKeys } from '#contract/projects.ts';
import { type Feature, features } from '#contract/route.ts';
import { limits, type SiteSettings } from '#contract/settings.ts';
import type { SettingValues } from './setting.ts';

/** What is for sale: amounts in the smallest unit of the currency. */
export interface Offer {
  /** ISO 4217 in lower case. */
  readonly currency: string;
  readonly premiumPrice: number;
  /** For a month, by placement. */
  readonly promotionPrices: Readonly<Record<string, number>>;
  readonly bundleDiscountPercent: number;
}

/** All that a front end needs to know beside the listings. What is switched off is not spoken of. */
export const siteSettings = (
  { layout, theme, map }: SettingValues,
  isOn: Readonly<Record<Feature, boolean>>,
  offer: Offer,
): SiteSettings => ({
  layout,
  theme,
  ...(isOn.map && { map }),
  features: features.filter((feature) => isOn[feature]),
  sort_keys: [...sortKeys],
  sort_aliases: { ...sortAliases },
  plans: [
    { id: 'standard', price: 0, currency: offer.currency },
    { id: 'premium', price: offer.premiumPrice, currency: offer.currency },
  ],
  ...(isOn.promotions && {
    promotion_prices: {
      currency: offer.currency,
      placements: Object.entries(offer.promotionPrices).map(([placement, price]) => ({ placement, price })),
      bundle_discount_percent: offer.bundleDiscountPercent,
    },
  }),
  limits: { ...limits },
});
