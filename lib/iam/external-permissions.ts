import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { aiKeyParameter, parameterArn, stripeParameters, unsubscribeSecretParameter } from '#lib/config/parameters.ts';
import { UPLOADED_FILES } from '#lib/constructs/uploads.ts';
import type { FunctionPermission } from '#lib/handlers.ts';
import type { StackContext } from '#lib/stack-context.ts';
import { modelStatements } from './model-access.ts';
import { allow } from './statements.ts';

export interface PermissionDefinition {
  readonly statements: (context: StackContext) => readonly PolicyStatement[];
  /** The environment variables that the code behind the permission reads. */
  readonly variables: (context: StackContext) => Readonly<Record<string, string>>;
}

/** Uses of the key of webhook secrets, in the encryption context of a webhook only. */
const webhookSecrets = (actions: readonly string[]): PermissionDefinition => ({
  statements: ({ webhookKey: { keyArn } }) => [
    allow(actions, keyArn, { StringLike: { 'kms:EncryptionContext:webhook': 'whk_*' } }),
  ],
  variables: ({ webhookKey: { keyArn } }) => ({ WEBHOOK_KEY_ID: keyArn }),
});

const uploadVariables = ({ uploads: bucket }: StackContext) => ({ UPLOAD_BUCKET: bucket.bucketName });

const uploads = (action: string, isListing = false): PermissionDefinition => ({
  statements: ({ uploads: bucket }) => [
    allow([action], bucket.arnForObjects(UPLOADED_FILES)),
    // Without it, S3 does not tell a missing file from a forbidden one.
    ...(isListing ? [allow(['s3:ListBucket'], bucket.bucketArn)] : []),
  ],
  variables: uploadVariables,
});

/** The permissions of the contract for what is neither in the table nor on the bus. */
export const externalPermissions = {
  stripe: {
    statements: ({ config }) => [allow(['ssm:GetParameter'], parameterArn(stripeParameters(config).secretKey))],
    variables: ({ config }) => ({
      STRIPE_SECRET_KEY_PARAMETER: stripeParameters(config).secretKey,
      ...(config.payments.successUrl && { CHECKOUT_SUCCESS_URL: config.payments.successUrl }),
      ...(config.payments.cancelUrl && { CHECKOUT_CANCEL_URL: config.payments.cancelUrl }),
    }),
  },
  // The address to return to is in the pages.
  unsubscribe: {
    statements: ({ config }) => [allow(['ssm:GetParameter'], parameterArn(unsubscribeSecretParameter(config)))],
    variables: ({ config }) => ({
      UNSUBSCRIBE_SECRET_PARAMETER: unsubscribeSecretParameter(config),
      SITE_NAME: config.site.name,
      SITE_URL: config.site.url,
    }),
  },
  // Addresses that browsers know anyway.
  'sign-in': {
    statements: () => [],
    variables: ({ config: { identity }, issuer: { issuer, clientId, browser } }) => ({
      SIGN_IN_ISSUER: issuer,
      ...(identity.signInParameters !== undefined && { SIGN_IN_PARAMETERS: identity.signInParameters }),
      ...(clientId !== undefined && { SIGN_IN_CLIENT_ID: clientId }),
      ...(browser && {
        SIGN_IN_CLIENT_ID: browser.clientId,
        SIGN_IN_AUTHORIZATION_URL: `${browser.pagesUrl}/oauth2/authorize`,
        SIGN_IN_TOKEN_URL: `${browser.pagesUrl}/oauth2/token`,
        SIGN_IN_END_SESSION_URL: `${browser.pagesUrl}/logout`,
      }),
    }),
  },
  site: {
    statements: () => [],
    variables: ({ config: { site } }) => ({
      SITE_NAME: site.name,
      SITE_URL: site.url,
      ...(site.mapStyleUrl !== undefined && { MAP_STYLE_URL: site.mapStyleUrl }),
    }),
  },
  accounts: {
    statements: ({ issuer: { pool } }) =>
      pool === undefined ? [] : [allow(['cognito-idp:AdminDeleteUser'], pool.arn)],
    variables: ({ issuer: { pool } }) => (pool === undefined ? {} : { USER_POOL_ID: pool.id }),
  },
  model: {
    statements: ({ config }) =>
      config.ai === undefined
        ? []
        : config.ai.baseUrl === undefined
          ? modelStatements(config.ai.model)
          : [allow(['ssm:GetParameter'], parameterArn(aiKeyParameter(config)))],
    variables: ({ config }) =>
      config.ai === undefined
        ? {}
        : {
            AI_MODEL: config.ai.model,
            ...(config.ai.baseUrl !== undefined && {
              AI_BASE_URL: config.ai.baseUrl,
              AI_API_KEY_PARAMETER: aiKeyParameter(config),
            }),
          },
  },
  'secrets:seal': webhookSecrets(['kms:Encrypt']),
  'secrets:open': webhookSecrets(['kms:Decrypt']),
  'uploads:origin': { statements: () => [], variables: uploadVariables },
  'uploads:sign': uploads('s3:PutObject'),
  'uploads:read': uploads('s3:GetObject', true),
  'uploads:delete': uploads('s3:DeleteObject'),
  // Moves the messages of all subscribers' queues.
  'dead-letters': {
    statements: ({ deadLetterQueues = new Map() }) => [
      new PolicyStatement({
        actions: ['sqs:ReceiveMessage', 'sqs:DeleteMessage'],
        resources: Array.from(deadLetterQueues.values(), ({ queueArn }) => queueArn),
      }),
    ],
    variables: ({ deadLetterQueues = new Map() }) => ({
      DEAD_LETTER_QUEUES: Array.from(
        deadLetterQueues,
        ([subscriber, { queueUrl }]) => `${subscriber}=${queueUrl}`,
      ).join(),
    }),
  },
} as const satisfies Readonly<Partial<Record<FunctionPermission, PermissionDefinition>>>;
