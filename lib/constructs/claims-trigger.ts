import { Duration, Validations } from 'aws-cdk-lib';
import { LambdaVersion, type UserPool, UserPoolOperation } from 'aws-cdk-lib/aws-cognito';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { doorOf } from '#contract/table.ts';
import type { Config } from '../config.ts';
import { claimsTrigger } from '../doors.ts';
import { unlimited } from './capabilities.ts';
import { PlainFunction } from './plain-function.ts';
import { ALARM_PERIOD, RunbookAlarm } from './runbook-alarm.ts';

/** Cognito waits no longer for a trigger, whatever the function's own timeout is. */
const PATIENCE = Duration.seconds(5);

/**
 * The function that Cognito asks before it signs the tokens of a person, at every sign-in and refresh. It holds nothing and
 * reaches nothing: what it needs is in the event. Tokens of services do not pass it, for they have nobody's address.
 */
export class ClaimsTrigger extends Construct {
  constructor(scope: Construct, config: Config, pool: UserPool) {
    super(scope, 'ClaimsTrigger');
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
      description: 'The function that adds claims to tokens. It needs nothing.',
    });
    Validations.of(role).acknowledge({
      id: 'AwsSolutions-IAM5[Resource::*]',
      reason: `Only for actions that cannot be narrowed: ${Object.keys(unlimited).join(', ')}.`,
    });
    const target = new PlainFunction(scope, {
      config,
      role,
      door: { id: claimsTrigger.id, path: doorOf(claimsTrigger.id) },
      kind: 'request',
      description: 'Adds address and name of a person to his access tokens.',
      timeoutSeconds: PATIENCE.toSeconds(),
    });
    pool.addTrigger(UserPoolOperation.PRE_TOKEN_GENERATION_CONFIG, target, LambdaVersion.V2_0);
    new RunbookAlarm(this, 'Fails', {
      section: 'sign-in-fails',
      says: 'Tokens cannot be made, and nobody can sign in.',
      metric: target.metricErrors({ period: ALARM_PERIOD }),
      threshold: 1,
    });
  }
}
