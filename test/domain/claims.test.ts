import type { Context, PreTokenGenerationV2TriggerEvent } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { accessClaims } from '#domain/users/claims.ts';
import { handler } from '#functions/identity/add-claims.ts';

describe('the claims of an access token', () => {
  it('are address, whether it is verified, and name', () => {
    expect(
      accessClaims({ sub: 'u', email: 'ada@example.com', email_verified: 'true', name: 'Ada', 'custom:plan': 'x' }),
    ).toEqual({ email: 'ada@example.com', email_verified: 'true', name: 'Ada' });
  });

  it.each([[undefined], ['false'], [''], ['TRUE'], ['1']])('call no address verified for %j', (email_verified) => {
    expect(accessClaims({ email: 'ada@example.com', email_verified })).toEqual({
      email: 'ada@example.com',
      email_verified: 'false',
    });
  });

  it('leave out what is not there, and say nothing of the verification of no address', () => {
    expect(accessClaims({})).toEqual({});
    expect(accessClaims({ email: '', email_verified: 'true', name: '  ' })).toEqual({});
  });

  it('have a name no longer than the profile takes, cut between characters', () => {
    expect(accessClaims({ name: ` ${'x'.repeat(100)} ` }).name).toBe('x'.repeat(100));
    expect(accessClaims({ name: '🜁'.repeat(2000) }).name).toBe('🜁'.repeat(100));
  });
});

describe('the trigger', () => {
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

  const answerTo = async (asked: PreTokenGenerationV2TriggerEvent) =>
    handler(asked, {} as Context, () => expect.fail('The answer is the promise.'));

  it('answers with the event and the claims, for the access token only', async () => {
    const asked = event({ sub: 'u', email: 'ada@example.com', email_verified: 'true', name: 'Ada' });
    expect(await answerTo(asked)).toEqual({
      ...asked,
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

  it('adds nothing for somebody of whom nothing is known', async () => {
    expect(await answerTo(event({ sub: 'u' }))).toMatchObject({
      response: { claimsAndScopeOverrideDetails: { accessTokenGeneration: { claimsToAddOrOverride: {} } } },
    });
  });
});
