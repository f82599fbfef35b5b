import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { removalPolicyOnceDeployed } from '#lib/config/removal.ts';
import type { Config } from '#lib/config/schema.ts';

/**
 * A log group with the retention of the stage.
 * @param logGroupName only when the writer determines the name.
 */
export const logGroup = (scope: Construct, id: string, config: Config, logGroupName?: string): LogGroup =>
  new LogGroup(scope, id, {
    ...(logGroupName !== undefined && { logGroupName }),
    retention: config.logDays,
    removalPolicy: removalPolicyOnceDeployed(config),
  });
