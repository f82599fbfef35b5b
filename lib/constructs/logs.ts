import { RemovalPolicy } from 'aws-cdk-lib';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { Config } from '../config.ts';

/** A log that is kept as long as the stage says. */
export const logGroup = (scope: Construct, id: string, config: Config): LogGroup =>
  new LogGroup(scope, id, {
    retention: config.logDays,
    removalPolicy: config.retain ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
  });
