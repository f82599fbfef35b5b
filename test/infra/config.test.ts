import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { DEDUPLICATION_DAYS } from '#events/subscriptions.ts';
import { placeholdersIn } from '#lib/config/placeholders.ts';
import type { Config, StageOverrides } from '#lib/config/schema.ts';
import { configOf } from '#lib/config.ts';
import { standard } from '#lib/stages.ts';
import { longTest } from '#test/support/long-test.ts';
import { synthesize } from './synthesized.ts';

describe('the settings of a stage', () => {
  it.each(['dev', 'staging', 'prod'])('are valid for %s', (stage) => {
    expect(configOf(stage).stage).toBe(stage);
  });

  it('are those of a sandbox for any other name', () => {
    expect(configOf('my-branch')).toMatchObject({ stage: 'my-branch', retain: false, protect: false });
  });

  it.each([undefined, '', 7])('throws with an example when the stage is %s', (stage) => {
    expect(() => configOf(stage)).toThrow('npx cdk synth -c stage=dev');
  });

  it.each(['Prod', 'a_b', 'x'.repeat(21), '__proto__'])('rejects the stage name %s', (stage) => {
    expect(() => configOf(stage)).toThrow('must begin with a letter');
  });

  it('lists every invalid setting', () => {
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

  it.each<readonly [string, string[], string]>([
    ['no audience', [], 'identity.audiences: must name at least one audience'],
    ['a blank audience', [' '], 'identity.audiences.0: must not be empty'],
    ['two audiences in one', ['a,b'], 'identity.audiences.0: must not contain a comma'],
  ])('rejects an issuer with %s', (_, audiences, message) => {
    const issuer = 'https://id.example';
    const identity: Config['identity'] = { kind: 'oidc', issuer, audiences, jwksUri: `${issuer}/keys` };
    expect(() => configOf('dev', { dev: { identity } })).toThrow(message);
  });

  it('rejects protection without retention', () => {
    expect(() => configOf('dev', { dev: { protect: true, retain: false } })).toThrow('retain: cannot be false');
  });

  it('rejects keys of an issuer that do not come over https', () => {
    const identity = {
      kind: 'oidc',
      issuer: 'https://id.example',
      audiences: ['web'],
      jwksUri: 'http://id.example/keys',
    };
    expect(() => configOf('dev', { dev: { identity: identity as Config['identity'] } })).toThrow(
      'identity.jwksUri: must be an https address',
    );
  });

  it('rejects protection without an alarm address', () => {
    expect(() => configOf('dev', { dev: { protect: true, retain: true } })).toThrow('alarms.email: is required');
    expect(configOf('prod').alarms.email).toBeDefined();
  });

  it('rejects a stage name that Cognito rejects as a domain prefix', () => {
    expect(() => configOf('aws-trial')).toThrow('identity.domainPrefix: is required');
    const identity: Config['identity'] = { kind: 'cognito', domainPrefix: 'trial', services: [], mail: 'cognito' };
    expect(configOf('aws-trial', { 'aws-trial': { identity } }).identity).toEqual(identity);
  });

  it('rejects a sender that the SES identity does not cover', () => {
    const mail = { from: 'no-reply@other.example', identity: 'directory.example', createIdentity: true };
    expect(() => configOf('dev', { dev: { mail } })).toThrow('mail.identity: must be the sender');
  });

  it('rejects an unknown setting', () => {
    expect(() => configOf('dev', { dev: { ...standard, memory: 1 } as object })).toThrow('memory');
  });

  it('protects and retains production', () => {
    expect(configOf('prod')).toMatchObject({ retain: true, protect: true, pointInTimeRecovery: true });
  });
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
  ])('cannot have %s', (_, api, words) => {
    expect(errorFor({ api })).toContain(words);
  });

  it('rejects the ARN of a certificate, which contains the account', () => {
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
  ])('can be %j', (api) => {
    expect(errorFor({ api })).toBe('nothing');
  });
});

describe('the settings of retention', () => {
  it('limit the archive to the retention of deduplication records', () => {
    expect(errorFor({ archiveDays: DEDUPLICATION_DAYS })).toContain('archiveDays: cannot be more than 28');
    for (const stage of ['dev', 'staging', 'prod']) {
      expect(configOf(stage).archiveDays).toBeLessThan(DEDUPLICATION_DAYS);
    }
  });

  it('require monthly backups to be kept at least as long as daily ones', () => {
    expect(errorFor({ backup: { dailyDays: 35, monthlyDays: 30 } })).toContain('backup.monthlyDays: cannot be shorter');
  });

  it('reserve concurrency for existing functions only', () => {
    expect(errorFor({ reservedConcurrency: { 'projects.submit': 50, 'mail.noteReturn': 2 } })).toBe('nothing');
    expect(errorFor({ reservedConcurrency: { 'projects.vanish': 50 } })).toContain(
      'reservedConcurrency.projects.vanish: is not a function of this service',
    );
  });

  it('reject a domain prefix that Cognito rejects', () => {
    const identity: Config['identity'] = { kind: 'cognito', domainPrefix: 'my-cognito', services: [], mail: 'cognito' };
    expect(errorFor({ identity })).toContain('identity.domainPrefix: cannot contain');
  });
});

describe('example addresses', () => {
  const own: StageOverrides = {
    site: { name: 'Mine', url: 'https://mine.org' },
    allowedOrigins: ['https://mine.org', 'http://localhost:3000'],
    mail: { from: 'no-reply@mine.org', identity: 'mine.org', createIdentity: true },
  };

  const named = ['dev', 'staging', 'prod'].map((stage) => ({ stage, ...synthesize(stage) }));
  const replaced = synthesize(configOf('prod', { prod: { ...own, alarms: { email: 'operators@mine.org' } } }));

  it.each(named)('can be synthesized for $stage, and reject its deployment', ({ stage, data, exampleAddresses }) => {
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
  });

  longTest('are accepted for one command by its context', () => {
    const { data, exampleAddresses } = synthesize('dev', { 'example-addresses': 'accept' });
    expect(exampleAddresses).toHaveLength(1);
    expect(data.text).not.toContain('ExampleAddresses');
  });

  it('do not reject a deployment once they are replaced', () => {
    expect(replaced.exampleAddresses).toEqual([]);
    expect(replaced.data.text).not.toContain('ExampleAddresses');
  });

  it('do not reject a sandbox, which sends no mail', () => {
    expect(placeholdersIn(configOf('my-branch'))).toEqual([]);
    expect(placeholdersIn({ ...configOf('my-branch'), features: {} })).toEqual(['mail.from', 'mail.identity']);
  });

  it('are found in every setting', () => {
    const wrong = { ...own, adminEmails: ['ada@example.org'], alarms: { email: 'ops@directory.example' } };
    expect(placeholdersIn(configOf('dev', { dev: wrong }))).toEqual(['alarms.email', 'adminEmails.0']);
    const valid = { ...own, site: { name: 'Example of a test', url: 'https://latest.org' } };
    expect(placeholdersIn(configOf('dev', { dev: valid }))).toEqual([]);
  });
});

describe('lib/stages.ts', () => {
  it('contains no account and no secret', () => {
    const text = readFileSync('lib/stages.ts', 'utf8');
    expect(text).not.toMatch(/\b\d{12}\b|arn:aws|sk_(?:live|test)_|whsec_|AKIA/);
  });
});
