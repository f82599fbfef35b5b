import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';

/** Custom metrics; each is on the dashboard or has an alarm. */
export type MetricName =
  | 'RateCounterUnavailable'
  | 'UnhandledError'
  | 'SlowResponse'
  | 'SlowLongResponse'
  | 'CatalogItemSkipped'
  | 'CatalogReload'
  | 'CatalogSnapshotUnusable'
  | 'CatalogStale'
  | 'PaymentMismatch'
  | 'RuleFailed'
  | 'MailBounced'
  | 'MailComplained'
  | 'MailWithheld'
  | 'DeadLetterStored'
  | 'OutboxItemSkipped';

let metrics: Metrics | undefined;

/** Lazy, because most processes never count anything. */
const collector = (): Metrics | undefined => {
  // Without a namespace, metrics are not collected.
  if (process.env.POWERTOOLS_METRICS_NAMESPACE) metrics ??= new Metrics({ serviceName: 'directory' });
  return metrics;
};

/** Writes a metric immediately, so that it is not lost when the function is frozen. */
export const count = (name: MetricName, value = 1): void => {
  collector()?.singleMetric().addMetric(name, MetricUnit.Count, value);
};
