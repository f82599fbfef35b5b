import { sortAliases, sortKeys } from '#contract/projects.ts';
import { features } from '#contract/route.ts';
import { limits, type SiteSettings } from '#contract/settings.ts';
import { signInParametersOf } from '#contract/sign-in.ts';
import { retryOnConflict } from '#data/conflict.ts';
import { cachedSettings, findSetting, replaceSetting, settingDefaults } from '#data/settings.ts';
import { mustMatch } from '#model/entity-tag.ts';
import { ranking } from '#model/scores.ts';
import {
  mergeSetting,
  type Setting,
  type SettingName,
  type SettingUpdates,
  type SettingValues,
  themeCss,
} from '#model/setting.ts';
import { environment } from '#platform/environment.ts';
import { offer } from '#services/payments/open.ts';

/** The newest state of a setting. */
export const readSetting = findSetting;

export const themeStyleSheet = async (): Promise<string> => themeCss((await cachedSettings()).theme);

const viewOf = ({ layout, theme, map, site }: SettingValues): SiteSettings => {
  const { features: isOn, signIn, liveEdits, verifiedEmailRequired } = environment();
  const prices = offer();
  return {
    layout,
    theme,
    ...(isOn.map && { map }),
    ...(isOn.site && { site }),
    features: features.filter((feature) => isOn[feature]),
    sort_keys: sortKeys.filter((key) => key !== 'relevance' || isOn.search),
    sort_aliases: { ...sortAliases },
    ranking,
    plans: [
      { id: 'standard', price: 0, currency: prices.currency },
      { id: 'premium', price: prices.premiumPrice, currency: prices.currency },
    ],
    ...(isOn.promotions && {
      promotion_prices: {
        currency: prices.currency,
        placements: Object.entries(prices.promotionPrices).map(([placement, price]) => ({
          placement,
          price,
          slots: prices.promotionSlots[placement] ?? null,
        })),
        bundle_discount_percent: prices.bundleDiscountPercent,
      },
    }),
    sign_in: {
      issuer: signIn?.issuer ?? '',
      client_id: signIn?.clientId ?? null,
      authorization_endpoint: signIn?.authorizationUrl ?? null,
      token_endpoint: signIn?.tokenUrl ?? null,
      end_session_endpoint: signIn?.endSessionUrl ?? null,
      ...signInParametersOf(signIn?.parameters ?? ''),
    },
    limits: { ...limits, live_edits: liveEdits, verified_email_required: verifiedEmailRequired },
  };
};

const views = new WeakMap<SettingValues, SiteSettings>();

/**
 * The configuration that front ends need beside the listings, without disabled features. The same value until the settings are
 * read again, which is a second.
 */
export const siteSettings = async (): Promise<SiteSettings> => {
  const values = await cachedSettings();
  const view = views.get(values) ?? viewOf(values);
  views.set(values, view);
  return view;
};

/**
 * Merges a partial update into a setting.
 * @param ifMatch the entity tags of `If-Match`.
 * @throws 412 unless one of them matches, 400 when the result exceeds the limits of a theme.
 */
export const updateSetting = <N extends SettingName>(
  name: N,
  update: SettingUpdates[N],
  ifMatch: readonly string[] | undefined,
): Promise<Setting<N>> =>
  retryOnConflict(async () => {
    const current = await findSetting(name);
    mustMatch(ifMatch, current.version);
    return await replaceSetting(name, current, mergeSetting(name, current.value, update, settingDefaults()));
  });
