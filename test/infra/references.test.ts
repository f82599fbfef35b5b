import { describe, expect, it } from 'vitest';
import { type Config, configOf } from '#lib/config.ts';
import { ofType, type Synthesized, type SynthesizedStack, synthesize } from './synthesized.ts';

/** What stacks hold of one another, and what of them is in the way of the next deployment. */

const prod = configOf('prod');

const full: Config = {
  ...prod,
  encryption: 'customer',
  api: {
    endpoint: 'regional',
    domain: { name: 'api.directory.example', hostedZone: { id: 'Z0123456789ABC', name: 'directory.example' } },
    waf: { requestsPerFiveMinutes: 2000, managedRules: true },
  },
  identity: { kind: 'cognito', services: ['Crawler'], mail: 'ses' },
};

const bare: Config = {
  ...prod,
  protect: false,
  alarms: {},
  encryption: 'dynamodb',
  reservedConcurrency: {},
  identity: { kind: 'oidc', issuer: 'https://id.example', audiences: [], jwksUri: 'https://id.example/keys' },
};
delete (bare as { archiveDays?: number }).archiveDays;
delete (bare as { backup?: object }).backup;

const settings = { prod, full, bare };
const stages = Object.fromEntries(
  Object.entries(settings).map(([name, config]) => [name, synthesize(config)]),
) as Record<keyof typeof settings, Synthesized>;

interface Output {
  readonly Export?: { readonly Name: string };
}
const outputsOf = ({ text }: SynthesizedStack): Readonly<Record<string, Output>> =>
  (JSON.parse(text) as { Outputs?: Record<string, Output> }).Outputs ?? {};
const exportsOf = (stack: SynthesizedStack): readonly string[] =>
  Object.values(outputsOf(stack)).flatMap((output) => (output.Export ? [output.Export.Name] : []));

function* under(node: unknown, name: string): Generator {
  if (typeof node !== 'object' || node === null) return;
  for (const [key, value] of Object.entries(node)) {
    if (key === name) yield value;
    yield* under(value, name);
  }
}
const importsOf = ({ text }: SynthesizedStack): readonly string[] => [
  ...new Set([...under(JSON.parse(text), 'Fn::ImportValue')].map(String)),
];

/** Exports that CloudFormation refuses to take away in a deployment: those that a stack which comes later still imports. */
const heldUp = (before: Synthesized, after: Synthesized): readonly string[] =>
  after.all.flatMap((stack, position) => {
    const given = exportsOf(stack);
    const later = before.all.slice(position + 1).flatMap(importsOf);
    return exportsOf(before.all[position] as SynthesizedStack).filter(
      (name) => !given.includes(name) && later.includes(name),
    );
  });

const names = Object.keys(settings) as (keyof typeof settings)[];
const changes = names.flatMap((from) => names.filter((to) => to !== from).map((to) => [from, to] as const));

describe('a deployment in order', () => {
  it.each(changes)('of other settings, %s to %s, takes nothing away that a later stack still holds', (from, to) => {
    expect(heldUp(stages[from], stages[to])).toEqual([]);
  });

  it('may take away any job, subscriber and client: what is held is what nothing works without', () => {
    const held = Object.values(stages).flatMap(({ all }) => all.flatMap(importsOf));
    const kinds = [...new Set(held.map((name) => /:ExportsOutput(?:Ref|FnGetAtt)(\w+?)[0-9A-F]{8}/.exec(name)?.[1]))];
    expect(kinds.sort()).toEqual(['Bus', 'SenderMailings', 'Table']);
  });
});

