import { CfnOutput, Duration, Stack, type StackProps } from 'aws-cdk-lib';
import { Archive, EventBus } from 'aws-cdk-lib/aws-events';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { SOURCE } from '#events/catalogue.ts';
import { jobs } from '#events/jobs.ts';
import { mailFeedback, subscriptions } from '#events/subscriptions.ts';
import { uniqueName } from '#lib/config/names.ts';
import { functionParameter } from '#lib/config/parameters.ts';
import { MailFeedback } from '#lib/constructs/mail-feedback.ts';
import { Publisher } from '#lib/constructs/publisher.ts';
import { ALARM_PERIOD, RunbookAlarm } from '#lib/constructs/runbook-alarm.ts';
import { Schedule } from '#lib/constructs/schedule.ts';
import { SsmReference } from '#lib/constructs/ssm-reference.ts';
import { Subscriber } from '#lib/constructs/subscriber.ts';
import { serviceMetric } from '#lib/dashboard/metrics.ts';
import { constructIdOf } from '#lib/handlers.ts';
import { Roles, SharedPolicies } from '#lib/iam/roles.ts';
import type { StackContext } from '#lib/stack-context.ts';
import type { DataStack } from './data-stack.ts';

interface EventsStackProps extends StackProps {
  readonly data: DataStack;
}

/** Event bus, publisher, subscribers and scheduled jobs. It has no state. */
export class EventsStack extends Stack {
  readonly bus: EventBus;
  /** The ARNs of the functions of jobs, by the ids of their handlers. */
  readonly #jobs: ReadonlyMap<string, SsmReference>;

  constructor(scope: Construct, id: string, { data, ...props }: EventsStackProps) {
    super(scope, id, props);
    this.bus = new EventBus(this, 'Bus', { description: 'What happens in the directory.' });
    const deadLetterQueues = new Map<string, IQueue>();
    const context: StackContext = { ...data.contextIn(this), bus: this.bus, deadLetterQueues };
    const { archiveDays } = context.config;
    if (archiveDays !== undefined) {
      // Commands (tasks) are not archived: the data that one of them deletes may have been created again since.
      new Archive(this, 'Archive', {
        // The default name, from stack and construct, can exceed the maximum length.
        archiveName: uniqueName(context.config),
        sourceEventBus: this.bus,
        description: 'The events of the bus, for replays.',
        eventPattern: { source: [SOURCE] },
        retention: Duration.days(archiveDays),
      });
    }
    const roles = new Roles(this, 'Roles', context, new SharedPolicies(this, 'Policies', context));
    new Publisher(this, context, roles);
    // The jobs follow: one of them reads these queues.
    deadLetterQueues.set(mailFeedback.id, new MailFeedback(this, context, roles).deadLetters);
    for (const subscription of subscriptions) {
      deadLetterQueues.set(subscription.id, new Subscriber(this, context, roles, subscription).deadLetters);
    }
    new RunbookAlarm(this, 'DeadLetterStored', {
      section: 'subscriber-queue-not-empty',
      summary: 'An event that a subscriber failed to process is among the dead letters.',
      metric: serviceMetric(context.config.stage, 'DeadLetterStored', ALARM_PERIOD),
      threshold: 1,
    });
    const followed = (handlerId: string, arn: string) =>
      new SsmReference(this, `${constructIdOf(handlerId)}Arn`, functionParameter(context.config, handlerId), arn);
    this.#jobs = new Map(
      jobs.map((job) => {
        const { target } = new Schedule(this, context, roles, job);
        return [job.route.id, followed(job.route.id, target.functionArn)];
      }),
    );
    new CfnOutput(this, 'BusName', { value: this.bus.eventBusName });
  }

  /** The ARNs of the functions of jobs, by the ids of their handlers, for a stack that is deployed later. */
  jobsIn(stack: Stack): ReadonlyMap<string, string> {
    return new Map([...this.#jobs].map(([id, arn]) => [id, arn.readIn(stack)]));
  }
}
