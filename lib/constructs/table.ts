import {
  type Attribute,
  AttributeType,
  Billing,
  type CfnGlobalTable,
  ProjectionType,
  StreamViewType,
  TableEncryptionV2,
  TableV2,
} from 'aws-cdk-lib/aws-dynamodb';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';
import { tableShape } from '#data/keys.ts';
import { removalPolicyFor } from '#lib/config/removal.ts';
import type { Config } from '#lib/config/schema.ts';

const text = (name: string): Attribute => ({ name, type: AttributeType.STRING });

/**
 * The table, with the keys and indexes of `tableShape`.
 * @param key the customer-managed key of the stage, if any.
 */
export const serviceTable = (scope: Construct, config: Config, key: IKey | undefined): TableV2 => {
  const table = new TableV2(scope, 'Table', {
    partitionKey: text(tableShape.partitionKey),
    sortKey: text(tableShape.sortKey),
    globalSecondaryIndexes: tableShape.indexes.map(({ name, partitionKey, sortKey }) => ({
      indexName: name,
      partitionKey: text(partitionKey),
      sortKey: text(sortKey),
      projectionType: ProjectionType.ALL,
    })),
    timeToLiveAttribute: tableShape.ttl,
    dynamoStream: StreamViewType.NEW_AND_OLD_IMAGES,
    billing: Billing.onDemand(),
    ...(config.warmThroughput && { warmThroughput: config.warmThroughput }),
    encryption:
      config.encryption === 'dynamodb' ? TableEncryptionV2.dynamoOwnedKey() : TableEncryptionV2.awsManagedKey(),
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: config.pointInTimeRecovery },
    deletionProtection: config.protect,
    removalPolicy: removalPolicyFor(config),
  });
  // `TableV2` accepts a key only in stacks with an explicit region.
  if (key) {
    const resource = table.node.defaultChild as CfnGlobalTable;
    resource.addPropertyOverride('Replicas.0.SSESpecification.KMSMasterKeyId', key.keyArn);
  }
  return table;
};
