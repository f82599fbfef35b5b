import { AwsError, jsonClient } from './aws-json.ts';
import { settings } from './settings.ts';

const REQUEST_TIMEOUT_MS = 5000;

const client = jsonClient({
  name: 'cognito-idp',
  target: 'AWSCognitoIdentityProviderService',
  contentType: 'application/x-amz-json-1.1',
  endpointVariable: 'AWS_ENDPOINT_URL_COGNITO_IDENTITY_PROVIDER',
  timeoutMs: REQUEST_TIMEOUT_MS,
});

/**
 * Deletes the account of a user in the stage's user pool. Idempotent. Does nothing without a pool: accounts of another
 * issuer belong to its operator.
 */
export const deleteAccount = async (userId: string): Promise<void> => {
  const { userPool } = settings();
  if (userPool === undefined) return;
  try {
    await client().call('AdminDeleteUser', { UserPoolId: userPool, Username: userId });
  } catch (error) {
    // Deleted by an earlier run, or a service, which has no account.
    if (!(error instanceof AwsError && error.name === 'UserNotFoundException')) throw error;
  }
};
