import { Duration } from 'aws-cdk-lib';
import { Rule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { Construct } from 'constructs';
import { doorOf } from '#contract/table.ts';
import { ruleOf } from '#events/publish.ts';
import type { Subscription } from '#events/subscriptions.ts';
import { constructIdOf } from '../doors.ts';
import type { World } from './capabilities.ts';
import { DeadLetterQueue } from './dead-letter-queue.ts';
import type { Roles } from './roles.ts';
import { ServiceFunction } from './service-function.ts';

/**
 * A subscription: its function, the rule that starts it, and the queue for what it could not deal with. Delivery and
 * work fail in different places (the bus cannot start the function, the function throws); both end in the one queue, and
 * both leave the event there as the bus sent it.
 */
export class Subscriber extends Construct {
  constructor(scope: Construct, world: World, roles: Roles, subscription: Subscription) {
    super(scope, `${constructIdOf(subscription.id)}Subscription`);
    const queue = new DeadLetterQueue(this, 'DeadLetters', {
      section: 'subscriber-queue-not-empty',
      says: `${subscription.id} could not deal with an event.`,
    });
    const target = new ServiceFunction(scope, {
      world,
      roles,
      door: { id: subscription.id, path: doorOf(subscription.id) },
      kind: 'subscriber',
      description: subscription.summary,
      grants: subscription.needs,
      timeoutSeconds: subscription.timeoutSeconds,
      deadLetterQueue: queue,
    });
    const { source, 'detail-type': detailType } = ruleOf(subscription);
    new Rule(this, 'Rule', {
      description: subscription.summary,
      eventBus: world.bus,
      eventPattern: { source, detailType },
      targets: [
        new LambdaFunction(target, { deadLetterQueue: queue, retryAttempts: 185, maxEventAge: Duration.hours(24) }),
      ],
    });
  }
}
