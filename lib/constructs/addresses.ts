import { Aws } from 'aws-cdk-lib';
import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { IndexName } from '#data/keys.ts';

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

/** The address of a foundation model, or of an inference profile where the id begins with a region's name. */
export const modelArn = (id: string): string =>
  /^[a-z]{2,6}\./.test(id) && id.split('.').length > 2
    ? `arn:${Aws.PARTITION}:bedrock:${Aws.REGION}:${Aws.ACCOUNT_ID}:inference-profile/${id}`
    : `arn:${Aws.PARTITION}:bedrock:${Aws.REGION}::foundation-model/${id}`;

/** What DynamoDB is called where a key says who may use it. */
export const dynamoService = `dynamodb.${Aws.REGION}.${Aws.URL_SUFFIX}`;
