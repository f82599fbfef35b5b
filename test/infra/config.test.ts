import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { REMEMBERED_DAYS } from '#events/memory.ts';
import { placeholdersIn } from '#lib/config/placeholders.ts';
import { type Config, configOf } from '#lib/config.ts';
import { type StageOverrides, standard } from '#lib/stages.ts';
import { synthesize } from './synthesized.ts';

describe('the settings of a stage', () => {
  it.each(['dev', 'staging', 'prod'])('are usable for %s', (stage) => {
    expect(configOf(stage).stage).toBe(stage);
  });

  it('are those of a sandbox that leaves nothing behind for any other name', () => {
    expect(configOf('my-branch')).toMatchObject({ stage: 'my-branch', retain: false, protect: false });
  });

  it.each([undefined, '', 7])('are asked for when the stage is %s', (stage) => {
    expect(() => configOf(stage)).toThrow('npx cdk synth -c stage=dev');
  });

  it.each(['Prod', 'a_b', 'x'.repeat(21), '__proto__'])('are refused for the name %s', (stage) => {
    expect(() => configOf(stage)).toThrow('must begin with a letter');
  });

  it('names every setting that is wrong', () => {
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

  it('refuses to protect what it would not keep', () => {
    expect(() => configOf('dev', { dev: { protect: true, retain: false } })).toThrow('retain: cannot be false');
  });

  it('refuses to protect what nobody is told of', () => {
    expect(() => configOf('dev', { dev: { protect: true, retain: true } })).toThrow('alarms.email: is needed');
    expect(configOf('prod').alarms.email).toBeDefined();
  });

  it('refuses a stage whose sign-in Cognito would give no address', () => {
    expect(() => configOf('aws-trial')).toThrow('identity.domainPrefix: is needed');
    const identity: Config['identity'] = { kind: 'cognito', domainPrefix: 'trial', services: [], mail: 'cognito' };
    expect(configOf('aws-trial', { 'aws-trial': { identity } }).identity).toEqual(identity);
  });

  it('refuses a sender that its identity does not cover', () => {
    const mail = { from: 'no-reply@other.example', identity: 'directory.example', createIdentity: true };
    expect(() => configOf('dev', { dev: { mail } })).toThrow('mail.identity: must be the sender');
  });

  it('refuses a setting that nobody reads', () => {
    expect(() => configOf('dev', { dev: { ...standard, memory: 1 } as object })).toThrow('memory');
  });

  it('keeps production from being deleted', () => {
    expect(configOf('prod')).toMatchObject({ retain: true, protect: true, pointInTimeRecovery: true });
  });
});

/** What is said about a setting, where it is refused. */
const said = (settings: StageOverrides): string => {
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
    ['neither zone nor certificate', { endpoint: 'regional', domain: { name } }, 'needs a hostedZone'],
    [
      'a zone that the name is not in',
      { endpoint: 'regional', domain: { name: 'api.other.example', hostedZone: zone } },
      'api.domain.hostedZone.name: must be the zone',
    ],
    [
      'one name for everybody and for clients with keys',
      { endpoint: 'regional', domain: { name, keyedName: name, hostedZone: zone } },
      'api.domain.keyedName: cannot be',
    ],
    [
      'a name that is an address',
      { endpoint: 'regional', domain: { name: 'https://api.directory.example', hostedZone: zone } },
      'api.domain.name: must be a domain name',
    ],
    [
      'a certificate in the stack behind the edge',
      { endpoint: 'edge', domain: { name, hostedZone: zone } },
      'us-east-1',
    ],
    [
      'a firewall that lets nobody in',
      { endpoint: 'regional', waf: { requestsPerFiveMinutes: 1, managedRules: false } },
      'api.waf.requestsPerFiveMinutes',
    ],
  ])('cannot be %s', (_, api, words) => {
    expect(said({ api })).toContain(words);
  });

  it('take no address of a certificate, which would name the account', () => {
    const certificateParameter = `arn:aws:acm:eu-central-1:${'1'.repeat(12)}:certificate/abc`;
    expect(said({ api: { endpoint: 'regional', domain: { name, certificateParameter } } })).toContain(
      'must be the name of an SSM parameter',
    );
  });

  it.each<Config['api']>([
    { endpoint: 'edge' },
    { endpoint: 'edge', domain: { name, certificateParameter: '/directory/dev/certificate' } },
    { endpoint: 'regional', domain: { name, keyedName: 'keys.directory.example', hostedZone: zone } },
    { endpoint: 'regional', waf: { requestsPerFiveMinutes: 2000, managedRules: true } },
  ])('can be %j', (api) => {
    expect(said({ api })).toBe('nothing');
  });
});

