import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Permission } from '#contract/route.ts';
import { healthKey, jobsPartition, ratePrefix, snapshotPrefix } from '#data/keys.ts';
import { deadLetterPermission } from './dead-letter-queue.ts';
import { identityPermission } from './identity-permission.ts';
import { modelStatements } from './model-access.ts';
import { indexArn, mailArn, streamArnOf } from './names.ts';
import { aiKeyParameter, cronSecretParameter, parameterArn, stripeParameters } from './parameters.ts';
import type { StackContext } from './stack-context.ts';
import { allow, keyReadStatements, keyWriteStatements, leadingKeysCondition } from './statements.ts';
import { uploadPermissions } from './uploads.ts';
import { userPermissions } from './user-permissions.ts';
import { webhookPermissions } from './webhook-key.ts';

/**
 * The permissions of a role: those that routes and subscriptions declare, and those of the middleware. `rate`: count
 * requests. `identity`: verify tokens and API keys, and
 * store the record of the user. `job`: read the secret of jobs and record their runs. `signature`:
 * read the signing secret of the payment provider.
 */
export type FunctionPermission = Permission | 'rate' | 'identity' | 'job' | 'signature';

interface PermissionDefinition {
  /** @param keys patterns of the partition keys that the function writes. */
  readonly statements: (context: StackContext, keys: readonly string[]) => readonly PolicyStatement[];
  /** The environment variables that the code behind the permission reads. */
  readonly variables: (context: StackContext) => Readonly<Record<string, string>>;
}

const none = () => ({});

const reading = (actions: readonly string[], arnOf: (table: TableV2) => string): PermissionDefinition => ({
  statements: (context) => [allow(actions, arnOf(context.table)), ...keyReadStatements(context)],
  variables: none,
});

/**
 * The policy statements of each permission together with its variables, so that neither is added without the other. No
 * permission contains `Scan`.
 */
