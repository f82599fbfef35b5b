import { RemovalPolicy } from 'aws-cdk-lib';
import {
  type Attribute,
  AttributeType,
  Billing,
  ProjectionType,
  StreamViewType,
  TableEncryptionV2,
  TableV2,
} from 'aws-cdk-lib/aws-dynamodb';
import type { Construct } from 'constructs';
import { tableShape } from '#data/keys.ts';
import type { Config } from '../config.ts';

const text = (name: string): Attribute => ({ name, type: AttributeType.STRING });

/** The one table, in the shape that the grammar of keys says. */
export const listingTable = (scope: Construct, config: Config): TableV2 =>
  new TableV2(scope, 'Table', {
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
    encryption: TableEncryptionV2.dynamoOwnedKey(),
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: config.pointInTimeRecovery },
    deletionProtection: config.protect,
    removalPolicy: config.retain ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
  });
