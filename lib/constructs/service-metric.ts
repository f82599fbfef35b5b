import type { Duration } from 'aws-cdk-lib';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { MetricName } from '#platform/metrics.ts';
import { metricsNamespace } from './environment.ts';

/** How often something has happened that the service counts by itself, all functions of the stage together. */
export const serviceMetric = (stage: string, name: MetricName, period: Duration): Metric =>
  new Metric({
    namespace: metricsNamespace(stage),
    metricName: name,
    dimensionsMap: { service: 'directory' },
    statistic: 'Sum',
    period,
  });
