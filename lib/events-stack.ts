import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib';
import { EventBus } from 'aws-cdk-lib/aws-events';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { jobs } from '#events/jobs.ts';
import { subscriptions } from '#events/subscriptions.ts';
import { busArchive } from './constructs/archive.ts';
import type { World } from './constructs/capabilities.ts';
import { MailReturns } from './constructs/mail-returns.ts';
import { Publisher } from './constructs/publisher.ts';
import { Roles } from './constructs/roles.ts';
import { Schedule } from './constructs/schedule.ts';
import { Subscriber } from './constructs/subscriber.ts';

export interface EventsStackProps extends StackProps {
  readonly world: Omit<World, 'bus'>;
}

/** What happens after a change and by the clock: subscribers and jobs are started. It holds no state. */
export class EventsStack extends Stack {
  readonly bus: EventBus;
  /** The functions of jobs, by the ids of their doors. */
  readonly jobs: ReadonlyMap<string, IFunction>;

  constructor(scope: Construct, id: string, props: EventsStackProps) {
    super(scope, id, props);
    this.bus = new EventBus(this, 'Bus', { description: 'What happens in the directory.' });
    const world: World = { ...props.world, bus: this.bus };
    const { archiveDays } = world.config;
    if (archiveDays !== undefined) busArchive(this, this.bus, world.config, archiveDays);
    const roles = new Roles(this, 'Roles', world);
    new Publisher(this, world, roles);
    new MailReturns(this, world, roles);
    for (const subscription of subscriptions) new Subscriber(this, world, roles, subscription);
    this.jobs = new Map(jobs.map((job) => [job.route.id, new Schedule(this, world, roles, job).target]));
    new CfnOutput(this, 'BusName', { value: this.bus.eventBusName });
  }
}
