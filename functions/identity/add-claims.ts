import type { PreTokenGenerationV2TriggerHandler } from 'aws-lambda';
import { accessClaims } from '#domain/users/claims.ts';

/** Adds to the access token what Cognito puts into the ID token only. Groups stay as they are, which has to be said. */
export const handler: PreTokenGenerationV2TriggerHandler = async (event) => ({
  ...event,
  response: {
    claimsAndScopeOverrideDetails: {
      accessTokenGeneration: { claimsToAddOrOverride: accessClaims(event.request.userAttributes) },
      groupOverrideDetails: event.request.groupConfiguration,
    },
  },
});
