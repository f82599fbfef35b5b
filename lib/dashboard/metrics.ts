import type { Duration } from 'aws-cdk-lib';
import { type IMetric, MathExpression, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { metricsNamespace } from '#lib/config/environment.ts';
import type { MetricName } from '#platform/metrics.ts';
import { GRAPH_PERIOD } from './graph.ts';

/** A metric that the service publishes, over all functions of the stage. */
export const serviceMetric = (stage: string, name: MetricName, period: Duration): Metric =>
  new Metric({
    namespace: metricsNamespace(stage),
    metricName: name,
    dimensionsMap: { service: 'directory' },
    statistic: 'Sum',
    period,
  });

interface TableMetricProps {
  /** A DynamoDB metric with an Operation dimension. */
  readonly metricName: string;
  /** The statistic per period; `SUM` when absent. */
  readonly statistic?: 'SUM' | 'AVG' | 'MAX';
  /** One series per operation; all operations combined when absent. */
  readonly perOperation?: true;
  readonly period: Duration;
}

/** A metric of the table over all operations, by a query: operations without data points cannot be enumerated. */
export const tableMetric = (table: TableV2, { metricName, statistic, perOperation, period }: TableMetricProps) =>
  new MathExpression({
    expression: [
      `SELECT ${statistic ?? 'SUM'}(${metricName})`,
      'FROM SCHEMA("AWS/DynamoDB", Operation, TableName)',
      `WHERE TableName = '${table.tableName}'`,
      ...(perOperation ? ['GROUP BY Operation'] : []),
    ].join(' '),
    label: perOperation ? '' : metricName,
    period,
  });

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
