import { describe, expect, it } from 'vitest';
import { routes } from '#contract/table.ts';
import type { Config } from '#lib/config/schema.ts';
import { configOf } from '#lib/config.ts';
import { constructIdOf } from '#lib/handlers.ts';
import { everything, ofType, type Synthesized, type SynthesizedStack, synthesize, targetOf } from './synthesized.ts';

/** References between stacks, and whether they block the next deployment. */

const prod = configOf('prod');

const bare: Config = {
  ...prod,
  protect: false,
  alarms: {},
  encryption: 'dynamodb',
  reserveConcurrency: false,
  identity: { kind: 'oidc', issuer: 'https://id.example', audiences: ['web'], jwksUri: 'https://id.example/keys' },
};
delete (bare as { archiveDays?: number }).archiveDays;
delete (bare as { backup?: object }).backup;

const settings = { prod, full: everything, bare };
const stages = Object.fromEntries(
  Object.entries(settings).map(([name, config]) => [name, synthesize(config)]),
) as Record<keyof typeof settings, Synthesized>;

const outputsOf = ({ content: { Outputs = {} } }: SynthesizedStack) => Outputs;
const exportsOf = (stack: SynthesizedStack): readonly string[] =>
  Object.values(outputsOf(stack)).flatMap((output) => (output.Export ? [output.Export.Name] : []));

function* under(node: unknown, name: string): Generator {
  if (typeof node !== 'object' || node === null) return;
  for (const [key, value] of Object.entries(node)) {
    if (key === name) yield value;
    yield* under(value, name);
  }
}
const importsOf = ({ templates }: SynthesizedStack): readonly string[] => [
  ...new Set([...under(templates, 'Fn::ImportValue')].map(String)),
];

/**
 * Exports that a deployment removes while a stack that is deployed later still imports them: CloudFormation rejects
 * that.
 */
const blockedExports = (before: Synthesized, after: Synthesized): readonly string[] =>
  after.all.flatMap((stack, position) => {
    const given = exportsOf(stack);
    const later = before.all.slice(position + 1).flatMap(importsOf);
    return exportsOf(before.all[position] as SynthesizedStack).filter(
      (name) => !given.includes(name) && later.includes(name),
    );
  });

const names = Object.keys(settings) as (keyof typeof settings)[];
const changes = names.flatMap((from) => names.filter((to) => to !== from).map((to) => [from, to] as const));

it.each(changes)(
  'a deployment in order from the settings %s to %s removes no export that a later stack still imports',
  (from, to) => {
    expect(blockedExports(stages[from], stages[to])).toEqual([]);
  },
);

it('a deployment in order can remove any job, subscriber and client, because only table, bus, mail set, uploads and webhook key are exported', () => {
  const held = Object.values(stages).flatMap(({ all }) => all.flatMap(importsOf));
  const kinds = [...new Set(held.map((name) => /:ExportsOutput(?:Ref|FnGetAtt)(\w+?)[0-9A-F]{8}/.exec(name)?.[1]))];
  expect(kinds.sort()).toEqual(['Bus', 'SesIdentityMailings', 'Table', 'Uploads', 'WebhookKey']);
});

/**
 * Properties whose change replaces a resource, by the types that weak references may name. A deployment follows a weak
 * reference only if the template of the stack that has it changes, which it does with the logical id.
 */
const REPLACING: Readonly<Record<string, readonly string[]>> = {
  'AWS::Lambda::Function': ['FunctionName', 'PackageType', 'TenancyConfig'],
  'AWS::SQS::Queue': ['QueueName', 'FifoQueue'],
  'AWS::CloudWatch::Alarm': ['AlarmName'],
};

