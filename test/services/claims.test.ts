import type { Context, PreTokenGenerationV2TriggerEvent } from 'aws-lambda';
import { expect, it } from 'vitest';
import { handler } from '#functions/identity/add-claims.ts';
import { accessClaims } from '#model/user.ts';

it('the claims of an access token are the address, whether it is verified, and the name', () => {
  expect(
    accessClaims({ sub: 'u', email: 'ada@example.com', email_verified: 'true', name: 'Ada', 'custom:plan': 'x' }),
  ).toEqual({ email: 'ada@example.com', email_verified: 'true', name: 'Ada' });
});

it.each([[undefined], ['false'], [''], ['TRUE'], ['1']])(
  'the claims of an access token contain an unverified address for email_verified %j',
  (email_verified) => {
    expect(accessClaims({ email: 'ada@example.com', email_verified })).toEqual({
      email: 'ada@example.com',
      email_verified: 'false',
    });
  },
);

it('the claims of an access token omit empty attributes, and email_verified without an address', () => {
  expect(accessClaims({})).toEqual({});
  expect(accessClaims({ email: '', email_verified: 'true', name: '  ' })).toEqual({});
});

it('the claims of an access token truncate the name to the limit of the profile, between characters', () => {
  expect(accessClaims({ name: ` ${'x'.repeat(100)} ` }).name).toBe('x'.repeat(100));
  expect(accessClaims({ name: '🜁'.repeat(2000) }).name).toBe('🜁'.repeat(100));
});

const event = (userAttributes: Record<string, string>): PreTokenGenerationV2TriggerEvent => ({
  version: '2',
  region: 'somewhere',
  userPoolId: 'pool',
  userName: 'u',
  triggerSource: 'TokenGeneration_RefreshTokens',
  callerContext: { awsSdkVersion: '1', clientId: 'web' },
  request: { userAttributes, groupConfiguration: { groupsToOverride: ['editors'] }, scopes: ['openid'] },
  response: { claimsAndScopeOverrideDetails: {} },
});

const run = async (input: PreTokenGenerationV2TriggerEvent) =>
  handler(input, {} as Context, () => expect.fail('The handler must not use the callback.'));

it('the trigger returns the event with the claims, for the access token only', async () => {
  const input = event({ sub: 'u', email: 'ada@example.com', email_verified: 'true', name: 'Ada' });
  expect(await run(input)).toEqual({
    ...input,
    response: {
      claimsAndScopeOverrideDetails: {
        accessTokenGeneration: {
          claimsToAddOrOverride: { email: 'ada@example.com', email_verified: 'true', name: 'Ada' },
        },
        groupOverrideDetails: { groupsToOverride: ['editors'] },
      },
    },
  });
});
