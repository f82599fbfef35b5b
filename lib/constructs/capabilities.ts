import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { EventBus } from 'aws-cdk-lib/aws-events';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Need } from '#contract/route.ts';
import { healthKey, ratePrefix, snapshotPrefix, userKey } from '#data/keys.ts';
import type { Config } from '../config.ts';
import { indexArn, mailArn, streamArnOf } from './addresses.ts';
import { modelAccess } from './model-access.ts';
import { aiKeyParameter, jobSecretParameter, parameterArn, stripeParameters } from './parameters.ts';
import type { Issuer } from './sign-in.ts';
import { allow, keyReading, keyWriting, onlyKeys } from './statements.ts';

/** What functions are connected to. */
export interface World {
  readonly config: Config;
  readonly table: TableV2;
  /** What the table is encrypted with, where that is a key of the stage's own. */
  readonly tableKey: IKey | undefined;
  readonly issuer: Issuer;
  readonly bus: EventBus;
  /** The name of the configuration set that all mail is sent with. */
  readonly mailings: string;
}

/**
 * Everything that a role can be allowed: the declared needs, and what the gates of routes need beside them. `rate`: count
 * requests. `identity`: check tokens, and keep the record of whoever presents one. `job`: know the secret of jobs.
 * `signature`: know what the payment provider signs with.
 */
export type Grant = Need | 'rate' | 'identity' | 'job' | 'signature';

interface Capability {
  readonly statements: (world: World) => readonly PolicyStatement[];
  /** The environment variables that the code behind the grant reads. */
  readonly variables: (world: World) => Readonly<Record<string, string>>;
}

const none = () => ({});

const reading = (actions: readonly string[], arnOf: (table: TableV2) => string): Capability => ({
  statements: (world) => [allow(actions, arnOf(world.table)), ...keyReading(world)],
  variables: none,
});

/**
 * What each grant allows, and the variables that come with it: a permission without its variable or a variable without
 * its permission cannot be written. Nothing here allows `Scan`.
 */
export const capabilities: Readonly<Record<Grant, Capability>> = {
  'table:get': reading(['dynamodb:GetItem', 'dynamodb:BatchGetItem'], ({ tableArn }) => tableArn),
  'table:query': reading(['dynamodb:Query'], ({ tableArn }) => tableArn),
  'table:collection': reading(['dynamodb:Query'], (table) => indexArn(table, 'collection')),
  'table:write': {
    // Which of these the parts of a transaction are depends on what it finds and on the stage's settings.
    statements: (world) => [
      allow(
        ['dynamodb:PutItem', 'dynamodb:UpdateItem', 'dynamodb:DeleteItem', 'dynamodb:ConditionCheckItem'],
        world.table.tableArn,
      ),
      ...keyWriting(world),
    ],
    variables: ({ config }) => ({ DUPLICATE_URLS: config.duplicateUrls }),
  },
  'table:sweep': {
    statements: (world) => [allow(['dynamodb:BatchWriteItem'], world.table.tableArn), ...keyWriting(world)],
    variables: none,
  },
  catalog: {
    statements: (world) => [
      allow(['dynamodb:Query'], indexArn(world.table, 'feed')),
      allow(['dynamodb:Query'], world.table.tableArn, onlyKeys(`${snapshotPrefix}*`)),
      ...keyReading(world),
    ],
    variables: none,
  },
  mail: {
    statements: (world) => [
      // Both are asked about: who sends, and by way of what.
      ...[mailArn('identity', world.config.mail.identity), mailArn('configuration-set', world.mailings)].map(
        (resource) =>
          allow(['ses:SendEmail'], resource, { StringEquals: { 'ses:FromAddress': world.config.mail.from } }),
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
    statements: (world) => [
      allow(['dynamodb:DescribeStream', 'dynamodb:GetRecords', 'dynamodb:GetShardIterator'], streamArnOf(world.table)),
      // Listing streams cannot be limited to one of them.
      allow(['dynamodb:ListStreams'], '*'),
      ...keyReading(world),
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
  model: {
    statements: ({ config }) =>
      config.ai === undefined
        ? []
        : config.ai.baseUrl === undefined
          ? modelAccess(config.ai.model)
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
  rate: {
    statements: (world) => [
      allow(['dynamodb:UpdateItem'], world.table.tableArn, onlyKeys(`${ratePrefix}*`)),
      ...keyWriting(world),
    ],
    variables: ({ config }) => ({ TRUSTED_PROXIES: config.trustedProxies.join(',') }),
  },
  identity: {
    statements: (world) => [
      allow(
        ['dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem'],
        world.table.tableArn,
        onlyKeys(userKey('*').pk),
      ),
      ...keyWriting(world),
    ],
    variables: ({ config, issuer }) => ({
      OIDC_ISSUER: issuer.issuer,
      OIDC_AUDIENCES: issuer.audiences.join(','),
      OIDC_JWKS_URI: issuer.jwksUri,
      ADMIN_EMAILS: config.adminEmails.join(','),
    }),
  },
  job: {
    statements: ({ config }) => [allow(['ssm:GetParameter'], parameterArn(jobSecretParameter(config)))],
    variables: ({ config }) => ({ CRON_SECRET_PARAMETER: jobSecretParameter(config) }),
  },
  signature: {
    statements: ({ config }) => [allow(['ssm:GetParameter'], parameterArn(stripeParameters(config).webhookSecret))],
    variables: ({ config }) => ({ STRIPE_WEBHOOK_SECRET_PARAMETER: stripeParameters(config).webhookSecret }),
  },
  health: {
    statements: (world) => [
      allow(['dynamodb:GetItem'], world.table.tableArn, onlyKeys(healthKey.pk)),
      allow(['events:DescribeEventBus'], world.bus.eventBusArn),
      ...keyReading(world),
    ],
    variables: ({ config, bus }) => ({ STAGE: config.stage, BUS_NAME: bus.eventBusName }),
  },
};

/** Every function writes its own log and nobody else's. */
export const mayWrite = (log: ILogGroup): PolicyStatement =>
  allow(['logs:CreateLogStream', 'logs:PutLogEvents'], log.logGroupArn);

/** What the gateways' role may do: start the functions of routes, one by one, streamed or not. */
export const mayInvoke = (functions: readonly IFunction[]): PolicyStatement =>
  new PolicyStatement({
    actions: ['lambda:InvokeFunction'],
    resources: functions.map(({ functionArn }) => functionArn),
  });

/** What a schedule's role and the publisher's may do with what they could not start or deal with. */
export const maySendTo = ({ queueArn }: IQueue): PolicyStatement => allow(['sqs:SendMessage'], queueArn);

/** What may be done with `*`, because the service behind it knows no narrower resource. */
export const unlimited: Readonly<Record<string, string>> = {
  'dynamodb:ListStreams': 'Listing streams cannot be limited to one of them; reading is limited to the one.',
  'xray:PutTraceSegments': 'Traces have no resource of their own.',
  'xray:PutTelemetryRecords': 'Traces have no resource of their own.',
};

/** The variables of several grants together. */
export const variablesOf = (grants: readonly Grant[], world: World): Record<string, string> =>
  Object.assign({}, ...grants.map((grant) => capabilities[grant].variables(world)));
