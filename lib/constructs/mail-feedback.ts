import { Duration } from 'aws-cdk-lib';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { Rule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { Construct } from 'constructs';
import { mailFeedback, replaysOf } from '#events/subscriptions.ts';
import { handlerFileWith } from '#lib/handlers.ts';
import type { Roles } from '#lib/iam/roles.ts';
import type { StackContext } from '#lib/stack-context.ts';
import { DeadLetterQueue } from './dead-letter-queue.ts';
import { RunbookAlarm } from './runbook-alarm.ts';
import { ServiceFunction } from './service-function.ts';

/** The bounce and complaint rates at which SES reviews an account. The alarms use half of them. */
const BOUNCE_REVIEW_RATE = 0.05;
const COMPLAINT_REVIEW_RATE = 0.001;

/**
 * The function that records bounces and complaints, its rule, and its dead-letter queue. The rule is on the default bus
 * of the account and matches only mail of this stage.
 */
export class MailFeedback extends Construct {
  readonly deadLetters: DeadLetterQueue;

  constructor(scope: Construct, context: StackContext, roles: Roles) {
    super(scope, 'MailFeedback');
    this.deadLetters = new DeadLetterQueue(this, 'DeadLetters', {
      section: 'subscriber-queue-not-empty',
      summary: 'A bounce or complaint could not be recorded.',
    });
    const target = new ServiceFunction(scope, {
      context,
      roles,
      handlerFile: handlerFileWith(mailFeedback.id),
      kind: 'subscriber',
      description: mailFeedback.summary,
      deadLetterQueue: this.deadLetters,
    });
    const delivery = new LambdaFunction(target, {
      deadLetterQueue: this.deadLetters,
      retryAttempts: 185,
      maxEventAge: Duration.hours(24),
    });
    new Rule(this, 'Rule', {
      description: mailFeedback.summary,
      eventPattern: {
        source: [mailFeedback.source],
        detailType: Object.values(mailFeedback.kinds),
        detail: { mail: { tags: { 'ses:configuration-set': [context.mailings] } } },
      },
      targets: [delivery],
    });
    const { source, 'detail-type': detailType } = replaysOf(mailFeedback.id);
    new Rule(this, 'Replays', {
      description: 'Bounces and complaints that are replayed.',
      eventBus: context.bus,
      eventPattern: { source, detailType },
      targets: [delivery],
    });
    this.#addAlarm(context, 'Reputation.BounceRate', 'The bounce rate of mail is too high.', BOUNCE_REVIEW_RATE / 2);
    this.#addAlarm(
      context,
      'Reputation.ComplaintRate',
      'The complaint rate of mail is too high.',
      COMPLAINT_REVIEW_RATE / 2,
    );
  }

  #addAlarm({ mailings }: StackContext, metricName: string, summary: string, threshold: number): void {
    new RunbookAlarm(this, metricName.replace('.', ''), {
      section: 'mail-comes-back',
      summary,
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
