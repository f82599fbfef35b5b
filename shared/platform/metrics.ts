import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';

/** What is counted beside what the runtime counts by itself; every name has its place on the dashboard or in an alarm. */
export type MetricName =
  | 'RateCounterUnavailable'
  | 'UnhandledError'
  | 'CatalogItemSkipped'
  | 'CatalogReload'
  | 'CatalogStale'
  | 'PaymentMismatch'
  | 'MailBounced'
  | 'MailComplained'
  | 'MailWithheld'
  | 'OutboxItemSkipped';

// Without a namespace nobody collects, and the lines would only be noise.
const metrics = process.env.POWERTOOLS_METRICS_NAMESPACE ? new Metrics({ serviceName: 'directory' }) : undefined;

/** Counts one occurrence, at once: a function that is frozen afterwards loses nothing. */
export const count = (name: MetricName, value = 1): void => {
  metrics?.singleMetric().addMetric(name, MetricUnit.Count, value);
};
