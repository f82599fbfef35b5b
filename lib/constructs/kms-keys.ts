import { Key } from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';
import { removalPolicyFor } from '#lib/config/removal.ts';
import type { Config } from '#lib/config/schema.ts';

/**
 * The customer-managed key of the table; undefined with other encryption settings. Table and backups are unreadable
 * without it, so it is retained wherever data is.
 */
export const tableKey = (scope: Construct, config: Config): Key | undefined => {
  if (config.encryption !== 'customer') return undefined;
  return new Key(scope, 'TableKey', {
    description: `The table of stage ${config.stage} and its backups.`,
    enableKeyRotation: true,
    removalPolicy: removalPolicyFor(config),
  });
};

/** The key of webhook secrets. The secrets are unreadable without it, so it is retained wherever data is. */
export const webhookKey = (scope: Construct, config: Config): Key =>
  new Key(scope, 'WebhookKey', {
    description: `The webhook secrets of stage ${config.stage}.`,
    enableKeyRotation: true,
    removalPolicy: removalPolicyFor(config),
  });
