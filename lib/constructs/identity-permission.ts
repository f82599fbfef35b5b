import { apiKeysPartition, userKey } from '#data/keys.ts';
import { apiKeyPepperParameter, parameterArn } from './parameters.ts';
import type { StackContext } from './stack-context.ts';
import { allow, keyWriteStatements, leadingKeysCondition } from './statements.ts';
import { identityAttributes, updateUser } from './user-permissions.ts';

/** What the use of an API key changes; other attributes are written by the functions that create and revoke keys. */
export const keyUseAttributes: readonly string[] = ['pk', 'sk', 'last_used_on'];

/** Verifying tokens and API keys, and storing the record of the user: what every function with a login does. */
export const identityPermission = {
  statements: (context: StackContext) => [
    allow(['dynamodb:GetItem'], context.table.tableArn, leadingKeysCondition(userKey('*').pk, apiKeysPartition)),
    ...updateUser(identityAttributes)(context),
    allow(['dynamodb:UpdateItem'], context.table.tableArn, {
      ...leadingKeysCondition(apiKeysPartition),
      'ForAllValues:StringEquals': { 'dynamodb:Attributes': [...keyUseAttributes] },
    }),
    allow(['ssm:GetParameter'], parameterArn(apiKeyPepperParameter(context.config))),
    ...keyWriteStatements(context),
  ],
  variables: ({ config, issuer }: StackContext) => ({
    OIDC_ISSUER: issuer.issuer,
    OIDC_AUDIENCES: issuer.audiences.join(','),
    OIDC_JWKS_URI: issuer.jwksUri,
    ADMIN_EMAILS: config.adminEmails.join(','),
    API_KEY_PEPPER_PARAMETER: apiKeyPepperParameter(config),
  }),
} as const;
