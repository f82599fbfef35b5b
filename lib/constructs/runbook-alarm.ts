import { CrossStackReferences, Duration, ReferenceStrength } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, type IMetric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';

/** The sections of `docs/runbook.md` that alarms send their reader to. */
export const runbookSections = [
  'subscriber-queue-not-empty',
  'publisher-queue-not-empty',
  'publisher-falls-behind',
  'outbox-item-skipped',
  'job-queue-not-empty',
  'gateway-answers-5xx',
  'rate-counter-unavailable',
  'payment-mismatch',
  'sign-in-fails',
  'gateway-is-slow',
  'functions-fail',
  'functions-are-throttled',
  'unhandled-errors',
  'table-throttles',
  'table-fails',
  'catalog-stale',
  'catalog-item-skipped',
  'job-did-not-run',
  'backup-fails',
  'mail-comes-back',
] as const;
export type RunbookSection = (typeof runbookSections)[number];

/** The period that alarms look at. */
export const ALARM_PERIOD = Duration.minutes(5);

export interface RunbookAlarmProps {
  readonly section: RunbookSection;
  /** One sentence for whoever is woken. */
  readonly says: string;
  readonly metric: IMetric;
  /** Alarms when the metric is this much or more; of `silence`, when it is less. */
  readonly threshold: number;
  /** How many periods in a row; one unless said. */
  readonly periods?: number;
  /** It is the alarm that something does not happen. Of all others it is good news when there are no numbers. */
  readonly silence?: true;
}

/** An alarm whose description says where to read on. */
export class RunbookAlarm extends Alarm {
  constructor(scope: Construct, id: string, props: RunbookAlarmProps) {
    super(scope, id, {
      alarmDescription: `${props.says} See docs/runbook.md#${props.section}`,
      metric: props.metric,
      threshold: props.threshold,
      evaluationPeriods: props.periods ?? 1,
      comparisonOperator: props.silence
        ? ComparisonOperator.LESS_THAN_THRESHOLD
        : ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: props.silence ? TreatMissingData.BREACHING : TreatMissingData.NOT_BREACHING,
    });
    // The dashboard of another stack must not keep it from being taken away.
    CrossStackReferences.of(this).produce(ReferenceStrength.WEAK);
  }
}
