import { Duration } from 'aws-cdk-lib';
import { EventSourceMapping, StartingPosition } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { outboxFilter } from '#data/event-log.ts';
import { streamArnOf } from '#lib/config/names.ts';
import { serviceMetric } from '#lib/dashboard/metrics.ts';
import { publisher } from '#lib/handlers.ts';
import type { Roles } from '#lib/iam/roles.ts';
import { allowSendTo } from '#lib/iam/statements.ts';
import type { StackContext } from '#lib/stack-context.ts';
import { DeadLetterQueue } from './dead-letter-queue.ts';
import { ALARM_PERIOD, RunbookAlarm } from './runbook-alarm.ts';
import { ServiceFunction } from './service-function.ts';

/**
 * The function that publishes outbox events to the bus. The table’s stream invokes it with new outbox items only. A
 * failing batch is split in halves and retried, so that one bad record does not delay others for long; records that
 * fail for twelve hours are reported to a queue and remain in the outbox.
 */
export class Publisher extends Construct {
  constructor(scope: Construct, context: StackContext, roles: Roles) {
    super(scope, 'Publisher');
    const queue = new DeadLetterQueue(this, 'DeadLetters', {
      section: 'publisher-queue-not-empty',
      summary: 'Outbox events could not be published to the bus.',
    });
    const target = new ServiceFunction(scope, {
      context,
      roles,
      handlerFile: publisher,
      kind: 'publisher',
      description: 'Publishes new outbox events to the bus.',
    });
    const mapping = new EventSourceMapping(this, 'Stream', {
      target,
      eventSourceArn: streamArnOf(context.table),
      startingPosition: StartingPosition.TRIM_HORIZON,
      batchSize: 100,
      filters: [{ pattern: JSON.stringify(outboxFilter) }],
      reportBatchItemFailures: true,
      bisectBatchOnError: true,
      retryAttempts: 1000,
      maxRecordAge: Duration.hours(12),
      // CDK's SqsDestination would also allow reading queue attributes.
      onFailure: {
        bind: (_, sender) => {
          sender.addToRolePolicy(allowSendTo(queue));
          return { destination: queue.queueArn };
        },
      },
    });
    // Creating the mapping requires that the role can read the stream.
    if (target.role) mapping.node.addDependency(target.role);
    new RunbookAlarm(this, 'FallsBehind', {
      section: 'publisher-falls-behind',
      summary: 'Events are published more than a minute late.',
      metric: target.metric('IteratorAge', { period: ALARM_PERIOD, statistic: 'Maximum' }),
      threshold: Duration.minutes(1).toMilliseconds(),
      periods: 2,
    });
    new RunbookAlarm(this, 'ItemSkipped', {
      section: 'outbox-item-skipped',
      summary: 'An outbox event could not be read and was not published.',
      metric: serviceMetric(context.config.stage, 'OutboxItemSkipped', ALARM_PERIOD),
      threshold: 1,
    });
  }
}
