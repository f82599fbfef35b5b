import { CrossStackReferences, ReferenceStrength } from 'aws-cdk-lib';
import { Key } from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';
import type { Config } from '../config.ts';
import { removalOf } from './removal.ts';

/**
 * The key of a stage that has its table encrypted with one of its own; undefined for the others. Without the key neither
 * the table nor any backup of it can be read again, so it outlives the stack wherever data does.
 */
export const tableKey = (scope: Construct, config: Config): Key | undefined => {
  if (config.encryption !== 'customer') return undefined;
  const key = new Key(scope, 'TableKey', {
    description: `The table of stage ${config.stage} and its backups.`,
    enableKeyRotation: true,
    removalPolicy: removalOf(config),
  });
  // A stage that goes over to another encryption lets go of the key before its other stacks are told.
  CrossStackReferences.of(key).produce(ReferenceStrength.WEAK);
  return key;
};