export const permissionDefinitions: Readonly<Record<FunctionPermission, PermissionDefinition>> = {
  'table:get': reading(['dynamodb:GetItem', 'dynamodb:BatchGetItem'], ({ tableArn }) => tableArn),
  'table:query': reading(['dynamodb:Query'], ({ tableArn }) => tableArn),
  'table:collection': reading(['dynamodb:Query'], (table) => indexArn(table, 'collection')),
  'table:feed': reading(['dynamodb:Query'], (table) => indexArn(table, 'feed')),
  'table:write': {
    statements: (context, keys) => [
      allow(
        ['dynamodb:PutItem', 'dynamodb:UpdateItem', 'dynamodb:DeleteItem'],
        context.table.tableArn,
        leadingKeysCondition(...keys),
      ),
      allow(['dynamodb:ConditionCheckItem'], context.table.tableArn),
      ...keyWriteStatements(context),
    ],
    variables: ({ config }) => ({ DUPLICATE_URLS: config.duplicateUrls }),
  },
  'table:sweep': {
    statements: (context, keys) => [
      allow(['dynamodb:BatchWriteItem'], context.table.tableArn, leadingKeysCondition(...keys)),
      ...keyWriteStatements(context),
    ],
    variables: none,
  },
  catalog: {
    statements: (context) => [
      allow(['dynamodb:Query'], indexArn(context.table, 'feed')),
      allow(['dynamodb:Query'], context.table.tableArn, leadingKeysCondition(`${snapshotPrefix}*`)),
      ...keyReadStatements(context),
    ],
    variables: none,
  },
  mail: {
    statements: (context) => [
      // SES authorizes both the identity and the configuration set; in its sandbox, the recipient's identity too.
      ...[
        mailArn('identity', context.config.mail.sandbox ? '*' : context.config.mail.identity),
        mailArn('configuration-set', context.mailings),
      ].map((resource) =>
        allow(['ses:SendEmail'], resource, { StringEquals: { 'ses:FromAddress': context.config.mail.from } }),
      ),
    ],
    variables: ({ config, mailings }) => ({
      MAIL_FROM: config.mail.from,
      MAIL_CONFIGURATION_SET: mailings,
      SITE_NAME: config.site.name,
      SITE_URL: config.site.url,
    }),
  },
  bus: {
    statements: ({ bus }) => [allow(['events:PutEvents'], bus.eventBusArn)],
    variables: ({ bus }) => ({ BUS_NAME: bus.eventBusName }),
  },
  stream: {
    statements: (context) => [
      allow(
        ['dynamodb:DescribeStream', 'dynamodb:GetRecords', 'dynamodb:GetShardIterator'],
        streamArnOf(context.table),
      ),
      // ListStreams has no resource-level permissions.
      allow(['dynamodb:ListStreams'], '*'),
      ...keyReadStatements(context),
    ],
    variables: none,
  },
  stripe: {
    statements: ({ config }) => [allow(['ssm:GetParameter'], parameterArn(stripeParameters(config).secretKey))],
    variables: ({ config }) => ({
      STRIPE_SECRET_KEY_PARAMETER: stripeParameters(config).secretKey,
      SITE_URL: config.site.url,
      ...(config.payments.successUrl && { CHECKOUT_SUCCESS_URL: config.payments.successUrl }),
      ...(config.payments.cancelUrl && { CHECKOUT_CANCEL_URL: config.payments.cancelUrl }),
    }),
  },
  // Addresses that browsers know anyway.
  'sign-in': {
    statements: () => [],
    variables: ({ issuer: { issuer, clientId, browser } }) => ({
      SIGN_IN_ISSUER: issuer,
      ...(clientId !== undefined && { SIGN_IN_CLIENT_ID: clientId }),
      ...(browser && {
        SIGN_IN_CLIENT_ID: browser.clientId,
        SIGN_IN_AUTHORIZATION_URL: `${browser.pagesUrl}/oauth2/authorize`,
        SIGN_IN_TOKEN_URL: `${browser.pagesUrl}/oauth2/token`,
        SIGN_IN_END_SESSION_URL: `${browser.pagesUrl}/logout`,
      }),
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
  ...userPermissions,
  ...webhookPermissions,
  ...uploadPermissions,
  rate: {
    statements: (context) => [
      allow(['dynamodb:UpdateItem'], context.table.tableArn, leadingKeysCondition(`${ratePrefix}*`)),
      ...keyWriteStatements(context),
    ],
    variables: ({ config }) => ({ TRUSTED_PROXIES: config.trustedProxies.join(',') }),
  },
  identity: identityPermission,
  job: {
    statements: (context) => [
      allow(['ssm:GetParameter'], parameterArn(cronSecretParameter(context.config))),
      allow(['dynamodb:UpdateItem'], context.table.tableArn, leadingKeysCondition(jobsPartition)),
      ...keyWriteStatements(context),
    ],
    variables: ({ config }) => ({ CRON_SECRET_PARAMETER: cronSecretParameter(config) }),
  },
  signature: {
    statements: ({ config }) => [allow(['ssm:GetParameter'], parameterArn(stripeParameters(config).webhookSecret))],
    variables: ({ config }) => ({ STRIPE_WEBHOOK_SECRET_PARAMETER: stripeParameters(config).webhookSecret }),
  },
  'dead-letters': deadLetterPermission,
  health: {
    statements: (context) => [
      allow(['dynamodb:GetItem'], context.table.tableArn, leadingKeysCondition(healthKey.pk)),
      allow(['events:DescribeEventBus'], context.bus.eventBusArn),
      ...keyReadStatements(context),
    ],
    variables: ({ config, bus }) => ({ STAGE: config.stage, BUS_NAME: bus.eventBusName }),
  },
};

/** Actions without resource-level permissions, which are allowed on `*`, with the reason. */
export const wildcardActions: Readonly<Record<string, string>> = {
  'dynamodb:ListStreams': 'Has no resource-level permissions; reading is limited to one stream.',
  'xray:PutTraceSegments': 'Traces are not resources.',
  'xray:PutTelemetryRecords': 'Traces are not resources.',
};

export const variablesOf = (
  permissions: readonly FunctionPermission[],
  context: StackContext,
): Record<string, string> =>
  Object.assign({}, ...permissions.map((permission) => permissionDefinitions[permission].variables(context)));
