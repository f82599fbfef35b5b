import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';

/** What is counted beside what the runtime counts by itself; every name has its place on the dashboard or in an alarm. */
export type MetricName =
  | 'RateCounterUnavailable'
  | 'UnhandledError'
  | 'CatalogItemSkipped'
  | 'CatalogReload'
  | 'CatalogSnapshotUnusable'
  | 'CatalogStale'
  | 'PaymentMismatch'
  | 'MailBounced'
  | 'MailComplained'
  | 'MailWithheld'
  | 'OutboxItemSkipped';

let metrics: Metrics | undefined;

/** Made when there is something to count, which most processes never have. */
const collected = (): Metrics | undefined => {
  // Without a namespace nobody collects, and the lines would only be noise.
  if (process.env.POWERTOOLS_METRICS_NAMESPACE) metrics ??= new Metrics({ serviceName: 'directory' });
  return metrics;
};

/** Counts one occurrence, at once: a function that is frozen afterwards loses nothing. */
export const count = (name: MetricName, value = 1): void => {
  collected()?.singleMetric().addMetric(name, MetricUnit.Count, value);
};
