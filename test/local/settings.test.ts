import { readdirSync } from 'node:fs';
import { devNull } from 'node:os';
import { expect, it } from 'vitest';
import {
  addressOf,
  defaultSettings,
  localProblems,
  type Variables,
  withoutAwsConfiguration,
} from '#local/environment.ts';
import { startLocalServer } from '#local/server.ts';
import { StartupError } from '#local/startup-error.ts';
import { variableNames } from '#platform/environment.ts';
import { OWN_SECRETS, temporaryDataDir } from '#test/support/server.ts';

/** Settings of the local server that others than the user of this machine depend on. */

const issuer = {
  OIDC_ISSUER: 'https://issuer.example',
  OIDC_JWKS_URI: 'https://issuer.example/keys',
  OIDC_AUDIENCES: 'web',
};

const REAL: readonly (readonly [Variables, reason: string])[] = [
  [{ STRIPE_SECRET_KEY: 'sk_live_1' }, 'STRIPE_SECRET_KEY is set'],
  [{ STRIPE_SECRET_KEY: 'sk_test_1' }, 'STRIPE_SECRET_KEY is set'],
  [{ STRIPE_SECRET_KEY: 'rk_live_1', STRIPE_API_BASE: 'http://127.0.0.1:12111' }, 'STRIPE_SECRET_KEY is set'],
  [issuer, 'an issuer is configured'],
  [{ OIDC_ISSUER: issuer.OIDC_ISSUER }, 'an issuer is configured'],
  [{ OIDC_JWKS_URI: issuer.OIDC_JWKS_URI }, 'an issuer is configured'],
  [{ HTTPS_ONLY: 'on' }, 'HTTPS_ONLY is on'],
  [{ SITE_URL: 'https://directory.example' }, 'SITE_URL names a public host'],
  [{ SITE_URL: 'http://192.168.1.5:3000/' }, 'SITE_URL names a public host'],
  [{ SITE_URL: 'http://[2001:db8::1]:3000' }, 'SITE_URL names a public host'],
  [{ SITE_URL: 'https://localhost.example' }, 'SITE_URL names a public host'],
  [{ SITE_URL: 'https://127.0.0.1.example' }, 'SITE_URL names a public host'],
];

const SECRETS = [
  ['CRON_SECRET', 'local-cron-secret'],
  ['STRIPE_WEBHOOK_SECRET', 'whsec_local'],
] as const;

it.each(REAL.flatMap(([real, reason]) => SECRETS.map(([name, known]) => [real, name, known, reason] as const)))(
  'beside %o the start demands %s in place of %s',
  (real, name, known, reason) => {
    const problem = `${name} must be a secret of your own, or empty to accept no such requests, because ${reason} and ${known} is public`;
    for (const value of [undefined, known, ` ${known}`, `another,${known}`]) {
      expect(localProblems({ ...OWN_SECRETS, ...real, [name]: value })).toEqual([problem]);
    }
    for (const value of ['', ' ', 'another', `${known}2`]) {
      expect(localProblems({ ...OWN_SECRETS, ...real, [name]: value })).toEqual([]);
    }
  },
);

it.each([
  {},
  { STRIPE_SECRET_KEY: '', OIDC_ISSUER: '', SITE_URL: '', HTTPS_ONLY: 'off' },
  { SITE_URL: 'http://localhost:8080' },
  { SITE_URL: 'http://127.8.9.1' },
  { SITE_URL: 'http://[::1]:3000/' },
  { CRON_SECRET: 'local-cron-secret', STRIPE_WEBHOOK_SECRET: 'whsec_local' },
])('beside %o secrets have defaults', (variables) => {
  expect(localProblems(variables)).toEqual([]);
});

it('a start without the secrets that it needs names all of them, and writes nothing', async () => {
  const dataDir = temporaryDataDir();
  const env = { STRIPE_SECRET_KEY: 'sk_live_1', OIDC_ISSUER: issuer.OIDC_ISSUER };
  const start = startLocalServer({ port: 0, dataDir, env });
  await expect(start).rejects.toThrow(StartupError);
  await expect(start).rejects.toThrow(
    'Invalid environment: CRON_SECRET must be a secret of your own, or empty to accept no such requests, because ' +
      'STRIPE_SECRET_KEY is set and local-cron-secret is public. STRIPE_WEBHOOK_SECRET must be a secret of your own, or empty to ' +
      'accept no such requests, because STRIPE_SECRET_KEY is set and whsec_local is public. ' +
      'OIDC_ISSUER and OIDC_JWKS_URI must be set together.',
  );
  expect(readdirSync(dataDir)).toEqual([]);
});

it.each([
  {},
  { CURRENCY: 'isk' },
  { CURRENCY: ' ISK ', PREMIUM_PRICE: '495000', PROMOTION_PRICE_BANNER: '100' },
  { CURRENCY: 'kwd', PREMIUM_PRICE: '4950' },
  { CURRENCY: 'huf', PREMIUM_PRICE: '4955' },
  { CURRENCY: 'jpy', PREMIUM_PRICE: '1', PROMOTION_PRICE_DETAIL: '' },
  { PREMIUM_PRICE: '4955' },
  // What is no price or no currency is reported as such.
  { CURRENCY: 'isk', PREMIUM_PRICE: '49.5' },
  { CURRENCY: 'i', PREMIUM_PRICE: '4955' },
])('the prices of %o are no problem', (variables) => {
  expect(localProblems(variables)).toEqual([]);
});

