import { Duration, Validations } from 'aws-cdk-lib';
import { LambdaVersion, type UserPool, UserPoolOperation } from 'aws-cdk-lib/aws-cognito';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import type { Config } from '#lib/config/schema.ts';
import { claimsTrigger } from '#lib/handlers.ts';
import { InlinePolicyRole } from '#lib/iam/inline-policy-role.ts';
import { wildcardActions } from '#lib/iam/permissions.ts';
import { BaseFunction } from './base-function.ts';
import { ALARM_PERIOD, RunbookAlarm } from './runbook-alarm.ts';

/** Cognito abandons a trigger after five seconds, whatever the function’s timeout is. */
const COGNITO_TIMEOUT = Duration.seconds(5);

/**
 * The pre-token-generation trigger: Cognito invokes it at every sign-in and refresh of a user. It needs no permissions
 * and no environment: all input is in the event. Tokens of services have no user and do not invoke it.
 */
export class ClaimsTrigger extends Construct {
  constructor(scope: Construct, config: Config, pool: UserPool) {
    super(scope, 'ClaimsTrigger');
    const role = new InlinePolicyRole(this, 'Role', {
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
      description: 'The function that adds claims to tokens. It has no permissions.',
    });
    Validations.of(role).acknowledge({
      id: 'AwsSolutions-IAM5[Resource::*]',
      reason: `Only for actions without resource-level permissions: ${Object.keys(wildcardActions).join(', ')}.`,
    });
    const target = new BaseFunction(scope, {
      config,
      role,
      handlerFile: claimsTrigger,
      kind: 'request',
      description: 'Adds the email address and name of a user to access tokens.',
      timeoutSeconds: COGNITO_TIMEOUT.toSeconds(),
    });
    pool.addTrigger(UserPoolOperation.PRE_TOKEN_GENERATION_CONFIG, target, LambdaVersion.V2_0);
    new RunbookAlarm(this, 'Fails', {
      section: 'sign-in-fails',
      summary: 'Tokens cannot be issued, so users cannot sign in.',
      metric: target.metricErrors({ period: ALARM_PERIOD }),
      threshold: 1,
    });
  }
}
