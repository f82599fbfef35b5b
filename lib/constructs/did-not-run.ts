import { Duration } from 'aws-cdk-lib';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import type { Job } from '#events/jobs.ts';
import { longestPause } from '#events/schedule-expression.ts';
import { RunbookAlarm } from './runbook-alarm.ts';

/** How late a run may be before anybody asks, in minutes. */
const LATE_MINUTES = 15;

/** Alarms can look back a day by short periods, and a week by the hour. */
const SHORT = Duration.minutes(5);
const LONG = Duration.hours(1);

interface Watch {
  readonly period: Duration;
  /** How many periods without a run are one too many; the first of them has only just begun. */
  readonly periods: number;
}

/** How long a job may be silent: its longest pause by the schedule, what it may be late, and a little more. */
export const watchOf = ({ schedule, flexibleMinutes = 0 }: Pick<Job, 'schedule' | 'flexibleMinutes'>): Watch => {
  const minutes = longestPause(schedule) / 60_000 + flexibleMinutes + LATE_MINUTES;
  const period = minutes <= LONG.toMinutes() ? SHORT : LONG;
  return { period, periods: Math.ceil(minutes / period.toMinutes()) + 1 };
};

/** The alarm that a job has not even been started: its schedule is switched off, or somebody has taken it away. */
export class DidNotRun extends RunbookAlarm {
  constructor(scope: Construct, id: string, job: Job, target: IFunction) {
    const { period, periods } = watchOf(job);
    super(scope, id, {
      section: 'job-did-not-run',
      says: `The job ${job.route.id} has not been started for too long.`,
      metric: target.metricInvocations({ period, statistic: 'Sum' }),
      threshold: 1,
      periods,
      silence: true,
    });
  }
}
