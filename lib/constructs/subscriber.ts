import { Duration } from 'aws-cdk-lib';
import { Rule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { Construct } from 'constructs';
import { ruleOf, type Subscription } from '#events/subscriptions.ts';
import { constructIdOf, handlerFileWith } from '#lib/handlers.ts';
import type { Roles } from '#lib/iam/roles.ts';
import type { StackContext } from '#lib/stack-context.ts';
import { DeadLetterQueue } from './dead-letter-queue.ts';
import { ServiceFunction } from './service-function.ts';

/**
 * A subscription: its function, the rule that invokes it, and a dead-letter queue. Failed deliveries (the bus cannot
 * invoke the function) and failed runs (the function throws) both end in the queue, with the event as the bus sent it.
 */
export class Subscriber extends Construct {
  readonly deadLetters: DeadLetterQueue;

  constructor(scope: Construct, context: StackContext, roles: Roles, subscription: Subscription) {
    super(scope, `${constructIdOf(subscription.id)}Subscription`);
    this.deadLetters = new DeadLetterQueue(this, 'DeadLetters', {
      section: 'subscriber-queue-not-empty',
      summary: `${subscription.id} failed to process an event.`,
    });
    const target = new ServiceFunction(scope, {
      context,
      roles,
      handlerFile: handlerFileWith(subscription.id),
      kind: 'subscriber',
      description: subscription.summary,
      timeoutSeconds: subscription.timeoutSeconds,
      deadLetterQueue: this.deadLetters,
    });
    const { source, 'detail-type': detailType } = ruleOf(subscription);
    new Rule(this, 'Rule', {
      description: subscription.summary,
      eventBus: context.bus,
      eventPattern: { source, detailType },
      targets: [
        new LambdaFunction(target, {
          deadLetterQueue: this.deadLetters,
          retryAttempts: 185,
          maxEventAge: Duration.hours(24),
        }),
      ],
    });
  }
}
