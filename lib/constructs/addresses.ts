import { Aws, Fn } from 'aws-cdk-lib';
import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { IndexName } from '#data/keys.ts';
import type { Config } from '../config.ts';

/** What resources are called that no construct of ours stands for. They name no account: each is the one of whoever deploys. */

/** The address of an index of a table. */
export const indexArn = ({ tableArn }: TableV2, name: IndexName): string => `${tableArn}/index/${name}`;

/** The address of a table's stream. @throws where the table has none. */
export const streamArnOf = (table: TableV2): string => {
  if (table.tableStreamArn === undefined) throw new Error('The table has no stream.');
  return table.tableStreamArn;
};

/** The address of something that mail is sent with: an identity, a configuration set. */
export const mailArn = (kind: 'identity' | 'configuration-set', name: string): string =>
  `arn:${Aws.PARTITION}:ses:${Aws.REGION}:${Aws.ACCOUNT_ID}:${kind}/${name}`;

/** What DynamoDB is called where a key says who may use it. */
export const dynamoService = `dynamodb.${Aws.REGION}.${Aws.URL_SUFFIX}`;

/**
 * A name for what has to be given one: the stage, and the letters of chance in the address of the stack that it is in. They
 * stay the same for as long as the stack is there, and a stack that is made again has others.
 * @param more words that tell it from others of its kind in the stack.
 */
export const nameOfItsOwn = ({ stage }: Pick<Config, 'stage'>, ...more: readonly string[]): string =>
  Fn.join('-', ['directory', stage, Fn.select(0, Fn.split('-', Fn.select(2, Fn.split('/', Aws.STACK_ID)))), ...more]);
