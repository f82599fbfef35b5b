import { expect, it } from 'vitest';
import { readEnvironment } from '#platform/environment.ts';

/** The validation of the environment, for the local server and for functions alike. */

const problemOf = (environment: Readonly<Record<string, string>>, otherProblems?: readonly string[]): string => {
  try {
    readEnvironment({ TABLE_NAME: 'directory', ...environment }, otherProblems);
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

it.each([
  ['directory@example.com', 'directory@example.com'],
  ['info@bücher.example <info@bücher.example>', 'info@bücher.example <info@xn--bcher-kva.example>'],
  ['"Größe" <info@bücher.example>', '"Größe" <info@xn--bcher-kva.example>'],
])('sends mail of %s from %s', (given, from) => {
  expect(readEnvironment({ TABLE_NAME: 'directory', MAIL_FROM: given }).mailFrom).toBe(from);
});

it.each(['jörg@example.org', 'Jörg <jörg@example.org>', 'a..b@example.org', 'directory@localhost', 'directory'])(
  'rejects %s as the sender of mail, which SES never takes',
  (address) => {
    expect(problemOf({ MAIL_FROM: address })).toBe(
      'Invalid environment: MAIL_FROM must be an address, such as Directory <directory@example.com>.',
    );
  },
);

it.each(['9.9.9.9', '127.0.0.1:5353', '2620:fe::fe', '[2620:fe::fe]:53'])('accepts %s as a name server', (address) => {
  expect(problemOf({ CLAIM_DNS_SERVER: address })).toBe('');
});

it.each(['dns.example', '9.9.9', '9.9.9.9:', '[9.9.9', '2620:fe::fe:port', '9.9.9.9,1.1.1.1'])(
  'rejects %s as a name server',
  (address) => {
    expect(problemOf({ CLAIM_DNS_SERVER: address })).toBe(
      'Invalid environment: CLAIM_DNS_SERVER must be an IP address, with a port if it is not 53.',
    );
  },
);

it.each(['12345678', 'a-Z-0-9-', 'k'.repeat(128)])('accepts %s as the key of IndexNow', (key) => {
  expect(problemOf({ INDEXNOW_KEY: key })).toBe('');
});

it('reports to api.indexnow.org unless another endpoint is set', () => {
  const given = { TABLE_NAME: 'directory', INDEXNOW_KEY: '12345678' };
  expect(readEnvironment(given).indexNow?.endpoint).toBe('https://api.indexnow.org/indexnow');
  const endpoint = 'https://search.example/report';
  expect(readEnvironment({ ...given, INDEXNOW_ENDPOINT: endpoint }).indexNow?.endpoint).toBe(endpoint);
});

it.each(['1234567', 'k'.repeat(129), 'under_score', 'white space', 'a/../../b', 'ключ-ключ', '12345678\n'])(
  'rejects %j as the key of IndexNow',
  (key) => {
    expect(problemOf({ INDEXNOW_KEY: key })).toBe(
      'Invalid environment: INDEXNOW_KEY must be 8 to 128 letters, digits and hyphens.',
    );
  },
);

it('switches follows off without mail', () => {
  const given = { TABLE_NAME: 'directory', FEATURE_FOLLOWS: 'on' };
  expect(readEnvironment(given).features).toMatchObject({ follows: true, email: true });
  expect(readEnvironment({ ...given, FEATURE_EMAIL: 'off' }).features).toMatchObject({ follows: false, email: false });
});

it('reports all problems together, one sentence each', () => {
  const environment = { FEATURE_MAP: 'yes', PREMIUM_PRICE: '-1', OIDC_ISSUER: 'https://issuer.example' };
  expect(problemOf(environment, ['LOG_LEVEL must be one of DEBUG, INFO'])).toBe(
    "Invalid environment: LOG_LEVEL must be one of DEBUG, INFO. PREMIUM_PRICE must be a whole number in the currency's smallest unit, such as 4900. " +
      'FEATURE_MAP must be on or off. OIDC_ISSUER and OIDC_JWKS_URI must be set together.',
  );
});

it.each([
  ['SIGN_IN_AUTHORIZATION_URL', 'id.example/authorize', 'must be an http or https address'],
  ['VERIFIED_EMAIL_REQUIRED', 'yes', 'must be none, submit or write'],
])('rejects %s=%s', (name, value, problem) => {
  expect(problemOf({ [name]: value })).toBe(`Invalid environment: ${name} ${problem}.`);
});
