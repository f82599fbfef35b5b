import { CrossStackReferences, Duration, ReferenceStrength, Validations } from 'aws-cdk-lib';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { ALARM_PERIOD, RunbookAlarm, type RunbookSection } from './runbook-alarm.ts';

interface DeadLetterQueueProps {
  readonly section: RunbookSection;
  /** One sentence for the person on call. */
  readonly summary: string;
}

/** A dead-letter queue: messages are kept for two weeks, and an alarm reports the first one. */
export class DeadLetterQueue extends Queue {
  /** The name of the owner, as a label in graphs. */
  readonly label: string;

  constructor(scope: Construct, id: string, props: DeadLetterQueueProps) {
    super(scope, id, {
      retentionPeriod: Duration.days(14),
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
    });
    this.label = scope.node.id;
    // A weak reference, so that the dashboard’s stack does not block removing the queue.
    CrossStackReferences.of(this).produce(ReferenceStrength.WEAK);
    new RunbookAlarm(this, 'NotEmpty', {
      section: props.section,
      summary: props.summary,
      metric: this.metricApproximateNumberOfMessagesVisible({ period: ALARM_PERIOD, statistic: 'Maximum' }),
      threshold: 1,
    });
    Validations.of(this).acknowledge({
      id: 'AwsSolutions-SQS3',
      reason:
        'This is a dead-letter queue: of a function, a rule or a stream, some of which the check does not recognize.',
    });
  }
}
