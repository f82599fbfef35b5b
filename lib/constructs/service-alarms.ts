import { Duration } from 'aws-cdk-lib';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { Construct } from 'constructs';
import type { MetricName } from '#platform/metrics.ts';
import type { World } from './capabilities.ts';
import { ALARM_PERIOD, RunbookAlarm, type RunbookAlarmProps } from './runbook-alarm.ts';
import { serviceMetric } from './service-metric.ts';
import { tableMetric } from './table-metric.ts';

/** One is enough, and who has been told need not be told again within the hour. */
const AT_ONCE = { threshold: 1, period: Duration.hours(1) };

type Counted = Pick<RunbookAlarmProps, 'section' | 'says' | 'threshold'> & { readonly period: Duration };

/** Which of the service's own counts wake somebody; the others have their place on the dashboard only. */
const counted: Partial<Readonly<Record<MetricName, Counted>>> = {
  RateCounterUnavailable: {
    section: 'rate-counter-unavailable',
    says: 'Requests pass uncounted because the rate counter cannot be reached.',
    threshold: 10,
    period: ALARM_PERIOD,
  },
  PaymentMismatch: {
    section: 'payment-mismatch',
    says: 'Somebody has paid another amount than was asked and has got nothing for it.',
    ...AT_ONCE,
  },
  UnhandledError: {
    section: 'unhandled-errors',
    says: 'A request has failed in a way that nobody has thought of.',
    ...AT_ONCE,
  },
  CatalogStale: {
    section: 'catalog-stale',
    says: 'Lists are answered from memory because the table cannot be reached.',
    threshold: 10,
    period: ALARM_PERIOD,
  },
  CatalogItemSkipped: {
    section: 'catalog-item-skipped',
    says: 'A listing cannot be read and is missing from lists.',
    ...AT_ONCE,
  },
};

/** A count over all functions of the account and region, which share one limit. */
const ofFunctions = (metricName: string): Metric =>
  new Metric({ namespace: 'AWS/Lambda', metricName, statistic: 'Sum', period: ALARM_PERIOD });

/**
 * Alarms that belong to no single part: of the service's own counts, of the table, and of all functions together. They look
 * at sums, for an alarm per function would cost more than most stages do.
 */
export class ServiceAlarms extends Construct {
  constructor(scope: Construct, id: string, { config, table }: World) {
    super(scope, id);
    for (const [name, { period, ...alarm }] of Object.entries(counted)) {
      new RunbookAlarm(this, name, { ...alarm, metric: serviceMetric(config.stage, name as MetricName, period) });
    }
    new RunbookAlarm(this, 'FunctionsFail', {
      section: 'functions-fail',
      says: 'Functions of this account end in errors that they do not catch.',
      metric: ofFunctions('Errors'),
      threshold: 5,
      periods: 2,
    });
    new RunbookAlarm(this, 'FunctionsThrottled', {
      section: 'functions-are-throttled',
      says: 'Functions of this account cannot be started because too many are running.',
      metric: ofFunctions('Throttles'),
      threshold: 10,
    });
    new RunbookAlarm(this, 'TableThrottles', {
      section: 'table-throttles',
      says: 'The table refuses requests because a part of it is asked for too much.',
      metric: tableMetric(table, { metricName: 'ThrottledRequests', period: ALARM_PERIOD }),
      threshold: 25,
      periods: 2,
    });
    new RunbookAlarm(this, 'TableFails', {
      section: 'table-fails',
      says: 'The table answers with failures of its own.',
      metric: tableMetric(table, { metricName: 'SystemErrors', period: ALARM_PERIOD }),
      threshold: 5,
    });
  }
}
