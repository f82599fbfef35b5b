import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { DEDUPLICATION_DAYS } from '#events/subscriptions.ts';
import { exampleValuesIn } from '#lib/config/example-values.ts';
import type { Config, StageOverrides } from '#lib/config/schema.ts';
import { configOf } from '#lib/config.ts';
import { standard } from '#lib/stages.ts';
import { longTest } from '#test/support/long-test.ts';
import { synthesize } from './synthesized.ts';

it.each(['dev', 'staging', 'prod'])('the settings of a stage are valid for %s', (stage) => {
  expect(configOf(stage).stage).toBe(stage);
});

it('the settings of a stage are those of a sandbox for any other name', () => {
  expect(configOf('my-branch')).toMatchObject({ stage: 'my-branch', retain: false, protect: false });
});

it.each([undefined, '', 7])('the settings of a stage are rejected with an example when the stage is %s', (stage) => {
  expect(() => configOf(stage)).toThrow('npx cdk synth -c stage=dev');
});

it.each(['Prod', 'a_b', 'x'.repeat(21), '__proto__'])('the settings of a stage reject the stage name %s', (stage) => {
  expect(() => configOf(stage)).toThrow('must begin with a letter');
});

it('the settings of a stage are rejected with a list of every invalid setting', () => {
  const wrong = {
    dev: {
      allowedOrigins: ['https://directory.example/app'],
      rateLimits: { voting: 'many' },
      trustedProxies: ['10.0.0.0/99'],
    },
  };
  expect(() => configOf('dev', wrong)).toThrow(
    /stage "dev".*allowedOrigins\.0: must be an origin.*trustedProxies\.0: must be an address range.*rateLimits\.voting: must be count\/seconds/,
  );
});

/** The error message for invalid settings; 'nothing' for valid ones. */
const errorFor = (settings: StageOverrides): string => {
  try {
    configOf('dev', { dev: settings });
    return 'nothing';
  } catch (error) {
    return String(error);
  }
};

const issuer = {
  kind: 'oidc',
  issuer: 'https://id.example',
  audiences: ['web'],
  jwksUri: 'https://id.example/keys',
} as const;

const site = { name: 'Directory', url: 'https://directory.example' };

