import { CrossStackReferences, Duration, ReferenceStrength } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, type IMetric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';

/** The sections of `docs/runbook.md` that alarms refer to. */
export type RunbookSection =
  | 'subscriber-queue-not-empty'
  | 'publisher-queue-not-empty'
  | 'publisher-falls-behind'
  | 'outbox-item-skipped'
  | 'job-queue-not-empty'
  | 'gateway-answers-5xx'
  | 'rate-counter-unavailable'
  | 'payment-mismatch'
  | 'rule-failed'
  | 'sign-in-fails'
  | 'responses-are-slow'
  | 'long-responses-are-slow'
  | 'functions-fail'
  | 'functions-are-throttled'
  | 'unhandled-errors'
  | 'table-throttles'
  | 'table-fails'
  | 'catalog-stale'
  | 'catalog-item-skipped'
  | 'job-did-not-run'
  | 'backup-fails'
  | 'mail-comes-back';

/** The evaluation period of most alarms. */
export const ALARM_PERIOD = Duration.minutes(5);

export interface RunbookAlarmProps {
  readonly section: RunbookSection;
  /** One sentence for the person on call. */
  readonly summary: string;
  readonly metric: IMetric;
  /** The alarm starts at this value or above; with `alarmWhenBelow`, below it. */
  readonly threshold: number;
  /** Consecutive periods; 1 by default. */
  readonly periods?: number;
  /**
   * The alarm reports that something does not happen, so missing data is breaching. For all other alarms missing data
   * is fine.
   */
  readonly alarmWhenBelow?: true;
}

/** An alarm whose description refers to a section of the runbook. */
export class RunbookAlarm extends Alarm {
  constructor(scope: Construct, id: string, props: RunbookAlarmProps) {
    super(scope, id, {
      alarmDescription: `${props.summary} See docs/runbook.md#${props.section}`,
      metric: props.metric,
      threshold: props.threshold,
      evaluationPeriods: props.periods ?? 1,
      comparisonOperator: props.alarmWhenBelow
        ? ComparisonOperator.LESS_THAN_THRESHOLD
        : ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: props.alarmWhenBelow ? TreatMissingData.BREACHING : TreatMissingData.NOT_BREACHING,
    });
    // A weak reference, so that the dashboard’s stack does not block removing the alarm.
    CrossStackReferences.of(this).produce(ReferenceStrength.WEAK);
  }
}
