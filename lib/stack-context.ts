import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { EventBus } from 'aws-cdk-lib/aws-events';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { Bucket } from 'aws-cdk-lib/aws-s3';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Config } from '#lib/config/schema.ts';
import type { Issuer } from '#lib/constructs/sign-in.ts';

/** The resources of a stage that functions use. */
export interface StackContext {
  readonly config: Config;
  readonly table: TableV2;
  /** The ARN of the customer-managed key of the table, if the stage has one. */
  readonly tableKeyArn: string | undefined;
  /** The key of webhook secrets. */
  readonly webhookKey: IKey;
  /** The bucket of uploaded files. */
  readonly uploads: Bucket;
  readonly issuer: Issuer;
  readonly bus: EventBus;
  /** The queues of the subscribers in this stack, by the ids of the subscribers. */
  readonly deadLetterQueues?: ReadonlyMap<string, IQueue>;
  /** The name of the SES configuration set for all mail. */
  readonly mailings: string;
}
