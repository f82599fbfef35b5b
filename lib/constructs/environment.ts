import type { Route } from '#contract/route.ts';
import type { StackContext } from './stack-context.ts';

/** The CloudWatch namespace of the metrics of a stage. */
export const metricsNamespace = (stage: string): string => `Directory/${stage}`;

const named = (prefix: string, values: Readonly<Record<string, number | string | undefined>>): Record<string, string> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [`${prefix}_${name.toUpperCase()}`, String(value)]));

/** The variables of every function. Feature flags that are not set keep their default. */
export const commonVariables = ({ config, table }: StackContext): Record<string, string> => ({
  TABLE_NAME: table.tableName,
  FEED_SHARDS: String(config.feedShards),
  LOG_LEVEL: config.logLevel,
  POWERTOOLS_METRICS_NAMESPACE: metricsNamespace(config.stage),
  ...Object.fromEntries(
    Object.entries(config.features).map(([feature, on]) => [`FEATURE_${feature.toUpperCase()}`, on ? 'on' : 'off']),
  ),
  // Prices and the treatment of edits are returned by public routes too.
  LIVE_EDITS: config.liveEdits,
  PREMIUM_PRICE: String(config.payments.premiumPrice),
  CURRENCY: config.payments.currency,
  ...named('PROMOTION_PRICE', config.promotions.monthlyPrices),
  ...named('PROMOTION_SLOTS', config.promotions.places),
});

/** The variables of a route's function, except those that come with its permissions. */
export const routeVariables = ({ config }: StackContext, { tier }: Route): Record<string, string> => {
  const limit = tier === 'none' ? undefined : config.rateLimits[tier];
  return {
    ALLOWED_ORIGINS: config.allowedOrigins.join(','),
    HTTPS_ONLY: 'on',
    ...(limit !== undefined && { [`RATE_LIMIT_${tier.toUpperCase()}`]: limit }),
  };
};
