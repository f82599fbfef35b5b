import { readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { localProblems, type Variables } from '#local/environment.ts';
import { startLocalServer } from '#local/server.ts';
import { StartupError } from '#local/startup-error.ts';
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
