import { AdminDeleteUserCommand, CognitoIdentityProviderClient } from '@aws-sdk/client-cognito-identity-provider';
import { requestHandler } from './aws-client.ts';
import { settings } from './settings.ts';

const REQUEST_TIMEOUT_MS = 5000;

let lazyClient: CognitoIdentityProviderClient | undefined;

const client = (): CognitoIdentityProviderClient => {
  lazyClient ??= new CognitoIdentityProviderClient({ requestHandler: requestHandler(REQUEST_TIMEOUT_MS) });
  return lazyClient;
};

/**
 * Deletes the account of a user in the stage's user pool. Idempotent. Does nothing without a pool: accounts of another
 * issuer belong to its operator.
 */
export const deleteAccount = async (userId: string): Promise<void> => {
  const { userPool } = settings();
  if (userPool === undefined) return;
  try {
    await client().send(new AdminDeleteUserCommand({ UserPoolId: userPool, Username: userId }));
  } catch (error) {
    // Deleted by an earlier run, or a service, which has no account.
    if (!(error instanceof Error && error.name === 'UserNotFoundException')) throw error;
  }
};
