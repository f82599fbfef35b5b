import { Aws } from 'aws-cdk-lib';
import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { EventBus } from 'aws-cdk-lib/aws-events';
import { type Conditions, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Need } from '#contract/route.ts';
import { type IndexName, ratePrefix, userKey } from '#data/keys.ts';
import type { Config } from '../config.ts';
import { aiKeyParameter, jobSecretParameter, parameterArn, stripeParameters } from './parameters.ts';
import type { Issuer } from './sign-in.ts';

/** What functions are connected to. */
export interface World {
  readonly config: Config;
  readonly table: TableV2;
  readonly issuer: Issuer;
  readonly bus: EventBus;
}

/**
 * Everything that a role can be allowed: the declared needs, and what the gates of routes need beside them. `rate`: count
 * requests. `identity`: check tokens, and keep the record of whoever presents one. `job`: know the secret of jobs.
 */
export type Grant = Need | 'rate' | 'identity' | 'job';

interface Capability {
  readonly statements: (world: World) => readonly PolicyStatement[];
  /** The environment variables that the code behind the grant reads. */
  readonly variables: (world: World) => Readonly<Record<string, string>>;
}

const allow = (actions: readonly string[], resource: string, conditions: Conditions = {}): PolicyStatement =>
  new PolicyStatement({ actions: [...actions], resources: [resource], conditions });

/** Only items whose partition key looks like this. */
const onlyKeys = (pattern: string): Conditions => ({
  'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [pattern] },
});

const indexArn = ({ table }: World, name: IndexName): string => `${table.tableArn}/index/${name}`;

const senderArn = ({ config }: World): string =>
  `arn:${Aws.PARTITION}:ses:${Aws.REGION}:${Aws.ACCOUNT_ID}:identity/${config.mail.identity}`;

/** A foundation model, or an inference profile where the id begins with a region's name. */
const modelArn = (id: string): string =>
  /^[a-z]{2,6}\./.test(id) && id.split('.').length > 2
    ? `arn:${Aws.PARTITION}:bedrock:${Aws.REGION}:${Aws.ACCOUNT_ID}:inference-profile/${id}`
    : `arn:${Aws.PARTITION}:bedrock:${Aws.REGION}::foundation-model/${id}`;

const none = () => ({});

/**
 * What each grant allows, and the variables that come with it: a permission without its variable or a variable without
 * its permission cannot be written. Nothing here allows `Scan`.
 */
export const capabilities: Readonly<Record<Grant, Capability>> = {
  'table:read': {
    statements: (world) => [
      allow(['dynamodb:GetItem', 'dynamodb:BatchGetItem', 'dynamodb:Query'], world.table.tableArn),
      allow(['dynamodb:Query'], indexArn(world, 'collection')),
    ],
    variables: none,
  },
  'table:write': {
    statements: ({ table }) => [
      allow(
        [
          'dynamodb:PutItem',
          'dynamodb:UpdateItem',
          'dynamodb:DeleteItem',
          'dynamodb:ConditionCheckItem',
          'dynamodb:BatchWriteItem',
        ],
        table.tableArn,
      ),
    ],
    variables: ({ config }) => ({ DUPLICATE_URLS: config.duplicateUrls }),
  },
  catalog: {
    statements: (world) => [allow(['dynamodb:Query'], indexArn(world, 'feed'))],
    variables: none,
  },
  mail: {
    statements: (world) => [
      allow(['ses:SendEmail'], senderArn(world), { StringEquals: { 'ses:FromAddress': world.config.mail.from } }),
    ],
    variables: ({ config }) => ({
      MAIL_FROM: config.mail.from,
      SITE_NAME: config.site.name,
      SITE_URL: config.site.url,
    }),
  },
  bus: {
    statements: ({ bus }) => [allow(['events:PutEvents'], bus.eventBusArn)],
    variables: ({ bus }) => ({ BUS_NAME: bus.eventBusName }),
  },
  stream: {
    statements: ({ table }) => [
      allow(['dynamodb:DescribeStream', 'dynamodb:GetRecords', 'dynamodb:GetShardIterator'], streamArnOf(table)),
      // Listing streams cannot be limited to one of them.
      allow(['dynamodb:ListStreams'], '*'),
    ],
    variables: none,
  },
  stripe: {
    statements: ({ config }) =>
      Object.values(stripeParameters(config)).map((name) => allow(['ssm:GetParameter'], parameterArn(name))),
    variables: ({ config }) => ({
      STRIPE_SECRET_KEY_PARAMETER: stripeParameters(config).secretKey,
      STRIPE_WEBHOOK_SECRET_PARAMETER: stripeParameters(config).webhookSecret,
      PREMIUM_PRICE: String(config.payments.premiumPrice),
      CURRENCY: config.payments.currency,
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
          ? [allow(['bedrock:InvokeModel'], modelArn(config.ai.model))]
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
    statements: ({ table }) => [allow(['dynamodb:UpdateItem'], table.tableArn, onlyKeys(`${ratePrefix}*`))],
    variables: ({ config }) => ({ TRUSTED_PROXIES: config.trustedProxies.join(',') }),
  },
  identity: {
    statements: ({ table }) => [
      allow(['dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem'], table.tableArn, onlyKeys(userKey('*').pk)),
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
};

/** The address of a table's stream. @throws where the table has none. */
export const streamArnOf = (table: TableV2): string => {
  if (table.tableStreamArn === undefined) throw new Error('The table has no stream.');
  return table.tableStreamArn;
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

/** What a schedule's role may do with what it could not start. */
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
