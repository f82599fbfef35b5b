import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { Config } from '../config.ts';
import { removalOnceDeployed } from './removal.ts';

/**
 * A log that is kept as long as the stage says.
 * @param logGroupName only for logs whose writer has chosen the name.
 */
export const logGroup = (scope: Construct, id: string, config: Config, logGroupName?: string): LogGroup =>
  new LogGroup(scope, id, {
    ...(logGroupName !== undefined && { logGroupName }),
    retention: config.logDays,
    removalPolicy: removalOnceDeployed(config),
  });
