import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib';
import { EventBus } from 'aws-cdk-lib/aws-events';
import type { Construct } from 'constructs';
import { jobs } from '#events/jobs.ts';
import { subscriptions } from '#events/subscriptions.ts';
import { busArchive } from '#lib/constructs/archive.ts';
import { FollowedValue } from '#lib/constructs/followed-value.ts';
import { MailReturns } from '#lib/constructs/mail-returns.ts';
import { functionParameter } from '#lib/constructs/parameters.ts';
import { Publisher } from '#lib/constructs/publisher.ts';
import { Roles } from '#lib/constructs/roles.ts';
import { Schedule } from '#lib/constructs/schedule.ts';
import type { StackContext } from '#lib/constructs/stack-context.ts';
import { Subscriber } from '#lib/constructs/subscriber.ts';
import { constructIdOf } from '#lib/handlers.ts';
import type { DataStack } from './data-stack.ts';

export interface EventsStackProps extends StackProps {
  readonly data: DataStack;
}

/** Event bus, publisher, subscribers and scheduled jobs. It has no state. */
export class EventsStack extends Stack {
  readonly bus: EventBus;
  /** The ARNs of the functions of jobs, by the ids of their handlers. */
  readonly #jobs: ReadonlyMap<string, FollowedValue>;

  constructor(scope: Construct, id: string, { data, ...props }: EventsStackProps) {
    super(scope, id, props);
    this.bus = new EventBus(this, 'Bus', { description: 'What happens in the directory.' });
    const context: StackContext = { ...data.contextIn(this), bus: this.bus };
    const { archiveDays } = context.config;
    if (archiveDays !== undefined) busArchive(this, this.bus, context.config, archiveDays);
    const roles = new Roles(this, 'Roles', context);
    new Publisher(this, context, roles);
    new MailReturns(this, context, roles);
    for (const subscription of subscriptions) new Subscriber(this, context, roles, subscription);
    const followed = (handlerId: string, arn: string) =>
      new FollowedValue(this, `${constructIdOf(handlerId)}Arn`, functionParameter(context.config, handlerId), arn);
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
