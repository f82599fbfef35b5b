import { Duration } from 'aws-cdk-lib';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import type { Job } from '#events/jobs.ts';
import { nextDue } from '#model/job.ts';
import { RunbookAlarm } from './runbook-alarm.ts';

const DAY_MS = 86_400_000;
/** Every schedule repeats within a week; two weeks contain its longest pause. */
const OBSERVED_DAYS = 15;
const PAUSE_DAYS_MAX = 7;

/**
 * The longest time between two runs, in milliseconds.
 * @throws {Error} for an invalid expression and for pauses of more than a week.
 */
export const longestPause = (expression: string): number => {
  const end = OBSERVED_DAYS * DAY_MS;
  let pause = 0;
  for (let last = nextDue(expression, 0); last < end; ) {
    const next = nextDue(expression, last);
    pause = Math.max(pause, next - last);
    last = next;
  }
  if (pause === 0 || pause > PAUSE_DAYS_MAX * DAY_MS) {
    throw new Error(`The schedule ${expression} has pauses of more than a week.`);
  }
  return pause;
};

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
const silenceWindowOf = ({
  schedule,
  flexibleMinutes = 0,
}: Pick<Job, 'schedule' | 'flexibleMinutes'>): SilenceWindow => {
  const minutes = longestPause(schedule) / 60_000 + flexibleMinutes + TOLERANCE_MINUTES;
  const period = minutes <= LONG_PERIOD.toMinutes() ? SHORT_PERIOD : LONG_PERIOD;
  return { period, periods: Math.ceil(minutes / period.toMinutes()) + 1 };
};

/** Reports that a job was not invoked, for example because its schedule was disabled or deleted. */
export class MissedRunAlarm extends RunbookAlarm {
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
