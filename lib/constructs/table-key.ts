import { RemovalPolicy } from 'aws-cdk-lib';
import { Key } from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';
import type { Config } from '../config.ts';

/**
 * The key of a stage that has its table encrypted with one of its own; undefined for the others. Without the key neither
 * the table nor any backup of it can be read again, so it outlives the stack wherever data does.
 */
export const tableKey = (scope: Construct, { encryption, retain, stage }: Config): Key | undefined =>
  encryption === 'customer'
    ? new Key(scope, 'TableKey', {
        description: `The table of stage ${stage} and its backups.`,
        enableKeyRotation: true,
        removalPolicy: retain ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
      })
    : undefined;
