import {
  AdminDeleteUserCommand,
  CognitoIdentityProviderClient,
  UserNotFoundException,
} from '@aws-sdk/client-cognito-identity-provider';
import { clientSettings, lazily } from './aws.ts';
import { environment } from './environment.ts';

const REQUEST_TIMEOUT_MS = 5000;

const client = lazily(() => new CognitoIdentityProviderClient(clientSettings(REQUEST_TIMEOUT_MS)));

/**
 * Deletes the account of a user in the stage's user pool. Idempotent. Does nothing without a pool: accounts of another
 * issuer belong to its operator.
 */
export const deleteAccount = async (userId: string): Promise<void> => {
  const { userPool } = environment();
  if (userPool === undefined) return;
  try {
    await client().send(new AdminDeleteUserCommand({ UserPoolId: userPool, Username: userId }));
  } catch (error) {
    // Deleted by an earlier run, or a service, which has no account.
    if (!(error instanceof UserNotFoundException)) throw error;
  }
};
