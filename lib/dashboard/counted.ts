import type { IMetric } from 'aws-cdk-lib/aws-cloudwatch';
import type { MetricName } from '#platform/metrics.ts';
import { serviceMetric } from '../constructs/service-metric.ts';
import { GRAPH_PERIOD } from './graph.ts';

/** The graphs that show what the service counts by itself. */
export type Topic = 'errors' | 'limits' | 'events' | 'mail' | 'payments' | 'catalog';

/** On which graph each of the service's own counts is shown: a new one without a place does not compile. */
export const topicOf: Readonly<Record<MetricName, Topic>> = {
  UnhandledError: 'errors',
  RateCounterUnavailable: 'limits',
  OutboxItemSkipped: 'events',
  MailBounced: 'mail',
  MailComplained: 'mail',
  MailWithheld: 'mail',
  PaymentMismatch: 'payments',
  CatalogReload: 'catalog',
  CatalogSnapshotUnusable: 'catalog',
  CatalogStale: 'catalog',
  CatalogItemSkipped: 'catalog',
};

/** The service's own counts for one graph. */
export const countedFor = (topic: Topic, stage: string): readonly IMetric[] =>
  (Object.keys(topicOf) as MetricName[])
    .filter((name) => topicOf[name] === topic)
    .map((name) => serviceMetric(stage, name, GRAPH_PERIOD).with({ label: name }));