describe('the settings of what is kept', () => {
  it('keep events in the archive no longer than subscribers remember them', () => {
    expect(said({ archiveDays: REMEMBERED_DAYS })).toContain('archiveDays: cannot be more than 28');
    for (const stage of ['dev', 'staging', 'prod']) {
      expect(configOf(stage).archiveDays).toBeLessThan(REMEMBERED_DAYS);
    }
  });

  it('keep monthly backups at least as long as daily ones', () => {
    expect(said({ backup: { dailyDays: 35, monthlyDays: 30 } })).toContain('backup.monthlyDays: cannot be shorter');
  });

  it('reserve concurrency for functions that there are', () => {
    expect(said({ reservedConcurrency: { 'projects.submit': 50, 'mail.noteReturn': 2 } })).toBe('nothing');
    expect(said({ reservedConcurrency: { 'projects.vanish': 50 } })).toContain(
      'reservedConcurrency.projects.vanish: is no function of this service',
    );
  });

  it('give the sign-in no name that Cognito refuses', () => {
    const identity: Config['identity'] = { kind: 'cognito', domainPrefix: 'my-cognito', services: [], mail: 'cognito' };
    expect(said({ identity })).toContain('identity.domainPrefix: cannot contain');
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

  it.each(named)(
    'can be synthesized for $stage, and are refused when it is deployed',
    ({ stage, data, exampleAddresses }) => {
      const found = `site.url, allowedOrigins.0, mail.from, mail.identity${stage === 'prod' ? ', alarms.email' : ''}.`;
      expect(exampleAddresses).toEqual([expect.stringContaining(found)]);
      const template = JSON.parse(data.text) as {
        Parameters: Record<string, { Default?: string }>;
        Rules: Record<string, { Assertions: readonly { Assert: unknown; AssertDescription: string }[] }>;
      };
      expect(template.Parameters.ExampleAddresses?.Default).toBe('refuse');
      expect(template.Rules.NoExampleAddresses?.Assertions).toEqual([
        {
          Assert: { 'Fn::Equals': [{ Ref: 'ExampleAddresses' }, 'accept'] },
          AssertDescription: expect.stringContaining('lib/stages.ts: site.url'),
        },
      ]);
    },
  );

  it('are not in the way of who has replaced them', () => {
    expect(replaced.exampleAddresses).toEqual([]);
    expect(replaced.data.text).not.toContain('ExampleAddresses');
  });

  it('are not in the way of a sandbox, which sends no mail', () => {
    expect(placeholdersIn(configOf('my-branch'))).toEqual([]);
    expect(placeholdersIn({ ...configOf('my-branch'), features: {} })).toEqual(['mail.from', 'mail.identity']);
  });

  it('are found wherever they stand', () => {
    const wrong = { ...own, adminEmails: ['ada@example.org'], alarms: { email: 'ops@directory.example' } };
    expect(placeholdersIn(configOf('dev', { dev: wrong }))).toEqual(['alarms.email', 'adminEmails.0']);
    const fine = { ...own, site: { name: 'Example of a test', url: 'https://latest.org' } };
    expect(placeholdersIn(configOf('dev', { dev: fine }))).toEqual([]);
  });
});

describe('the file of the stages', () => {
  it('names no account and no secret', () => {
    const text = readFileSync('lib/stages.ts', 'utf8');
    expect(text).not.toMatch(/\b\d{12}\b|arn:aws|sk_(?:live|test)_|whsec_|AKIA/);
  });
});