it.each<readonly [string, StageOverrides, string]>([
  [
    'an issuer with no audience',
    { identity: { ...issuer, audiences: [] } },
    'audiences: must name at least one audience',
  ],
  [
    'a parameter of sign-ins that the service sets',
    { identity: { ...issuer, signInParameters: 'audience=web&state=1' } },
    'signInParameters: must not contain state, which the service sets itself',
  ],
  ['an issuer with a blank audience', { identity: { ...issuer, audiences: [' '] } }, 'audiences.0: must not be empty'],
  [
    'an issuer with two audiences in one',
    { identity: { ...issuer, audiences: ['a,b'] } },
    'audiences.0: must not contain a comma',
  ],
  [
    'keys of an issuer that do not come over https',
    { identity: { ...issuer, jwksUri: 'http://id.example/keys' } as never },
    'identity.jwksUri: must be an https address',
  ],
  [
    'a key of IndexNow that cannot be a file name',
    { site: { name: 'Mine', url: 'https://mine.org', indexNowKey: 'not/a/key' } },
    'site.indexNowKey: must be 8 to 128 letters, digits and hyphens',
  ],
  [
    'a price that Stripe does not charge',
    { payments: { premiumPrice: 4950, currency: 'isk' } },
    'payments.premiumPrice: must be a multiple of 100, because 4950 is ISK 49.50, which Stripe does not charge',
  ],
  [
    'a price of a promotion that Stripe does not charge',
    {
      payments: { premiumPrice: 4950, currency: 'kwd' },
      promotions: { monthlyPrices: { banner: 6900, detail: 4955 }, slots: {} },
    },
    'promotions.monthlyPrices.detail: must be a multiple of 10, because 4955 is KWD 4.955, which Stripe does not charge',
  ],
  ['protection without retention', { protect: true, retain: false }, 'retain: cannot be false'],
  ['protection without an alarm address', { protect: true, retain: true }, 'alarms.email: is required'],
  [
    'a sender that the SES identity does not cover',
    { mail: { from: 'no-reply@other.example', identity: 'directory.example', createIdentity: true } },
    'mail.identity: must be the sender',
  ],
  ['an unknown setting', { ...standard, memory: 1 } as object, 'memory'],
  [
    'a domain prefix that Cognito rejects',
    { identity: { kind: 'cognito', domainPrefix: 'my-cognito', services: [], mail: 'cognito' } },
    'identity.domainPrefix: cannot contain',
  ],
  [
    'monthly backups that are kept shorter than daily ones',
    { backup: { dailyDays: 35, monthlyDays: 30 } },
    'backup.monthlyDays: cannot be shorter',
  ],
  [
    'trusted proxies behind an edge endpoint, which appends its own addresses',
    { api: { endpoint: 'edge' }, trustedProxies: ['10.0.0.0/8'] },
    'trustedProxies: must be empty for an edge endpoint',
  ],
  [
    'a CDN without pages',
    { site: { ...site, cdn: { originKey: 1 } }, features: { site: false } },
    'site.cdn: must be absent where the feature site is off',
  ],
  [
    'a CDN in front of an edge endpoint',
    { site: { ...site, cdn: { originKey: 1 } }, api: { endpoint: 'edge' } },
    'api.endpoint: must be regional',
  ],
  [
    'a web ACL that would count the addresses of a CDN',
    {
      site: { ...site, cdn: { originKey: 1 } },
      api: { endpoint: 'regional', waf: { requestsPerFiveMinutes: 2000, managedRules: false } },
    },
    'api.waf: must be absent with site.cdn',
  ],
  [
    'records of a CDN without a certificate',
    { site: { ...site, cdn: { hostedZone: { id: 'Z0123456789ABC', name: 'directory.example' }, originKey: 1 } } },
    'site.cdn.certificateParameter: is required',
  ],
  [
    'records of a CDN in the zone of another name',
    {
      site: {
        ...site,
        cdn: {
          certificateParameter: '/directory/dev/pages',
          hostedZone: { id: 'Z0123456789ABC', name: 'other.example' },
          originKey: 1,
        },
      },
    },
    'site.cdn.hostedZone.name: must be the zone',
  ],
])('the settings of a stage reject %s', (_, settings, words) => {
  expect(errorFor(settings)).toContain(words);
});

it('the settings of a stage reject a stage name that Cognito rejects as a domain prefix', () => {
  expect(() => configOf('aws-trial')).toThrow('identity.domainPrefix: is required');
  const identity: Config['identity'] = { kind: 'cognito', domainPrefix: 'trial', services: [], mail: 'cognito' };
  expect(configOf('aws-trial', { 'aws-trial': { identity } }).identity).toEqual(identity);
});

it('the settings of production protect and retain its data', () => {
  expect(configOf('prod')).toMatchObject({ retain: true, protect: true, pointInTimeRecovery: true });
});

describe('the settings of the gateways', () => {
  const zone = { id: 'Z0123456789ABC', name: 'directory.example' };
  const name = 'api.directory.example';

  it.each<readonly [string, Config['api'], string]>([
    ['neither a zone nor a certificate', { endpoint: 'regional', domain: { name } }, 'needs a hostedZone'],
    [
      'a zone that does not contain the name',
      { endpoint: 'regional', domain: { name: 'api.other.example', hostedZone: zone } },
      'api.domain.hostedZone.name: must be the zone',
    ],
    [
      'the same name for both gateways',
      { endpoint: 'regional', domain: { name, keyedName: name, hostedZone: zone } },
      'api.domain.keyedName: cannot be',
    ],
    [
      'a URL as a name',
      { endpoint: 'regional', domain: { name: 'https://api.directory.example', hostedZone: zone } },
      'api.domain.name: must be a domain name',
    ],
    [
      'an edge endpoint with a certificate of the stack',
      { endpoint: 'edge', domain: { name, hostedZone: zone } },
      'us-east-1',
    ],
    [
      'a web ACL with a limit below the minimum',
      { endpoint: 'regional', waf: { requestsPerFiveMinutes: 1, managedRules: false } },
      'api.waf.requestsPerFiveMinutes',
    ],
  ])('the settings of the gateways cannot have %s', (_, api, words) => {
    expect(errorFor({ api })).toContain(words);
  });

  it('the settings of the gateways reject the ARN of a certificate, which contains the account', () => {
    const certificateParameter = `arn:aws:acm:eu-central-1:${'1'.repeat(12)}:certificate/abc`;
    expect(errorFor({ api: { endpoint: 'regional', domain: { name, certificateParameter } } })).toContain(
      'must be the name of an SSM parameter',
    );
  });

  it.each<Config['api']>([
    { endpoint: 'edge' },
    { endpoint: 'edge', domain: { name, certificateParameter: '/directory/dev/certificate' } },
    { endpoint: 'regional', domain: { name, keyedName: 'keys.directory.example', hostedZone: zone } },
    { endpoint: 'regional', waf: { requestsPerFiveMinutes: 2000, managedRules: true } },
  ])('the settings of the gateways can be %j', (api) => {
    expect(errorFor({ api })).toBe('nothing');
  });
});

