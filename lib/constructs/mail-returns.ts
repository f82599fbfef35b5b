import { Duration } from 'aws-cdk-lib';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { Rule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { Construct } from 'constructs';
import { doorOf } from '#contract/table.ts';
import { mailReturns } from '#events/mail-returns.ts';
import type { World } from './capabilities.ts';
import { DeadLetterQueue } from './dead-letter-queue.ts';
import type { Roles } from './roles.ts';
import { RunbookAlarm } from './runbook-alarm.ts';
import { ServiceFunction } from './service-function.ts';

/** What share of all mail may come back, and be complained of, before SES looks into the account; half of that wakes somebody. */
const BOUNCES_REVIEWED = 0.05;
const COMPLAINTS_REVIEWED = 0.001;

/**
 * The function that is told what mail came back, the rule that starts it, and the queue for what it could not deal with. The rule
 * stands on the account's default bus and takes only what this stage has sent.
 */
export class MailReturns extends Construct {
  constructor(scope: Construct, world: World, roles: Roles) {
    super(scope, 'MailReturns');
    const queue = new DeadLetterQueue(this, 'DeadLetters', {
      section: 'subscriber-queue-not-empty',
      says: 'It could not be noted that mail came back.',
    });
    const target = new ServiceFunction(scope, {
      world,
      roles,
      door: { id: mailReturns.id, path: doorOf(mailReturns.id) },
      kind: 'subscriber',
      description: mailReturns.summary,
      grants: mailReturns.needs,
      deadLetterQueue: queue,
    });
    new Rule(this, 'Rule', {
      description: mailReturns.summary,
      eventPattern: {
        source: [mailReturns.source],
        detailType: Object.values(mailReturns.kinds),
        detail: { mail: { tags: { 'ses:configuration-set': [world.mailings] } } },
      },
      targets: [
        new LambdaFunction(target, { deadLetterQueue: queue, retryAttempts: 185, maxEventAge: Duration.hours(24) }),
      ],
    });
    this.#watch(world, 'Reputation.BounceRate', 'Too much mail comes back.', BOUNCES_REVIEWED / 2);
    this.#watch(world, 'Reputation.ComplaintRate', 'Too many complain of mail.', COMPLAINTS_REVIEWED / 2);
  }

  #watch({ mailings }: World, metricName: string, says: string, threshold: number): void {
    new RunbookAlarm(this, metricName.replace('.', ''), {
      section: 'mail-comes-back',
      says,
      metric: new Metric({
        namespace: 'AWS/SES',
        metricName,
        dimensionsMap: { 'ses:configuration-set': mailings },
        statistic: 'Average',
        period: Duration.hours(1),
      }),
      threshold,
    });
  }
}
