import { type Conditions, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { dynamoService } from './addresses.ts';

/** The forms that capabilities are written in. */

/** Actions on one resource. */
export const allow = (actions: readonly string[], resource: string, conditions: Conditions = {}): PolicyStatement =>
  new PolicyStatement({ actions: [...actions], resources: [resource], conditions });

/** Only items whose partition key looks like this. */
export const onlyKeys = (pattern: string): Conditions => ({
  'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [pattern] },
});

// What DynamoDB asks of the table's key, in the name of whoever reads or writes.
const KEY_READING = ['kms:Decrypt', 'kms:DescribeKey'];
const KEY_WRITING = [
  'kms:Encrypt',
  'kms:GenerateDataKey',
  'kms:GenerateDataKeyWithoutPlaintext',
  'kms:ReEncryptFrom',
  'kms:ReEncryptTo',
];

/** Whose table may be encrypted with a key of the stage's own. */
interface Keyed {
  readonly tableKey: IKey | undefined;
}

/** By way of DynamoDB and not otherwise: nobody can take what is encrypted and read it himself. */
const throughTable = ({ tableKey }: Keyed, actions: readonly string[]): readonly PolicyStatement[] =>
  tableKey ? [allow(actions, tableKey.keyArn, { StringEquals: { 'kms:ViaService': dynamoService } })] : [];

/** What reading the table takes of its key, where the stage has one of its own. */
export const keyReading = (world: Keyed): readonly PolicyStatement[] => throughTable(world, KEY_READING);

/** What writing the table takes of its key, where the stage has one of its own. */
export const keyWriting = (world: Keyed): readonly PolicyStatement[] =>
  throughTable(world, [...KEY_READING, ...KEY_WRITING]);
