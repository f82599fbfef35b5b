import type { Route } from '#contract/route.ts';
import type { StackContext } from '#lib/stack-context.ts';

/** The CloudWatch namespace of the metrics of a stage. */
export const metricsNamespace = (stage: string): string => `Directory/${stage}`;

const named = (prefix: string, values: Readonly<Record<string, number | string | undefined>>): Record<string, string> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [`${prefix}_${name.toUpperCase()}`, String(value)]));

/** The variables of every function. Feature flags that are not set keep their default. */
export const commonVariables = ({ config, table }: StackContext): Record<string, string> => ({
  TABLE_NAME: table.tableName,
  FEED_SHARDS: String(config.feedShards),
  SITE_NAME: config.site.name,
  SITE_URL: config.site.url,
  ...(config.site.index !== undefined && { SITE_INDEX: config.site.index ? 'on' : 'off' }),
  ...(config.site.indexNowKey !== undefined && { INDEXNOW_KEY: config.site.indexNowKey }),
  ...(config.site.languages && { SITE_LANGUAGES: config.site.languages.join(',') }),
  LOG_LEVEL: config.logLevel,
  POWERTOOLS_METRICS_NAMESPACE: metricsNamespace(config.stage),
  ...Object.fromEntries(
    Object.entries(config.features).map(([feature, on]) => [`FEATURE_${feature.toUpperCase()}`, on ? 'on' : 'off']),
  ),
  // Prices, the treatment of edits and the rule for addresses are returned by public routes too.
  LIVE_EDITS: config.liveEdits,
  VERIFIED_EMAIL_REQUIRED: config.verifiedEmailRequired,
  SEARCH_LONG_DESCRIPTION: config.searchLongDescriptions ? 'on' : 'off',
  ...(config.claimDnsServer !== undefined && { CLAIM_DNS_SERVER: config.claimDnsServer }),
  PREMIUM_PRICE: String(config.payments.premiumPrice),
  CURRENCY: config.payments.currency,
  ...named('PROMOTION_PRICE', config.promotions.monthlyPrices),
  ...named('PROMOTION_SLOTS', config.promotions.slots),
});

/** The variables of a route's function, except those that come with its permissions. */
export const routeVariables = ({ config }: StackContext, { tier, secondTier }: Route): Record<string, string> => {
  const limits = [tier, secondTier].flatMap((one) => {
    const limit = one === undefined || one === 'none' ? undefined : config.rateLimits[one];
    return one === undefined || limit === undefined ? [] : [[`RATE_LIMIT_${one.toUpperCase()}`, limit] as const];
  });
  return {
    ALLOWED_ORIGINS: config.allowedOrigins.join(','),
    HTTPS_ONLY: 'on',
    ...Object.fromEntries(limits),
  };
};
