import { CrossStackReferences, Duration, ReferenceStrength, Validations } from 'aws-cdk-lib';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { ALARM_PERIOD, RunbookAlarm, type RunbookSection } from './runbook-alarm.ts';

export interface DeadLetterQueueProps {
  readonly section: RunbookSection;
  /** One sentence for whoever is woken. */
  readonly says: string;
}

/** Where work ends that failed for good: kept for two weeks, and an alarm as soon as there is anything. */
export class DeadLetterQueue extends Queue {
  /** What it belongs to, for graphs. */
  readonly label: string;

  constructor(scope: Construct, id: string, props: DeadLetterQueueProps) {
    super(scope, id, {
      retentionPeriod: Duration.days(14),
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
    });
    this.label = scope.node.id;
    // The dashboard of another stack must not keep it from being taken away.
    CrossStackReferences.of(this).produce(ReferenceStrength.WEAK);
    new RunbookAlarm(this, 'NotEmpty', {
      section: props.section,
      says: props.says,
      metric: this.metricApproximateNumberOfMessagesVisible({ period: ALARM_PERIOD, statistic: 'Maximum' }),
      threshold: 1,
    });
    Validations.of(this).acknowledge({
      id: 'AwsSolutions-SQS3',
      reason:
        'It is itself a dead-letter queue: of a function, a rule or a stream, some of which the check does not see.',
    });
  }
}
