import type { Route } from '#contract/route.ts';
import type { World } from './capabilities.ts';

/** Where the metrics of a stage's own code are collected. */
export const metricsNamespace = (stage: string): string => `Directory/${stage}`;

const named = (prefix: string, values: Readonly<Record<string, number | string | undefined>>): Record<string, string> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [`${prefix}_${name.toUpperCase()}`, String(value)]));

/** The variables of every function. What a switch or a limit is not given here keeps its default. */
export const commonVariables = ({ config, table }: World): Record<string, string> => ({
  TABLE_NAME: table.tableName,
  LOG_LEVEL: config.logLevel,
  POWERTOOLS_METRICS_NAMESPACE: metricsNamespace(config.stage),
  ...Object.fromEntries(
    Object.entries(config.features).map(([feature, on]) => [`FEATURE_${feature.toUpperCase()}`, on ? 'on' : 'off']),
  ),
  // Not only who sells must know what things cost: front ends are told too.
  PREMIUM_PRICE: String(config.payments.premiumPrice),
  CURRENCY: config.payments.currency,
  ...named('PROMOTION_PRICE', config.promotions.monthlyPrices),
  ...named('PROMOTION_SLOTS', config.promotions.places),
});

/** The variables of a route's function beside those of its grants. */
export const routeVariables = ({ config }: World, { tier }: Route): Record<string, string> => {
  const limit = tier === 'none' ? undefined : config.rateLimits[tier];
  return {
    ALLOWED_ORIGINS: config.allowedOrigins.join(','),
    ...(limit !== undefined && { [`RATE_LIMIT_${tier.toUpperCase()}`]: limit }),
  };
};
