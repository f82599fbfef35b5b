import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { type WrittenEntity, writeScopes } from '#data/entities.ts';
import {
  apiKeysPartition,
  categoriesPartition,
  fieldsPartition,
  healthKey,
  snapshotPrefix,
  userKey,
} from '#data/keys.ts';
import { indexArn, mailArn, streamArnOf } from '#lib/config/names.ts';
import {
  cronSecretParameter,
  parameterArn,
  stripeParameters,
  unsubscribeSecretParameter,
} from '#lib/config/parameters.ts';
import type { FunctionPermission, HandlerFile } from '#lib/handlers.ts';
import type { StackContext } from '#lib/stack-context.ts';
import { externalPermissions, type PermissionDefinition } from './external-permissions.ts';
import {
  allow,
  keyReadStatements,
  keyWriteStatements,
  leadingKeysCondition,
  limitedWrite,
  writeStatements,
} from './statements.ts';

const none = () => [];
const noVariables = () => ({});

const reading = (actions: readonly string[], arnOf: (table: TableV2) => string): PermissionDefinition => ({
  statements: (context) => [allow(actions, arnOf(context.table)), ...keyReadStatements(context)],
  variables: noVariables,
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
  // Extends the statements of the written entities: see `writeStatements`.
  'table:sweep': { statements: none, variables: noVariables },
  catalog: {
    statements: (context) => [
      allow(['dynamodb:Query'], indexArn(context.table, 'feed')),
      // The catalog shows field definitions, which apply to categories.
      allow(
        ['dynamodb:Query'],
        context.table.tableArn,
        leadingKeysCondition(context, `${snapshotPrefix}*`, fieldsPartition, categoriesPartition),
      ),
      ...keyReadStatements(context),
    ],
    variables: noVariables,
  },
  mail: {
    statements: (context) => [
      // SES authorizes both the identity and the configuration set; in its sandbox, the recipient's identity too.
      ...[
        mailArn('identity', context.config.mail.sandbox ? '*' : context.config.mail.identity),
        mailArn('configuration-set', context.mailings),
      ].map((resource) =>
        allow(['ses:SendRawEmail'], resource, { StringEquals: { 'ses:FromAddress': context.config.mail.from } }),
      ),
      // Optional mails contain the address to unsubscribe.
      allow(['ssm:GetParameter'], parameterArn(unsubscribeSecretParameter(context.config))),
    ],
    variables: ({ config, mailings }) => ({
      UNSUBSCRIBE_SECRET_PARAMETER: unsubscribeSecretParameter(config),
      MAIL_FROM: config.mail.from,
      MAIL_CONFIGURATION_SET: mailings,
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
    variables: noVariables,
  },
  ...externalPermissions,
  rate: {
    statements: (context) => [limitedWrite(context, 'rate-counters'), ...keyWriteStatements(context)],
    variables: ({ config }) => ({ TRUSTED_PROXIES: config.trustedProxies.join(',') }),
  },
  identity: {
    statements: (context) => [
      allow(
        ['dynamodb:GetItem'],
        context.table.tableArn,
        leadingKeysCondition(context, userKey('*').pk, apiKeysPartition),
      ),
      limitedWrite(context, 'users:identity'),
      limitedWrite(context, 'api-keys:use'),
      ...keyWriteStatements(context),
    ],
    variables: ({ config, issuer }) => ({
      OIDC_ISSUER: issuer.issuer,
      OIDC_AUDIENCES: issuer.audiences.join(','),
      OIDC_JWKS_URI: issuer.jwksUri,
      ADMIN_EMAILS: config.adminEmails.join(','),
    }),
  },
  job: {
    statements: (context) => [
      allow(['ssm:GetParameter'], parameterArn(cronSecretParameter(context.config))),
      limitedWrite(context, 'job-runs'),
      ...keyWriteStatements(context),
    ],
    variables: ({ config }) => ({ CRON_SECRET_PARAMETER: cronSecretParameter(config) }),
  },
  signature: {
    statements: ({ config }) => [allow(['ssm:GetParameter'], parameterArn(stripeParameters(config).webhookSecret))],
    variables: ({ config }) => ({ STRIPE_WEBHOOK_SECRET_PARAMETER: stripeParameters(config).webhookSecret }),
  },
  health: {
    statements: (context) => [
      allow(['dynamodb:GetItem'], context.table.tableArn, leadingKeysCondition(context, healthKey.pk)),
      allow(['events:DescribeEventBus'], context.bus.eventBusArn),
      ...keyReadStatements(context),
    ],
    variables: ({ config, bus }) => ({ STAGE: config.stage, BUS_NAME: bus.eventBusName }),
  },
};

/** The statements of a function: of its permissions, and of the entities that it writes. */
export const statementsOf = (
  context: StackContext,
  permissions: readonly FunctionPermission[],
  writes: readonly WrittenEntity[],
): readonly PolicyStatement[] => [
  ...permissions.flatMap((permission) => permissionDefinitions[permission].statements(context)),
  ...writeStatements(context, writes, permissions.includes('table:sweep')),
];

/** Actions without resource-level permissions, which are allowed on `*`, with the reason. */
export const wildcardActions: Readonly<Record<string, string>> = {
  'dynamodb:ListStreams': 'Has no resource-level permissions; reading is limited to one stream.',
  'xray:PutTraceSegments': 'Traces are not resources.',
  'xray:PutTelemetryRecords': 'Traces are not resources.',
};

export const variablesOf = (
  context: StackContext,
  { permissions, writes }: Pick<HandlerFile, 'permissions' | 'writes'>,
): Record<string, string> =>
  Object.assign(
    writes.some((entity) => !writeScopes[entity].only) ? { DUPLICATE_URLS: context.config.duplicateUrls } : {},
    ...permissions.map((permission) => permissionDefinitions[permission].variables(context)),
  );
