import { Duration } from 'aws-cdk-lib';
import { Rule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { CfnSchedule } from 'aws-cdk-lib/aws-scheduler';
import { Construct } from 'constructs';
import { type Job, requestedRunsOf } from '#events/jobs.ts';
import { routeVariables } from '#lib/config/environment.ts';
import { constructIdOf, handlerFileWith } from '#lib/handlers.ts';
import { InlinePolicyRole } from '#lib/iam/inline-policy-role.ts';
import type { Roles } from '#lib/iam/roles.ts';
import { allowInvoke, allowSendTo, serviceOfThisAccount } from '#lib/iam/statements.ts';
import type { StackContext } from '#lib/stack-context.ts';
import { DeadLetterQueue } from './dead-letter-queue.ts';
import { MissedRunAlarm } from './missed-run-alarm.ts';
import { ServiceFunction } from './service-function.ts';

/** Retries of an invocation that the scheduler could not start. */
const START_RETRY_SECONDS = 3600;
const START_RETRIES = 10;

/**
 * A scheduled job: its function, the schedule that invokes it, the rule that invokes it when an administrator requests a
 * run, and a dead-letter queue for failed invocations. The job’s routes invoke the same function. The role of the schedule
 * allows nothing else.
 */
export class Schedule extends Construct {
  readonly target: ServiceFunction;

  constructor(scope: Construct, context: StackContext, roles: Roles, job: Job) {
    const { route } = job;
    super(scope, `${constructIdOf(route.id)}Schedule`);
    const queue = new DeadLetterQueue(this, 'DeadLetters', {
      section: 'job-queue-not-empty',
      summary: `The job ${route.id} failed.`,
    });
    this.target = new ServiceFunction(scope, {
      context,
      roles,
      handlerFile: handlerFileWith(route.id),
      kind: 'subscriber',
      description: `${route.summary}, by schedule and at ${route.path}`,
      variables: routeVariables(context, route),
      timeoutSeconds: job.timeoutSeconds,
      deadLetterQueue: queue,
    });
    const role = new InlinePolicyRole(this, 'Role', {
      assumedBy: serviceOfThisAccount('scheduler'),
      description: `Lets the schedule invoke ${route.id}.`,
    });
    role.addToPolicy(allowInvoke([this.target.functionArn]));
    role.addToPolicy(allowSendTo(queue));
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
        retryPolicy: { maximumEventAgeInSeconds: START_RETRY_SECONDS, maximumRetryAttempts: START_RETRIES },
      },
    });
    // Creating a schedule requires that its role can invoke the target.
    schedule.node.addDependency(role);
    const { source, 'detail-type': detailType, detail } = requestedRunsOf(job);
    new Rule(this, 'RequestedRuns', {
      description: `Runs of ${route.id} that administrators request.`,
      eventBus: context.bus,
      eventPattern: { source, detailType, detail },
      targets: [
        new LambdaFunction(this.target, {
          deadLetterQueue: queue,
          retryAttempts: START_RETRIES,
          maxEventAge: Duration.seconds(START_RETRY_SECONDS),
        }),
      ],
    });
    new MissedRunAlarm(this, 'MissedRunAlarm', job, this.target);
  }
}
