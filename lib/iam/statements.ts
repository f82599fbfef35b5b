import { Aws } from 'aws-cdk-lib';
import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { type Conditions, PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { type WrittenEntity, writeScopes } from '#data/entities.ts';
import { dynamoService } from '#lib/config/names.ts';
import type { Config } from '#lib/config/schema.ts';

/** Building blocks of policy statements. */

export const allow = (actions: readonly string[], resource: string, conditions: Conditions = {}): PolicyStatement =>
  new PolicyStatement({ actions: [...actions], resources: [resource], conditions });

/**
 * A service that may assume a role on behalf of this account only. Otherwise a resource of another account that names
 * the role could use it through the service (the confused deputy problem). AWS documents no such condition for the roles of
 * functions, of AWS Backup and of API Gateway, which does not send it.
 */
export const serviceOfThisAccount = (name: string): ServicePrincipal =>
  new ServicePrincipal(`${name}.amazonaws.com`, {
    conditions: { StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID } },
  });

/** The part of a stack context that conditions on items need. */
interface Conditioned {
  readonly config: Pick<Config, 'itemConditions'>;
}

/** Limits an action to items whose partition key matches one of the patterns. */
export const leadingKeysCondition = ({ config }: Conditioned, ...patterns: readonly string[]): Conditions =>
  config.itemConditions ? { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [...patterns] } } : {};

// The KMS actions that DynamoDB performs on behalf of the caller.
const KEY_READ_ACTIONS = ['kms:Decrypt', 'kms:DescribeKey'];
const KEY_WRITE_ACTIONS = [
  'kms:Encrypt',
  'kms:GenerateDataKey',
  'kms:GenerateDataKeyWithoutPlaintext',
  'kms:ReEncryptFrom',
  'kms:ReEncryptTo',
];

/** The part of a stack context that knows the key of the table. */
interface Keyed {
  readonly tableKeyArn: string | undefined;
}

/** Allows key usage through DynamoDB only, so that the role cannot decrypt other data directly. */
const viaDynamo = ({ tableKeyArn }: Keyed, actions: readonly string[]): readonly PolicyStatement[] =>
  tableKeyArn ? [allow(actions, tableKeyArn, { StringEquals: { 'kms:ViaService': dynamoService } })] : [];

/** The key permissions for reading the table; empty without a customer-managed key. */
export const keyReadStatements = (context: Keyed): readonly PolicyStatement[] => viaDynamo(context, KEY_READ_ACTIONS);

/** The key permissions for writing the table; empty without a customer-managed key. */
export const keyWriteStatements = (context: Keyed): readonly PolicyStatement[] =>
  viaDynamo(context, [...KEY_READ_ACTIONS, ...KEY_WRITE_ACTIONS]);

/** Every function writes to its own log group only. */
export const allowLogWrites = (log: ILogGroup): PolicyStatement =>
  allow(['logs:CreateLogStream', 'logs:PutLogEvents'], log.logGroupArn);

export const allowInvoke = (functionArns: readonly string[]): PolicyStatement =>
  new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [...functionArns] });

export const allowSendTo = ({ queueArn }: IQueue): PolicyStatement => allow(['sqs:SendMessage'], queueArn);

/** The part of a stack context that statements about the table need. */
type TableContext = Keyed & Conditioned & { readonly table: TableV2 };

/** Allows writing an entity that is limited to one action, such as a part of a user. */
export const limitedWrite = (context: TableContext, entity: WrittenEntity): PolicyStatement => {
  const { keys, only } = writeScopes[entity];
  if (!only) throw new Error(`Writing ${entity} is not limited.`);
  const attributes = context.config.itemConditions ? only.attributes : undefined;
  return allow([`dynamodb:${only.action}`], context.table.tableArn, {
    ...leadingKeysCondition(context, ...keys),
    ...(attributes && { 'ForAllValues:StringEquals': { 'dynamodb:Attributes': [...attributes] } }),
  });
};

/**
 * Allows writing entities, alone and in transactions. No statement for none.
 * @param inBatches whether batch writes are allowed too.
 */
export const writeStatements = (
  context: TableContext,
  entities: readonly WrittenEntity[],
  inBatches: boolean,
): readonly PolicyStatement[] => {
  if (entities.length === 0) return [];
  const { tableArn } = context.table;
  const keys = [...new Set(entities.flatMap((entity) => (writeScopes[entity].only ? [] : writeScopes[entity].keys)))];
  const condition = leadingKeysCondition(context, ...keys);
  return [
    ...(keys.length === 0
      ? []
      : [
          allow(['dynamodb:PutItem', 'dynamodb:UpdateItem', 'dynamodb:DeleteItem'], tableArn, condition),
          allow(['dynamodb:ConditionCheckItem'], tableArn),
          ...(inBatches ? [allow(['dynamodb:BatchWriteItem'], tableArn, condition)] : []),
        ]),
    ...entities.filter((entity) => writeScopes[entity].only).map((entity) => limitedWrite(context, entity)),
    ...keyWriteStatements(context),
  ];
};