describe('a weak reference', () => {
  const wanted = Object.values(stages).flatMap(({ all }) =>
    [...under(all, 'Fn::GetStackOutput')].map((reference) => {
      const { StackName, OutputName } = reference as Readonly<Record<'StackName' | 'OutputName', string>>;
      const stack = all.find((one) => one.name === StackName);
      const value = targetOf(stack && outputsOf(stack)[OutputName]?.Value);
      return stack?.resources.find(({ logicalId }) => logicalId === value);
    }),
  );

  it('a weak reference names resources that are never replaced under the same logical id', () => {
    expect([...new Set(wanted.map((resource) => resource?.type))].toSorted()).toEqual(
      Object.keys(REPLACING).toSorted(),
    );
    for (const resource of wanted) {
      const replacing = REPLACING[resource?.type ?? ''] ?? [];
      expect(Object.keys(resource?.properties ?? {}).filter((name) => replacing.includes(name))).toEqual([]);
    }
  });
});

describe('nested stacks', () => {
  const { content } = stages.full.api;
  const stacks = Object.entries(content.Resources).filter(([, { Type }]) => Type === 'AWS::CloudFormation::Stack');
  const domains = stacks.filter(([id]) => id.startsWith('Functions'));
  const gateways = stacks.filter((one) => !domains.includes(one));

  it('each domain of routes is a nested stack', () => {
    const expected = new Set(routes.map(({ id }) => constructIdOf(id.split('.')[0] ?? '')));
    expect(domains.map(([id]) => id.replace(/^Functions|NestedStack.*$/g, '')).sort()).toEqual([...expected].sort());
  });

  it('the gateways are nested stacks, created after the role with which they write logs', () => {
    expect(gateways.map(([id]) => id.replace(/NestedStack.*$/, ''))).toEqual(['Gateway', 'KeyedGateway']);
    for (const [, { DependsOn }] of gateways)
      expect(DependsOn).toEqual([
        expect.stringMatching(/^GatewayLogRoleAccount/),
        expect.stringMatching(/^GatewayLogRoleFirstResource/),
        expect.stringMatching(/^GatewayLogRole/),
      ]);
  });

  it('the setting of their log role is created after another resource of API Gateway, as in an empty account', () => {
    const [account] = Object.values(content.Resources).filter(({ Type }) => Type === 'AWS::ApiGateway::Account');
    const [first = ''] = account?.DependsOn ?? [];
    expect(content.Resources[first]).toMatchObject({ Type: 'AWS::ApiGateway::ApiKey', Properties: { Enabled: false } });
  });

  it('the gateways are passed the functions and roles of the same deployment, each once, in few parameters', () => {
    for (const [, { Properties = {} }] of gateways) {
      const given = Object.values(Properties.Parameters as Record<string, { 'Fn::Join'?: [string, unknown[]] }>);
      expect(given.length).toBeLessThanOrEqual(20);
      const values = given.flatMap((one) => one['Fn::Join']?.[1] ?? [one]);
      expect(values.map(targetOf)).not.toContain(undefined);
      expect(new Set(values.map((value) => JSON.stringify(value))).size).toBe(values.length);
    }
  });
});

describe.each(names)('the references of %s', (name) => {
  const { all } = stages[name];

  it('are outputs of an earlier stack', () => {
    for (const [position, stack] of all.entries()) {
      const earlier = all.slice(0, position);
      expect(importsOf(stack).filter((one) => !earlier.flatMap(exportsOf).includes(one))).toEqual([]);
      for (const wanted of under(stack.templates, 'Fn::GetStackOutput')) {
        const { StackName, OutputName } = wanted as Readonly<Record<'StackName' | 'OutputName', string>>;
        const exporter = earlier.find((one) => one.name === StackName);
        expect(Object.keys(exporter ? outputsOf(exporter) : {})).toContain(OutputName);
      }
    }
  });

  it('are parameters in Parameter Store that an earlier stack writes', () => {
    const writtenBy = (stacks: readonly SynthesizedStack[]) =>
      stacks.flatMap((stack) => ofType(stack, 'AWS::SSM::Parameter').map(({ properties }) => properties.Name));
    const read = all.flatMap(({ content: { Parameters = {} } }, position) =>
      Object.entries(Parameters)
        .filter(([id]) => !/^(?:BootstrapVersion|ExampleAddresses|SsmParameterValue.*)$/.test(id))
        .map(([, parameter]) => ({ ...parameter, earlier: writtenBy(all.slice(0, position)) })),
    );
    for (const { Type, Default, earlier } of read) {
      expect(Type).toBe('AWS::SSM::Parameter::Value<String>');
      expect(earlier).toContain(Default);
    }
    // The command line skips an unchanged stack unless it has such a parameter, without this mark in its description.
    expect(JSON.stringify(read)).not.toContain('[cdk:skip]');
    expect(writtenBy(all).toSorted()).toEqual([...new Set(read.map(({ Default }) => Default))].toSorted());
  });
});