describe.each(names)('the references of %s', (name) => {
  const { all } = stages[name];

  it('lead to something that an earlier stack tells', () => {
    for (const [position, stack] of all.entries()) {
      const earlier = all.slice(0, position);
      expect(importsOf(stack).filter((one) => !earlier.flatMap(exportsOf).includes(one))).toEqual([]);
      for (const wanted of under(JSON.parse(stack.text), 'Fn::GetStackOutput')) {
        const { StackName, OutputName } = wanted as Readonly<Record<'StackName' | 'OutputName', string>>;
        const teller = earlier.find((one) => one.name === StackName);
        expect(Object.keys(teller ? outputsOf(teller) : {})).toContain(OutputName);
      }
    }
  });

  it('are fewer than a stack may tell', () => {
    for (const stack of all) expect(Object.keys(outputsOf(stack)).length).toBeLessThanOrEqual(200);
  });
});

/** Properties by which a resource is the only one of its kind in account and region. */
const NAMES = ['TableName', 'UserPoolName', 'LogGroupName', 'BackupVaultName', 'RoleName', 'EmailIdentity', 'Name'];

describe('what is kept', () => {
  const kept = stages.full.all.flatMap(({ resources }) =>
    resources.filter(({ deletionPolicy }) => deletionPolicy?.startsWith('Retain')),
  );

  it('is in the way of no stack that is made again, but for the confirmed sender', () => {
    const named = kept.filter(({ properties }) => NAMES.some((property) => typeof properties[property] === 'string'));
    expect(named.map(({ type }) => type)).toEqual(['AWS::SES::EmailIdentity']);
  });

  it('is what stands with the data, and logs: the other stacks can be made again', () => {
    const { events, api } = stages.full;
    for (const stack of [events, api]) {
      const others = stack.resources.filter(
        ({ type, deletionPolicy }) => deletionPolicy?.startsWith('Retain') && type !== 'AWS::Logs::LogGroup',
      );
      // The account's role for the logs of gateways, which other stages lean on.
      expect(others.map(({ logicalId }) => logicalId.replace(/[0-9A-F]{8}$/, ''))).toEqual(
        stack === api ? ['GatewayLogRole', 'GatewayLogRoleAccount'] : [],
      );
    }
  });

  it('goes with a first deployment that fails, unless it protects itself or others lean on it', () => {
    const always = kept.filter(({ deletionPolicy }) => deletionPolicy === 'Retain').map(({ type }) => type);
    expect(always.sort()).toEqual([
      'AWS::ApiGateway::Account',
      'AWS::Backup::BackupVault',
      'AWS::Cognito::UserPool',
      'AWS::DynamoDB::GlobalTable',
      'AWS::IAM::Role',
      'AWS::KMS::Key',
    ]);
    expect(ofType(stages.full.data, 'AWS::SES::EmailIdentity')[0]?.deletionPolicy).toBe('RetainExceptOnCreate');
  });
});

/** How long names may be that CloudFormation is given, where that is not far off. */
const LENGTHS: Readonly<Record<string, readonly [property: string, max: number]>> = {
  'AWS::Events::Archive': ['ArchiveName', 48],
  'AWS::Backup::BackupVault': ['BackupVaultName', 50],
  'AWS::Cognito::UserPoolDomain': ['Domain', 63],
};

describe('a name that is given', () => {
  const longest = synthesize({ ...full, stage: 'sandbox-of-20-letter', identity: { ...prod.identity } });
  const named = longest.all.flatMap(({ resources }) => resources.filter(({ type }) => Object.hasOwn(LENGTHS, type)));

  it('is not too long even for the stage with the longest', () => {
    expect(named.map(({ type }) => type).sort()).toEqual(Object.keys(LENGTHS).sort());
    for (const { type, properties } of named) {
      const [property = '', max = 0] = LENGTHS[type] ?? [];
      const [between, parts] = (properties[property] as { 'Fn::Join': [string, unknown[]] })['Fn::Join'];
      // What is not known before is the eight letters of chance.
      const text = parts.map((part) => (typeof part === 'string' ? part : 'x'.repeat(8))).join(between);
      expect(text).toMatch(/^directory-sandbox-of-20-letter-x{8}(?:-keyed)?$/);
      expect([type, text.length <= max]).toEqual([type, true]);
    }
  });
});
