import { Duration } from 'aws-cdk-lib';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import type { Job } from '#events/jobs.ts';
import { longestPause } from '#lib/schedules.ts';
import { RunbookAlarm } from './runbook-alarm.ts';

/** Tolerated delay of a run, in minutes. */
const TOLERANCE_MINUTES = 15;

/** CloudWatch evaluates at most one day of shorter periods, and seven days of periods from one hour. */
const SHORT_PERIOD = Duration.minutes(5);
const LONG_PERIOD = Duration.hours(1);

interface SilenceWindow {
  readonly period: Duration;
  /** Consecutive periods without a run before the alarm; the first one is incomplete. */
  readonly periods: number;
}

/** The longest time without a run: the longest pause of the schedule, its flexible window and the tolerance. */
export const silenceWindowOf = ({
  schedule,
  flexibleMinutes = 0,
}: Pick<Job, 'schedule' | 'flexibleMinutes'>): SilenceWindow => {
  const minutes = longestPause(schedule) / 60_000 + flexibleMinutes + TOLERANCE_MINUTES;
  const period = minutes <= LONG_PERIOD.toMinutes() ? SHORT_PERIOD : LONG_PERIOD;
  return { period, periods: Math.ceil(minutes / period.toMinutes()) + 1 };
};

/** Reports that a job was not invoked, for example because its schedule was disabled or deleted. */
export class DidNotRun extends RunbookAlarm {
  constructor(scope: Construct, id: string, job: Job, target: IFunction) {
    const { period, periods } = silenceWindowOf(job);
    super(scope, id, {
      section: 'job-did-not-run',
      summary: `The job ${job.route.id} has not been started for too long.`,
      metric: target.metricInvocations({ period, statistic: 'Sum' }),
      threshold: 1,
      periods,
      alarmWhenBelow: true,
    });
  }
}
