import { apiKeysPartition } from '#data/keys.ts';
import { apiKeyPepperParameter, parameterArn } from './parameters.ts';
import type { StackContext } from './stack-context.ts';
import { allow, leadingKeysCondition } from './statements.ts';

/** What the use of an API key changes; other attributes are written by the functions that create and revoke keys. */
export const keyUseAttributes: readonly string[] = ['pk', 'sk', 'last_used_on'];

/** Verifying API keys, which every function with a login does. */
export const apiKeyStatements = ({ config, table }: StackContext) => [
  allow(['dynamodb:GetItem'], table.tableArn, leadingKeysCondition(apiKeysPartition)),
  allow(['dynamodb:UpdateItem'], table.tableArn, {
    ...leadingKeysCondition(apiKeysPartition),
    'ForAllValues:StringEquals': { 'dynamodb:Attributes': [...keyUseAttributes] },
  }),
  allow(['ssm:GetParameter'], parameterArn(apiKeyPepperParameter(config))),
];

export const apiKeyVariables = ({ config }: StackContext) => ({
  API_KEY_PEPPER_PARAMETER: apiKeyPepperParameter(config),
});
