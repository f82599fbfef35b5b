import { sortAliases, sortKeys } from '#contract/projects.ts';
import { type Feature, features } from '#contract/route.ts';
import { type LiveEdits, limits, type SiteSettings } from '#contract/settings.ts';
import type { Offer } from '#model/promotion.ts';
import type { SettingValues } from '#model/setting.ts';
import type { Settings } from '#platform/settings.ts';

/** The configuration that front ends need beside the listings, without disabled features. */
export const siteSettings = (
  { layout, theme, map }: SettingValues,
  isOn: Readonly<Record<Feature, boolean>>,
  offer: Offer,
  signIn: Settings['signIn'],
  liveEdits: LiveEdits,
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
      placements: Object.entries(offer.promotionPrices).map(([placement, price]) => ({
        placement,
        price,
        slots: offer.promotionSlots[placement] ?? null,
      })),
      bundle_discount_percent: offer.bundleDiscountPercent,
    },
  }),
  sign_in: {
    issuer: signIn?.issuer ?? '',
    client_id: signIn?.clientId ?? null,
    authorization_endpoint: signIn?.authorizationUrl ?? null,
    token_endpoint: signIn?.tokenUrl ?? null,
    end_session_endpoint: signIn?.endSessionUrl ?? null,
  },
  limits: { ...limits, live_edits: liveEdits },
});
