import type { PreTokenGenerationV2TriggerHandler } from 'aws-lambda';
import { accessClaims } from '#model/user.ts';

/** Adds claims to the access token that Cognito includes only in the ID token. Groups must be passed on explicitly. */
export const handler: PreTokenGenerationV2TriggerHandler = async (event) => ({
  ...event,
  response: {
    claimsAndScopeOverrideDetails: {
      accessTokenGeneration: { claimsToAddOrOverride: accessClaims(event.request.userAttributes) },
      groupOverrideDetails: event.request.groupConfiguration,
    },
  },
});