it('the settings of retention limit the archive to the retention of deduplication records', () => {
  expect(errorFor({ archiveDays: DEDUPLICATION_DAYS })).toContain('archiveDays: cannot be more than 28');
  for (const stage of ['dev', 'staging', 'prod']) {
    expect(configOf(stage).archiveDays).toBeLessThan(DEDUPLICATION_DAYS);
  }
});

const own: StageOverrides = {
  site: { name: 'Mine', url: 'https://mine.org' },
  allowedOrigins: ['https://mine.org', 'http://localhost:3000'],
  mail: { from: 'no-reply@mine.org', identity: 'mine.org', createIdentity: true },
};

const named = ['dev', 'staging', 'prod'].map((stage) => ({ stage, ...synthesize(stage) }));
const replaced = synthesize(configOf('prod', { prod: { ...own, alarms: { email: 'operators@mine.org' } } }));

it.each(named)(
  'example addresses can be synthesized for $stage, and reject its deployment',
  ({ stage, data, exampleAddresses }) => {
    const found = `site.url, allowedOrigins.0, mail.from, mail.identity${stage === 'prod' ? ', alarms.email' : ''}.`;
    expect(exampleAddresses).toEqual([expect.stringContaining(found)]);
    const template = data.content as unknown as {
      Parameters: Record<string, object>;
      Rules: Record<string, { Assertions: readonly { Assert: unknown; AssertDescription: string }[] }>;
    };
    expect(template.Parameters.ExampleAddresses).toMatchObject({ Default: 'refuse', AllowedValues: ['refuse'] });
    expect(template.Rules.NoExampleAddresses?.Assertions).toEqual([
      {
        Assert: { 'Fn::Equals': [{ Ref: 'ExampleAddresses' }, 'accept'] },
        AssertDescription: expect.stringContaining('example addresses: site.url'),
      },
    ]);
  },
);

longTest('example addresses are accepted for one command by its context', () => {
  const { data, exampleAddresses } = synthesize('dev', { 'example-addresses': 'accept' });
  expect(exampleAddresses).toHaveLength(1);
  expect(data.text).not.toContain('ExampleAddresses');
});

it('example addresses do not reject a deployment once they are replaced', () => {
  expect(replaced.exampleAddresses).toEqual([]);
  expect(replaced.data.text).not.toContain('ExampleAddresses');
});

it('example addresses do not reject a sandbox, which sends no mail', () => {
  expect(exampleValuesIn(configOf('my-branch'))).toEqual([]);
  expect(exampleValuesIn({ ...configOf('my-branch'), features: {} })).toEqual(['mail.from', 'mail.identity']);
});

it('example addresses are found in every setting', () => {
  const wrong = { ...own, adminEmails: ['ada@example.org'], alarms: { email: 'ops@directory.example' } };
  expect(exampleValuesIn(configOf('dev', { dev: wrong }))).toEqual(['alarms.email', 'adminEmails.0']);
  const valid = { ...own, site: { name: 'Example of a test', url: 'https://latest.org' } };
  expect(exampleValuesIn(configOf('dev', { dev: valid }))).toEqual([]);
});

it('lib/stages.ts contains no account and no secret', () => {
  const text = readFileSync('lib/stages.ts', 'utf8');
  expect(text).not.toMatch(/\b\d{12}\b|arn:aws|sk_(?:live|test)_|whsec_|AKIA/);
});
