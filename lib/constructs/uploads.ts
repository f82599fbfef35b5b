import { Aws, Duration, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import { AnyPrincipal, Effect, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { BlockPublicAccess, Bucket, BucketEncryption, HttpMethods, ObjectOwnership } from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';
import { apiAddress } from '#lib/config/names.ts';
import type { Config } from '#lib/config/schema.ts';
import type { StackContext } from '#lib/stack-context.ts';

/** How long browsers cache the response to a preflight request, in seconds. */
const PREFLIGHT_SECONDS = 600;

/** The console's origin: that of the API, whose default name is not known before its stack is deployed. */
const consoleOrigin = (config: Config): string => {
  const address = apiAddress(config);
  return address === undefined ? `https://*.execute-api.${Aws.REGION}.${Aws.URL_SUFFIX}` : new URL(address).origin;
};

/** The bucket of uploaded files. Each is deleted after its import, and by the lifecycle rule a day after its upload. */
export const uploadBucket = (scope: Construct, config: Config): Bucket => {
  const bucket = new Bucket(scope, 'Uploads', {
    blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
    objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
    encryption: BucketEncryption.S3_MANAGED,
    enforceSSL: true,
    minimumTLSVersion: 1.2,
    lifecycleRules: [{ expiration: Duration.days(1), abortIncompleteMultipartUploadAfter: Duration.days(1) }],
    // Browsers send the files, with the headers that are signed.
    cors: [
      {
        allowedMethods: [HttpMethods.PUT],
        allowedOrigins: [
          ...new Set([new URL(config.site.url).origin, ...config.allowedOrigins, consoleOrigin(config)]),
        ],
        allowedHeaders: ['content-length', 'content-type', 'if-none-match'],
        maxAge: PREFLIGHT_SECONDS,
      },
    ],
    // It holds nothing that is not meant to be deleted.
    removalPolicy: RemovalPolicy.DESTROY,
  });
  // A file is stored once: without the condition an address of an upload, or the function that signs it, could replace it.
  bucket.addToResourcePolicy(
    new PolicyStatement({
      effect: Effect.DENY,
      principals: [new AnyPrincipal()],
      actions: ['s3:PutObject'],
      resources: [bucket.arnForObjects('*')],
      conditions: { Null: { 's3:if-none-match': 'true' }, Bool: { 's3:ObjectCreationOperation': 'true' } },
    }),
  );
  Validations.of(bucket).acknowledge({
    id: 'AwsSolutions-S1',
    reason: 'Files live for a day at most; who uploaded and imported them is in the audit log.',
  });
  return bucket;
};

/** The pattern of file names: the ids of imports. */
export const UPLOADED_FILES = 'imp_*';

/** The finding about the pattern of file names in a policy of another stack. It names the bucket by its export. */
export const uploadFinding = ({ uploads }: StackContext): string => {
  const owner = Stack.of(uploads);
  const reference = owner.resolve(owner.exportValue(uploads.bucketArn)) as { readonly 'Fn::ImportValue': string };
  return `AwsSolutions-IAM5[Resource::${reference['Fn::ImportValue']}/${UPLOADED_FILES}]`;
};
