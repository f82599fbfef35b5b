import type { Duration } from 'aws-cdk-lib';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { MetricName } from '#platform/metrics.ts';
import { metricsNamespace } from './environment.ts';

/** A metric that the service publishes, over all functions of the stage. */
export const serviceMetric = (stage: string, name: MetricName, period: Duration): Metric =>
  new Metric({
    namespace: metricsNamespace(stage),
    metricName: name,
    dimensionsMap: { service: 'directory' },
    statistic: 'Sum',
    period,
  });
