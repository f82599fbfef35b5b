import { Duration } from 'aws-cdk-lib';
import { MathExpression, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { Construct } from 'constructs';
import { serviceMetric, tableMetric } from '#lib/dashboard/metrics.ts';
import type { Gateway } from '#lib/gateway/gateway.ts';
import type { StackContext } from '#lib/stack-context.ts';
import type { MetricName } from '#platform/metrics.ts';
import { ALARM_PERIOD, RunbookAlarm, type RunbookAlarmProps } from './runbook-alarm.ts';

/** Alarms on the first occurrence, at most once an hour. */
const HOURLY = { threshold: 1, period: Duration.hours(1) };

type Counted = Pick<RunbookAlarmProps, 'section' | 'summary' | 'threshold'> & { readonly period: Duration };

/** The service metrics with an alarm; the others are on the dashboard only. */
const counted: Partial<Readonly<Record<MetricName, Counted>>> = {
  RateCounterUnavailable: {
    section: 'rate-counter-unavailable',
    summary: 'Requests are not rate limited because the rate counter is unavailable.',
    threshold: 10,
    period: ALARM_PERIOD,
  },
  PaymentMismatch: {
    section: 'payment-mismatch',
    summary: 'A payment differs from the price of its checkout and was not fulfilled.',
    ...HOURLY,
  },
  RuleFailed: {
    section: 'rule-failed',
    summary: 'A rule for submissions could not be evaluated and holds them.',
    ...HOURLY,
  },
  UnhandledError: {
    section: 'unhandled-errors',
    summary: 'A request failed with an unexpected error.',
    ...HOURLY,
  },
  CatalogStale: {
    section: 'catalog-stale',
    summary: 'Lists are served from stale catalogs because the table is unavailable.',
    threshold: 10,
    period: ALARM_PERIOD,
  },
  SlowLongResponse: {
    section: 'long-responses-are-slow',
    summary: 'Exports, bulk changes or model calls take more than half of their time.',
    threshold: 3,
    period: Duration.minutes(15),
  },
  CatalogItemSkipped: {
    section: 'catalog-item-skipped',
    summary: 'A listing cannot be read and is missing from lists.',
    ...HOURLY,
  },
};

/** The share of slow responses that raises an alarm, in percent. Single ones are cold starts. */
const SLOW_PERCENT = 1;
const SLOW_PERIODS = 3;

/** Slow responses in percent of all requests, without routes that may take longer. */
const slowShare = (stage: string, gateways: readonly Gateway[]): MathExpression => {
  const counts = gateways.map(({ deploymentStage }) => deploymentStage.metricCount({ period: ALARM_PERIOD }));
  const names = counts.map((_, position) => `requests${position}`);
  return new MathExpression({
    // SUM ignores a gateway without requests.
    expression: `100 * slow / SUM([${names.join(', ')}])`,
    usingMetrics: {
      slow: serviceMetric(stage, 'SlowResponse', ALARM_PERIOD),
      ...Object.fromEntries(counts.map((count, position) => [`requests${position}`, count])),
    },
    label: 'Slow responses, percent',
    period: ALARM_PERIOD,
  });
};

/** A Lambda metric over all functions of the account and region, which share one concurrency limit. */
const lambdaMetric = (metricName: string): Metric =>
  new Metric({ namespace: 'AWS/Lambda', metricName, statistic: 'Sum', period: ALARM_PERIOD });

/**
 * Alarms of the service metrics, the table, and all functions together: one alarm per function would cost more than
 * most stages.
 */
export class ServiceAlarms extends Construct {
  constructor(scope: Construct, id: string, { config, table }: StackContext, gateways: readonly Gateway[]) {
    super(scope, id);
    for (const [name, { period, ...alarm }] of Object.entries(counted)) {
      new RunbookAlarm(this, name, { ...alarm, metric: serviceMetric(config.stage, name as MetricName, period) });
    }
    new RunbookAlarm(this, 'SlowResponses', {
      section: 'responses-are-slow',
      summary: 'One response in a hundred takes five seconds or more.',
      metric: slowShare(config.stage, gateways),
      threshold: SLOW_PERCENT,
      periods: SLOW_PERIODS,
    });
    new RunbookAlarm(this, 'FunctionsFail', {
      section: 'functions-fail',
      summary: 'Functions of this account fail with uncaught errors.',
      metric: lambdaMetric('Errors'),
      threshold: 5,
      periods: 2,
    });
    new RunbookAlarm(this, 'FunctionsThrottled', {
      section: 'functions-are-throttled',
      summary: 'Invocations in this account are throttled because the concurrency limit is reached.',
      metric: lambdaMetric('Throttles'),
      threshold: 10,
    });
    new RunbookAlarm(this, 'TableThrottles', {
      section: 'table-throttles',
      summary: 'The table throttles requests because a partition is overloaded.',
      metric: tableMetric(table, { metricName: 'ThrottledRequests', period: ALARM_PERIOD }),
      threshold: 25,
      periods: 2,
    });
    new RunbookAlarm(this, 'TableFails', {
      section: 'table-fails',
      summary: 'The table responds with server errors.',
      metric: tableMetric(table, { metricName: 'SystemErrors', period: ALARM_PERIOD }),
      threshold: 5,
    });
  }
}
