import type { IMetric } from 'aws-cdk-lib/aws-cloudwatch';
import { serviceMetric } from '#lib/constructs/service-metric.ts';
import type { MetricName } from '#platform/metrics.ts';
import { GRAPH_PERIOD } from './graph.ts';

/** The graphs of the service metrics. */
export type Topic = 'errors' | 'latency' | 'limits' | 'events' | 'mail' | 'payments' | 'catalog';

/** The graph of each service metric; a new metric without a graph does not compile. */
export const topicByMetric: Readonly<Record<MetricName, Topic>> = {
  UnhandledError: 'errors',
  SlowResponse: 'latency',
  SlowLongResponse: 'latency',
  RateCounterUnavailable: 'limits',
  OutboxItemSkipped: 'events',
  DeadLetterStored: 'events',
  MailBounced: 'mail',
  MailComplained: 'mail',
  MailWithheld: 'mail',
  PaymentMismatch: 'payments',
  RuleFailed: 'errors',
  CatalogReload: 'catalog',
  CatalogSnapshotUnusable: 'catalog',
  CatalogStale: 'catalog',
  CatalogItemSkipped: 'catalog',
};

/** The service metrics of one graph. */
export const serviceMetricsFor = (topic: Topic, stage: string): readonly IMetric[] =>
  (Object.keys(topicByMetric) as MetricName[])
    .filter((name) => topicByMetric[name] === topic)
    .map((name) => serviceMetric(stage, name, GRAPH_PERIOD).with({ label: name }));
