import { Aws } from 'aws-cdk-lib';
import type { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { allow } from './statements.ts';

/** What begins the id of an inference profile: the part of the world whose regions it chooses among. */
const PROFILE = /^(?:us|us-gov|ca|eu|apac|au|jp|global)\.(?=[\w-]+\.)/;

const INVOKE = ['bedrock:InvokeModel'];

const foundationModel = (region: string, id: string): string =>
  `arn:${Aws.PARTITION}:bedrock:${region}::foundation-model/${id}`;

const inferenceProfile = (id: string): string =>
  `arn:${Aws.PARTITION}:bedrock:${Aws.REGION}:${Aws.ACCOUNT_ID}:inference-profile/${id}`;

/**
 * What asking a model of Bedrock takes. An inference profile is asked here and answers from a region of its choice, so its
 * model is allowed in all of them, by way of the profile and not otherwise.
 * @param id of a foundation model or an inference profile.
 */
export const modelAccess = (id: string): readonly PolicyStatement[] =>
  PROFILE.test(id)
    ? [
        allow(INVOKE, inferenceProfile(id)),
        allow(INVOKE, foundationModel('*', id.replace(PROFILE, '')), {
          StringEquals: { 'bedrock:InferenceProfileArn': inferenceProfile(id) },
        }),
      ]
    : [allow(INVOKE, foundationModel(Aws.REGION, id))];

/** What the check says of the region that a profile leaves open; undefined of a model, which has one. */
export const openRegionOf = (id: string): string | undefined =>
  PROFILE.test(id)
    ? `AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:bedrock:*::foundation-model/${id.replace(PROFILE, '')}]`
    : undefined;
