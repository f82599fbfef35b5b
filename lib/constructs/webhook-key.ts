import { Key } from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';
import type { Config } from '#lib/config/schema.ts';
import { removalPolicyFor } from './removal.ts';
import type { StackContext } from './stack-context.ts';
import { allow } from './statements.ts';

/** The key of webhook secrets. The secrets are unreadable without it, so it is retained wherever data is. */
export const webhookKey = (scope: Construct, config: Config): Key =>
  new Key(scope, 'WebhookKey', {
    description: `The webhook secrets of stage ${config.stage}.`,
    enableKeyRotation: true,
    removalPolicy: removalPolicyFor(config),
  });

/** Uses of the key, in the encryption context of a webhook only. */
const usesOf = (actions: readonly string[]) => ({
  statements: ({ webhookKey: { keyArn } }: StackContext) => [
    allow(actions, keyArn, { StringLike: { 'kms:EncryptionContext:webhook': 'whk_*' } }),
  ],
  variables: ({ webhookKey: { keyArn } }: StackContext) => ({ WEBHOOK_KEY_ID: keyArn }),
});

/** The permissions of the contract for webhook secrets. */
export const webhookPermissions = {
  'secrets:seal': usesOf(['kms:Encrypt']),
  // Also encrypts: secrets from before they were encrypted are replaced when they are used.
  'secrets:open': usesOf(['kms:Encrypt', 'kms:Decrypt']),
} as const;
