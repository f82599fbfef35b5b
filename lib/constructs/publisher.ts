import { Duration } from 'aws-cdk-lib';
import { EventSourceMapping, StartingPosition } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { doorOf } from '#contract/table.ts';
import { outboxFilter } from '#events/publish.ts';
import { publisher } from '../doors.ts';
import { streamArnOf } from './addresses.ts';
import { maySendTo, type World } from './capabilities.ts';
import { DeadLetterQueue } from './dead-letter-queue.ts';
import type { Roles } from './roles.ts';
import { ALARM_PERIOD, RunbookAlarm } from './runbook-alarm.ts';
import { ServiceFunction } from './service-function.ts';
import { serviceMetric } from './service-metric.ts';

/**
 * The way from the outbox to the bus: the table's stream starts a function with what was newly put there. Counters and
 * other changes of the table start nothing. A batch that fails is tried again in halves, so that one bad record does not
 * hold up the good ones for long; what fails for half a day is reported to a queue, and still stands in the outbox.
 */
export class Publisher extends Construct {
  constructor(scope: Construct, world: World, roles: Roles) {
    super(scope, 'Publisher');
    const queue = new DeadLetterQueue(this, 'DeadLetters', {
      section: 'publisher-queue-not-empty',
      says: 'Events of the outbox could not be put on the bus.',
    });
    const target = new ServiceFunction(scope, {
      world,
      roles,
      door: { id: publisher.id, path: doorOf(publisher.id) },
      kind: 'publisher',
      description: 'Puts new events of the outbox on the bus.',
      grants: publisher.needs,
    });
    const mapping = new EventSourceMapping(this, 'Stream', {
      target,
      eventSourceArn: streamArnOf(world.table),
      startingPosition: StartingPosition.TRIM_HORIZON,
      batchSize: 100,
      filters: [{ pattern: JSON.stringify(outboxFilter) }],
      reportBatchItemFailures: true,
      bisectBatchOnError: true,
      retryAttempts: 1000,
      maxRecordAge: Duration.hours(12),
      // CDK's own destination would let the function look at its queue, too, which nobody does.
      onFailure: {
        bind: (_, sender) => {
          sender.addToRolePolicy(maySendTo(queue));
          return { destination: queue.queueArn };
        },
      },
    });
    // Creating the mapping checks that the role may read the stream.
    if (target.role) mapping.node.addDependency(target.role);
    new RunbookAlarm(this, 'FallsBehind', {
      section: 'publisher-falls-behind',
      says: 'Events reach the bus more than a minute late.',
      metric: target.metric('IteratorAge', { period: ALARM_PERIOD, statistic: 'Maximum' }),
      threshold: Duration.minutes(1).toMilliseconds(),
      periods: 2,
    });
    new RunbookAlarm(this, 'ItemSkipped', {
      section: 'outbox-item-skipped',
      says: 'An event of the outbox could not be read and nobody was told of it.',
      metric: serviceMetric(world.config.stage, 'OutboxItemSkipped', ALARM_PERIOD),
      threshold: 1,
    });
  }
}
