import { Aws } from 'aws-cdk-lib';
import type { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { allow } from './statements.ts';

/** The prefix of an inference profile id: the geography among whose regions it chooses. */
const PROFILE = /^(?:us|us-gov|ca|eu|apac|au|jp|global)\.(?=[\w-]+\.)/;

const INVOKE = ['bedrock:InvokeModel'];

const foundationModel = (region: string, id: string): string =>
  `arn:${Aws.PARTITION}:bedrock:${region}::foundation-model/${id}`;

const inferenceProfile = (id: string): string =>
  `arn:${Aws.PARTITION}:bedrock:${Aws.REGION}:${Aws.ACCOUNT_ID}:inference-profile/${id}`;

/**
 * The permissions for invoking a Bedrock model. An inference profile is invoked in this region and runs the model in a
 * region of its choice, so the model is allowed in all regions, but only through the profile.
 * @param id of a foundation model or an inference profile.
 */
export const modelStatements = (id: string): readonly PolicyStatement[] =>
  PROFILE.test(id)
    ? [
        allow(INVOKE, inferenceProfile(id)),
        allow(INVOKE, foundationModel('*', id.replace(PROFILE, '')), {
          StringEquals: { 'bedrock:InferenceProfileArn': inferenceProfile(id) },
        }),
      ]
    : [allow(INVOKE, foundationModel(Aws.REGION, id))];

/** The cdk-nag finding about the region wildcard of a profile; undefined for a foundation model. */
export const wildcardRegionFinding = (id: string): string | undefined =>
  PROFILE.test(id)
    ? `AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:bedrock:*::foundation-model/${id.replace(PROFILE, '')}]`
    : undefined;
