import { Aws } from 'aws-cdk-lib';
import type { Config } from '../config.ts';

/** Where a stage keeps its secrets: encrypted parameters that are made by hand. */

/** What it knows the payment provider by. */
export const stripeParameters = ({ stage }: Config) => ({
  secretKey: `/directory/${stage}/stripe/secret-key`,
  webhookSecret: `/directory/${stage}/stripe/webhook-secret`,
});

/** What jobs are called with over HTTP. */
export const jobSecretParameter = ({ stage }: Config): string => `/directory/${stage}/cron-secret`;

/** The key of its OpenAI-compatible server. */
export const aiKeyParameter = ({ stage }: Config): string => `/directory/${stage}/ai/api-key`;

/** The address of a parameter. */
export const parameterArn = (name: string): string =>
  `arn:${Aws.PARTITION}:ssm:${Aws.REGION}:${Aws.ACCOUNT_ID}:parameter${name}`;
