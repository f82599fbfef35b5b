import { Aws, Fn } from 'aws-cdk-lib';
import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { IndexName } from '#data/keys.ts';
import type { Config } from '#lib/config/schema.ts';

/** ARNs and names of resources that are not constructs. They contain no account: it is the one of the deployment. */

export const indexArn = ({ tableArn }: TableV2, name: IndexName): string => `${tableArn}/index/${name}`;

/** @throws Error when the table has no stream. */
export const streamArnOf = (table: TableV2): string => {
  if (table.tableStreamArn === undefined) throw new Error('The table has no stream.');
  return table.tableStreamArn;
};

/** The ARN of an SES resource. */
export const mailArn = (kind: 'identity' | 'configuration-set', name: string): string =>
  `arn:${Aws.PARTITION}:ses:${Aws.REGION}:${Aws.ACCOUNT_ID}:${kind}/${name}`;

/** The service name of DynamoDB in `kms:ViaService` conditions. */
export const dynamoService = `dynamodb.${Aws.REGION}.${Aws.URL_SUFFIX}`;

/** The address of the open gateway, if it is known before the deployment, without a trailing slash. */
export const apiAddress = ({ api }: Pick<Config, 'api'>): string | undefined =>
  api.domain === undefined ? api.address : `https://${api.domain.name}`;

/** The addresses of the console that are known before the deployment, without a trailing slash: also that of the pages behind a CDN. */
export const consoleAddresses = (config: Pick<Config, 'api' | 'site'>): readonly string[] => [
  ...new Set([apiAddress(config) ?? [], config.site.cdn ? config.site.url : []].flat()),
];

/**
 * A unique physical name for resources that require one: the stage and the random part of the stack id. It is stable
 * while the stack exists, and differs after the stack is recreated.
 * @param more parts that distinguish resources of the same type within the stack.
 */
export const uniqueName = ({ stage }: Pick<Config, 'stage'>, ...more: readonly string[]): string =>
  Fn.join('-', ['directory', stage, Fn.select(0, Fn.split('-', Fn.select(2, Fn.split('/', Aws.STACK_ID)))), ...more]);
