import { Aws, CrossStackReferences, ReferenceStrength } from 'aws-cdk-lib';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { CfnSchedule } from 'aws-cdk-lib/aws-scheduler';
import { Construct } from 'constructs';
import { doorOf } from '#contract/table.ts';
import type { Job } from '#events/jobs.ts';
import { constructIdOf } from '../doors.ts';
import { mayInvoke, maySendTo, type World } from './capabilities.ts';
import { DeadLetterQueue } from './dead-letter-queue.ts';
import { DidNotRun } from './did-not-run.ts';
import { routeVariables } from './environment.ts';
import type { Roles } from './roles.ts';
import { grantsOf } from './route-functions.ts';
import { ServiceFunction } from './service-function.ts';

/** How long a run that could not be started is tried for, in seconds; the next one is due soon enough. */
const START_SECONDS = 3600;
const START_TRIES = 10;

/**
 * A job: its function, the schedule that starts it, and the queue for runs that were not started or failed. The function
 * is the one that the job's routes call. The schedule starts it in a role that may do that and nothing else.
 */
export class Schedule extends Construct {
  readonly target: ServiceFunction;

  constructor(scope: Construct, world: World, roles: Roles, job: Job) {
    const { route } = job;
    super(scope, `${constructIdOf(route.id)}Schedule`);
    const queue = new DeadLetterQueue(this, 'DeadLetters', {
      section: 'job-queue-not-empty',
      says: `The job ${route.id} could not be run.`,
    });
    this.target = new ServiceFunction(scope, {
      world,
      roles,
      door: { id: route.id, path: doorOf(route.id) },
      kind: route.needs.includes('catalog') ? 'catalog' : 'subscriber',
      description: `${route.summary}, by schedule and at ${route.path}`,
      grants: grantsOf(route),
      variables: routeVariables(world, route),
      timeoutSeconds: job.timeoutSeconds,
      deadLetterQueue: queue,
    });
    // A job must be able to go, or a deployment that has brought one be taken back, before the gateways are told.
    CrossStackReferences.of(this.target).produce(ReferenceStrength.WEAK);
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('scheduler.amazonaws.com', {
        conditions: { StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID } },
      }),
      description: `Lets its schedule start ${route.id}.`,
    });
    role.addToPolicy(mayInvoke([this.target]));
    role.addToPolicy(maySendTo(queue));
    const schedule = new CfnSchedule(this, 'Schedule', {
      description: route.summary,
      scheduleExpression: job.schedule,
      scheduleExpressionTimezone: 'UTC',
      flexibleTimeWindow:
        job.flexibleMinutes === undefined
          ? { mode: 'OFF' }
          : { mode: 'FLEXIBLE', maximumWindowInMinutes: job.flexibleMinutes },
      target: {
        arn: this.target.functionArn,
        roleArn: role.roleArn,
        input: JSON.stringify({ schedule: route.id }),
        deadLetterConfig: { arn: queue.queueArn },
        retryPolicy: { maximumEventAgeInSeconds: START_SECONDS, maximumRetryAttempts: START_TRIES },
      },
    });
    // Creating a schedule checks that its role may be assumed and may start its target.
    schedule.node.addDependency(role);
    new DidNotRun(this, 'DidNotRun', job, this.target);
  }
}
