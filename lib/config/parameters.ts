import { Aws } from 'aws-cdk-lib';
import type { Config } from '#lib/config/schema.ts';

/**
 * SSM parameters of a stage: its secrets, encrypted and created manually, and the values that its stacks pass on, created
 * by the deployment.
 */

/** The credentials of Stripe. */
export const stripeParameters = ({ stage }: Config) => ({
  secretKey: `/directory/${stage}/stripe/secret-key`,
  webhookSecret: `/directory/${stage}/stripe/webhook-secret`,
});

/** The shared secret of calls to jobs over HTTP. */
export const cronSecretParameter = ({ stage }: Config): string => `/directory/${stage}/cron-secret`;

/** The secret that signs the addresses by which recipients unsubscribe. */
export const unsubscribeSecretParameter = ({ stage }: Config): string => `/directory/${stage}/unsubscribe-secret`;

/** The API key of the OpenAI-compatible model server. */
export const aiKeyParameter = ({ stage }: Config): string => `/directory/${stage}/ai/api-key`;

/** A value of the user pool, such as `issuer`. */
export const signInParameter = ({ stage }: Config, value: string): string => `/directory/${stage}/sign-in/${value}`;

/** The ARN of the customer-managed key of the table. */
export const tableKeyParameter = ({ stage }: Config): string => `/directory/${stage}/table-key`;

/** The ARN of the topic for alarms. */
export const alarmTopicParameter = ({ stage }: Config): string => `/directory/${stage}/alarm-topic`;

/** The ARN of a function that routes of a later stack share. */
export const functionParameter = ({ stage }: Config, handlerId: string): string =>
  `/directory/${stage}/functions/${handlerId}`;

export const parameterArn = (name: string): string =>
  `arn:${Aws.PARTITION}:ssm:${Aws.REGION}:${Aws.ACCOUNT_ID}:parameter${name}`;