it.each(['PREMIUM_PRICE', 'PROMOTION_PRICE_BANNER', 'PROMOTION_PRICE_CATALOG', 'PROMOTION_PRICE_DETAIL'])(
  '%s must be an amount that Stripe charges in the currency',
  (name) => {
    expect(localProblems({ CURRENCY: ' Isk', [name]: '4950' })).toEqual([
      `${name} must be a multiple of 100, because 4950 is ISK 49.50, which Stripe does not charge`,
    ]);
    expect(localProblems({ CURRENCY: 'kwd', [name]: '4955' })).toEqual([
      `${name} must be a multiple of 10, because 4955 is KWD 4.955, which Stripe does not charge`,
    ]);
  },
);

it('parameters that no sign-in can have end the start', () => {
  expect(localProblems({ SIGN_IN_PARAMETERS: 'audience=https%3A%2F%2Fapi.example&scope=orders' })).toEqual([]);
  expect(localProblems({ SIGN_IN_PARAMETERS: 'audience=orders&state=1' })).toEqual([
    'SIGN_IN_PARAMETERS must not contain state, which the service sets itself',
  ]);
});

it.each([
  ['FEATURE_MAPS', 'FEATURE_MAP'],
  ['OIDC_AUDIENCE', 'OIDC_AUDIENCES'],
  ['PROMOTION_PRICE_BANNERS', 'PROMOTION_PRICE_BANNER'],
  ['RATE_LIMIT_VOTES', 'RATE_LIMIT_VOTING'],
  ['SIGN_IN_CLIENT', 'SIGN_IN_CLIENT_ID'],
  ['SITE_LANGUAGE', 'SITE_LANGUAGES'],
  ['STRIPE_KEY', 'STRIPE_SECRET_KEY'],
  ['STRIPE_SECRET_KEY_PARAMETER', 'STRIPE_WEBHOOK_SECRET'],
])('%s does not exist, and the start names %s', (name, other) => {
  const [problem, ...rest] = localProblems({ [name]: 'on' });
  expect(rest).toEqual([]);
  expect(problem).toMatch(new RegExp(`^${name} is not a setting: those that begin with [A-Z_]+ are .*\\b${other}\\b`));
  // Empty values are those of no variable.
  expect(localProblems({ [name]: '' })).toEqual([]);
});

it('every variable of the service exists, and names of other programs are no problem', () => {
  const settings = [...variableNames(), 'STRIPE_SECRET_KEY', 'CRON_SECRET', 'STRIPE_WEBHOOK_SECRET', 'SITE_FOLDER'];
  const problems = localProblems(Object.fromEntries(settings.map((name) => [name, 'x'])));
  expect(problems.filter((problem) => problem.includes('is not a setting'))).toEqual([]);
  expect(localProblems({ FEATURES: 'x', SITE: 'x', OIDC: 'x', PATH: '/bin', MY_STRIPE_KEY: 'x' })).toEqual([]);
});

it.each([
  [
    { SITE_URL: 'https://directory.example/?page=1' },
    'SITE_URL must be an address without query, fragment and password',
  ],
  [{ SITE_URL: 'https://directory.example/#top' }, 'SITE_URL must be an address without query, fragment and password'],
  [{ SITE_URL: 'https://ada:x@directory.example' }, 'SITE_URL must be an address without query, fragment and password'],
  [
    { ...issuer, OIDC_ISSUER: 'https://issuer.example?' },
    'OIDC_ISSUER must be an address without query, fragment and password',
  ],
  [{ AI_BASE_URL: 'http://x:y@127.0.0.1' }, 'AI_BASE_URL must be an address without query, fragment and password'],
  [{ ...issuer, OIDC_ISSUER: 'issuer.example' }, 'OIDC_ISSUER must be an http or https address'],
  [{ UPLOAD_ENDPOINT: 'directory.example' }, 'UPLOAD_ENDPOINT must be an http or https address'],
  [{ DYNAMODB_ENDPOINT: 'localhost:8000' }, 'DYNAMODB_ENDPOINT must be an http or https address'],
  [
    { STRIPE_SECRET_KEY: 'pk_live_1' },
    'STRIPE_SECRET_KEY must be a secret or restricted key of Stripe, which begins with sk_ or rk_',
  ],
  [
    { STRIPE_SECRET_KEY: 'whsec_1' },
    'STRIPE_SECRET_KEY must be a secret or restricted key of Stripe, which begins with sk_ or rk_',
  ],
  [
    { STRIPE_WEBHOOK_SECRET: 'we_1' },
    'STRIPE_WEBHOOK_SECRET must be the signing secret of a webhook, which begins with whsec_',
  ],
  [
    { STRIPE_WEBHOOK_SECRET: 'whsec_1, sk_live_1' },
    'STRIPE_WEBHOOK_SECRET must be the signing secret of a webhook, which begins with whsec_',
  ],
  [{ SITE_NAME: ' ' }, 'SITE_NAME must be one line of text'],
  [{ SITE_NAME: 'A\nB' }, 'SITE_NAME must be one line of text'],
  [{ SAMPLE_DATA: 'none' }, 'SAMPLE_DATA must be on or off'],
  [{ LOG_ERROR_MESSAGES: 'true' }, 'LOG_ERROR_MESSAGES must be on or off'],
] as const)('%o cannot be right', (variables, problem) => {
  expect(localProblems({ ...OWN_SECRETS, ...variables })).toEqual([problem]);
});

