import { Aws } from 'aws-cdk-lib';
import { type Conditions, PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { dynamoService } from './names.ts';

/** Building blocks of policy statements. */

export const allow = (actions: readonly string[], resource: string, conditions: Conditions = {}): PolicyStatement =>
  new PolicyStatement({ actions: [...actions], resources: [resource], conditions });

/**
 * A service that may assume a role on behalf of this account only. Otherwise a resource of another account that names
 * the role could use it through the service (the confused deputy problem). AWS documents no such condition for the roles of
 * functions, of AWS Backup and of the logs of API Gateway.
 */
export const serviceOfThisAccount = (name: string): ServicePrincipal =>
  new ServicePrincipal(`${name}.amazonaws.com`, {
    conditions: { StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID } },
  });

/** Limits an action to items whose partition key matches one of the patterns. */
export const leadingKeysCondition = (...patterns: readonly string[]): Conditions => ({
  'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [...patterns] },
});

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