/** Properties with a physical name, unique per account and region. */
const NAMES = ['TableName', 'UserPoolName', 'LogGroupName', 'BackupVaultName', 'RoleName', 'EmailIdentity', 'Name'];

const kept = stages.full.all.flatMap(({ resources }) =>
  resources.filter(({ deletionPolicy }) => deletionPolicy?.startsWith('Retain')),
);

it('retained resources have no fixed name, except the verified mail identity', () => {
  const named = kept.filter(({ properties }) => NAMES.some((property) => typeof properties[property] === 'string'));
  expect(named.map(({ type }) => type)).toEqual(['AWS::SES::EmailIdentity']);
});

it('retained resources are in the data stack, except logs and the account-wide role', () => {
  const { events, api } = stages.full;
  for (const stack of [events, api]) {
    const others = stack.resources.filter(
      ({ type, deletionPolicy }) => deletionPolicy?.startsWith('Retain') && type !== 'AWS::Logs::LogGroup',
    );
    // The account-wide role for gateway logs, which other stages use.
    expect(others.map(({ logicalId }) => logicalId.replace(/[0-9A-F]{8}$/, ''))).toEqual(
      stack === api ? ['GatewayLogRole', 'GatewayLogRoleAccount'] : [],
    );
  }
});

it('retained resources are deleted when their first deployment fails, unless protected or shared', () => {
  const always = kept.filter(({ deletionPolicy }) => deletionPolicy === 'Retain').map(({ type }) => type);
  expect(always.sort()).toEqual([
    'AWS::ApiGateway::Account',
    'AWS::Backup::BackupVault',
    'AWS::Cognito::UserPool',
    'AWS::DynamoDB::GlobalTable',
    'AWS::IAM::Role',
    'AWS::KMS::Key',
    'AWS::KMS::Key',
  ]);
  expect(ofType(stages.full.data, 'AWS::SES::EmailIdentity')[0]?.deletionPolicy).toBe('RetainExceptOnCreate');
});

/** Maximum lengths of physical names. */
const LENGTHS: Readonly<Record<string, readonly [property: string, max: number]>> = {
  'AWS::Events::Archive': ['ArchiveName', 48],
  'AWS::Backup::BackupVault': ['BackupVaultName', 50],
  'AWS::Cognito::UserPoolDomain': ['Domain', 63],
};

describe('a physical name', () => {
  const longest = synthesize({ ...everything, stage: 'sandbox-of-20-letter', identity: { ...prod.identity } });
  const named = longest.all.flatMap(({ resources }) => resources.filter(({ type }) => Object.hasOwn(LENGTHS, type)));

  it('a physical name is within its maximum length for the longest stage name', () => {
    expect(named.map(({ type }) => type).sort()).toEqual(Object.keys(LENGTHS).sort());
    for (const { type, properties } of named) {
      const [property = '', max = 0] = LENGTHS[type] ?? [];
      const [between, parts] = (properties[property] as { 'Fn::Join': [string, unknown[]] })['Fn::Join'];
      // The random part of the stack id has eight characters.
      const text = parts.map((part) => (typeof part === 'string' ? part : 'x'.repeat(8))).join(between);
      expect(text).toMatch(/^directory-sandbox-of-20-letter-x{8}(?:-keyed)?$/);
      expect([type, text.length <= max]).toEqual([type, true]);
    }
  });
});