it.each(['0.0.0.0', '::', '192.168.1.5', '2001:db8::1', '::ffff:127.0.0.1'])(
  'with HOST=%s the start demands an issuer and secrets, because others can connect',
  (HOST) => {
    const demanded =
      'OIDC_ISSUER, OIDC_JWKS_URI and OIDC_AUDIENCES must be set, because HOST lets other machines connect and the local issuer lets ' +
      'anybody sign in as anybody';
    expect(localProblems({ ...OWN_SECRETS, HOST })).toEqual([demanded]);
    expect(localProblems({ ...issuer, ...OWN_SECRETS, HOST })).toEqual([]);
    expect(localProblems({ HOST })).toEqual([
      demanded,
      ...SECRETS.map(
        ([name, known]) =>
          `${name} must be a secret of your own, or empty to accept no such requests, because HOST lets other machines connect and ${known} is public`,
      ),
    ]);
  },
);

it.each(['', 'localhost', '127.0.0.1', '127.0.0.9', '::1'])('HOST=%s is for this machine only', (HOST) => {
  expect(localProblems({ HOST })).toEqual([]);
});

it.each([
  'directory.example',
  'x86_64-conda-linux-gnu',
  '[::1]',
  '127.0.0.1:3000',
  '127.1',
  'fe80::1%eth0',
  '300.0.0.1',
])('HOST=%s is no address', (HOST) => {
  expect(localProblems({ ...issuer, ...OWN_SECRETS, HOST })).toEqual([
    'HOST must be an IP address of this machine, 0.0.0.0 for all, or empty: some shells set it to another value',
  ]);
});

it('links lead to the address of HOST by default, where it is one that others can use', () => {
  expect(['localhost', '127.0.0.9', '0.0.0.0', '::', undefined].map((host) => addressOf(host, 3000))).toEqual(
    Array(5).fill('http://localhost:3000'),
  );
  expect(addressOf('192.168.1.5', 80)).toBe('http://192.168.1.5:80');
  expect(addressOf('2001:db8::1', 3000)).toBe('http://[2001:db8::1]:3000');
});

it.each([{ HTTPS_ONLY: 'on' }, { HOST: '0.0.0.0', ...issuer }])(
  'with %o links cannot lead to the local parts',
  (closed) => {
    const variables = { ...OWN_SECRETS, ...closed, LOCAL_LINKS: 'on' };
    expect(localProblems(variables)).toEqual([
      'LOCAL_LINKS must be off, because HTTPS_ONLY or HOST switches off what the links lead to',
    ]);
  },
);

it('uploads go to the address of the pages where others send them, if they are those of this service', () => {
  const endpoints = { port: 3000, awsEndpoint: 'http://localhost:1', siteUrl: 'https://directory.example' };
  const addressWith = (more: object) => defaultSettings({ ...endpoints, ...more }).UPLOAD_ENDPOINT;
  expect(addressWith({ hasSite: true, isClosed: true })).toBe('https://directory.example/_local/storage');
  expect(addressWith({ hasSite: true })).toBe('http://localhost:3000/_local/storage');
  const ownUrl = 'http://192.168.1.5:3000';
  expect(addressWith({ hasSite: false, isClosed: true, ownUrl })).toBe(`${ownUrl}/_local/storage`);
});

it("the user's configuration of AWS is hidden, except what an engine of the user needs", () => {
  const given = {
    PATH: '/bin',
    AWS_PROFILE: 'production',
    AWS_REGION: 'eu-west-1',
    AWS_USE_FIPS_ENDPOINT: 'true',
    AWS_ENDPOINT_URL: 'http://127.0.0.1:1',
    AWS_MAX_ATTEMPTS: '1',
    AWS_CONFIG_FILE: '/home/ada/config',
  };
  const always = {
    AWS_USE_FIPS_ENDPOINT: 'false',
    AWS_USE_DUALSTACK_ENDPOINT: 'false',
    AWS_EC2_METADATA_DISABLED: 'true',
    AWS_ENDPOINT_URL: undefined,
    AWS_MAX_ATTEMPTS: undefined,
  };
  expect(withoutAwsConfiguration(given, 'http://localhost:8000')).toEqual(always);
  expect(withoutAwsConfiguration(given, undefined)).toEqual({
    ...always,
    AWS_PROFILE: undefined,
    AWS_REGION: undefined,
    AWS_CONFIG_FILE: devNull,
    AWS_SHARED_CREDENTIALS_FILE: devNull,
  });
});
