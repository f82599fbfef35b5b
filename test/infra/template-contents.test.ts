import { describe, expect, it } from 'vitest';
import { type Config, configOf } from '#lib/config.ts';
import { unlimited } from '#lib/constructs/capabilities.ts';
import type { Statement } from './statements.ts';
import { actionsIn } from './statements.ts';
import { type SynthesizedStack, synthesize } from './synthesized.ts';

/** What must not stand in a template, and how large one may be: of every named stage, of sandboxes, and of one with everything. */

const RESOURCES_MAX = 400;

/** CloudFormation takes templates of one megabyte. */
const TEMPLATE_BYTES_MAX = 1_000_000;

const prod = configOf('prod');

const everything: Config = {
  ...prod,
  encryption: 'customer',
  api: {
    endpoint: 'regional',
    domain: {
      name: 'api.directory.example',
      keyedName: 'keyed.directory.example',
      hostedZone: { id: 'Z0123456789ABC', name: 'directory.example' },
    },
    waf: { requestsPerFiveMinutes: 2000, managedRules: true },
  },
  alarms: { email: 'operators@directory.example' },
  ai: { model: 'amazon.nova-lite-v1:0' },
  features: { ai: true },
  usagePlans: [{ id: 'Standard', ratePerSecond: 5, burst: 5, requestsPerDay: 100, clients: ['One', 'Two'] }],
  identity: { kind: 'cognito', services: ['Crawler'], mail: 'ses' },
};

const stages: readonly (readonly [name: string, config: Config])[] = [
  ...['dev', 'staging', 'prod', 'a', 'sandbox-of-20-letter'].map((name) => [name, configOf(name)] as const),
  ['prod with everything', everything],
];

/** Every value under a member of some name, at any depth. */
function* under(node: unknown, name: RegExp): Generator<readonly [string, unknown]> {
  if (typeof node !== 'object' || node === null) return;
  for (const [key, value] of Object.entries(node)) {
    if (name.test(key)) yield [key, value];
    yield* under(value, name);
  }
}

interface Grant extends Statement {
  readonly Effect: 'Allow' | 'Deny';
}

// A firewall has statements, too, which allow nothing.
const isGrant = (statement: unknown): statement is Grant => (statement as Partial<Grant>).Effect === 'Allow';

/** What every document allows that says who may do what: of roles, queues, topics and vaults. */
const grantsIn = ({ resources }: SynthesizedStack): readonly { of: string; grant: Grant }[] =>
  resources
    // The policy of a key is about that key alone, which it calls by a star, and its account may do everything with it.
    .filter(({ type }) => type !== 'AWS::KMS::Key')
    .flatMap(({ logicalId, type, properties }) =>
      [...under(properties, /^Statement$/)]
        .flatMap(([, statements]) => [statements].flat())
        .filter(isGrant)
        .map((grant) => ({ of: `${type} ${logicalId}`, grant })),
    );

describe.each(stages)('the templates of %s', (_, config) => {
  const { all } = synthesize(config);

  it.each(all)('$name: a size that CloudFormation takes', ({ resources, text }) => {
    expect(resources.length).toBeLessThanOrEqual(RESOURCES_MAX);
    expect(Buffer.byteLength(text)).toBeLessThan(TEMPLATE_BYTES_MAX);
  });

  it.each(all)('$name: no secret, and no property that would hold one', ({ resources, text }) => {
    expect(text).not.toMatch(
      /sk_(?:live|test)_|rk_(?:live|test)_|whsec_|AKIA[A-Z0-9]{16}|-----BEGIN|xox[bp]-|ghp_|eyJhbGci/,
    );
    expect(text).not.toMatch(/\{\{resolve:secretsmanager/);
    for (const { logicalId, type, properties } of resources) {
      const held = [...under(properties, /^(?:SecretString|Password|ClientSecret|AuthToken|GenerateSecretString)$/)];
      expect(held, `${type} ${logicalId}`).toEqual([]);
      // A client of the pool may have a secret that Cognito makes and nobody is told.
      expect(type).not.toMatch(/^AWS::(?:SSM::Parameter|SecretsManager::Secret)$/);
    }
  });

  it.each(all)('$name: variables name the places of secrets and not the secrets', ({ resources }) => {
    for (const { properties } of resources.filter(({ type }) => type === 'AWS::Lambda::Function')) {
      const { Variables = {} } = (properties.Environment ?? {}) as { Variables?: Record<string, unknown> };
      const secret = Object.keys(Variables).filter((name) => /SECRET|KEY|TOKEN|PASSWORD|CREDENTIAL/.test(name));
      expect(secret.filter((name) => !name.endsWith('_PARAMETER'))).toEqual([]);
    }
  });

  it.each(all)('$name: no address of anybody but those that the stage is told to use', ({ text }) => {
    const own = [config.mail.from, config.alarms.email, ...config.adminEmails];
    const found = [...text.matchAll(/[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g)].map(([address]) => address);
    expect([...new Set(found)].filter((address) => !own.includes(address))).toEqual([]);
  });

  it.each(all)('$name: no account, no region', ({ text }) => {
    expect(text).not.toMatch(/(?<![\w.])\d{12}(?![\w.])/);
    expect(text).not.toMatch(/\b(?:us|eu|ap|ca|sa|me|af|il|mx)-[a-z]+-\d\b/);
  });

  it.each(all)('$name: nothing is allowed on everything, but for a named few', (stack) => {
    for (const { of, grant } of grantsIn(stack)) {
      if (![grant.Resource].flat().includes('*')) continue;
      expect(
        actionsIn(grant).filter((action) => !Object.hasOwn(unlimited, action)),
        of,
      ).toEqual([]);
    }
  });

  it.each(all)('$name: nobody may do everything of a service', (stack) => {
    for (const { of, grant } of grantsIn(stack)) {
      expect(
        actionsIn(grant).filter((action) => action.includes('*')),
        of,
      ).toEqual([]);
    }
  });
});
