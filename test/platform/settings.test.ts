import { expect, it } from 'vitest';
import { readSettings } from '#platform/settings.ts';

/** The validation of the environment, for the local server and for functions alike. */

const problemOf = (environment: Readonly<Record<string, string>>, otherProblems?: readonly string[]): string => {
  try {
    readSettings({ TABLE_NAME: 'directory', ...environment }, otherProblems);
  } catch (error) {
    return (error as Error).message;
  }
  return '';
};

const issuer = { OIDC_ISSUER: 'https://issuer.example', OIDC_AUDIENCES: 'web' };

it.each(['http://issuer.example/keys', 'ftp://localhost/keys', 'issuer.example', 'known'])(
  'rejects %s as the address of the issuer’s keys',
  (address) => {
    expect(problemOf({ ...issuer, OIDC_JWKS_URI: address })).toBe(
      'Invalid environment: OIDC_JWKS_URI must be an https address.',
    );
  },
);

it.each(['https://issuer.example/keys', 'http://127.0.0.1:3000/keys', 'http://localhost:3000/keys'])(
  'accepts %s as the address of the issuer’s keys',
  (address) => {
    expect(problemOf({ ...issuer, OIDC_JWKS_URI: address })).toBe('');
  },
);

it.each(['0', '9', '1.5', 'many'])('rejects %s as the number of partitions of the feed', (number) => {
  expect(problemOf({ FEED_SHARDS: number })).toBe('Invalid environment: FEED_SHARDS must be a number from 1 to 8.');
});

it('reports all problems together, one sentence each', () => {
  const environment = { FEATURE_MAP: 'yes', PREMIUM_PRICE: '-1', OIDC_ISSUER: 'https://issuer.example' };
  expect(problemOf(environment, ['LOG_LEVEL must be one of DEBUG, INFO'])).toBe(
    "Invalid environment: LOG_LEVEL must be one of DEBUG, INFO. PREMIUM_PRICE must be a whole number in the currency's smallest unit, such as 4900. " +
      'FEATURE_MAP must be on or off. OIDC_ISSUER and OIDC_JWKS_URI must be set together.',
  );
});
