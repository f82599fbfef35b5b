import { describe, expect, it } from 'vitest';
import { tableShape } from '#data/keys.ts';
import { configOf } from '#lib/config.ts';
import { longTest } from '#test/support/long-test.ts';
import { type Statement, statementsByRole, statementsOf } from './statements.ts';
import { everything, named, ofType, type SynthesizedStack, synthesize, targetOf } from './synthesized.ts';

const prod = synthesize('prod');
const sandbox = synthesize('branch');
const withOwnIssuer = synthesize({
  ...configOf('branch'),
  verifiedEmailRequired: 'submit',
  identity: {
    kind: 'oidc',
    issuer: 'https://id.example',
    audiences: ['web'],
    jwksUri: 'https://id.example/keys',
    clientId: 'console',
    signInParameters: 'resource=https%3A%2F%2Fapi.example',
  },
});

const full = synthesize(everything);
const other = synthesize({
  ...configOf('branch'),
  encryption: 'aws-managed',
  identity: { kind: 'cognito', domainPrefix: 'mine', services: [], mail: 'cognito' },
});

const table = ({ data }: typeof prod) => named(data, 'AWS::DynamoDB::GlobalTable', 'Table');

it('the bucket of uploads accepts uploads of the front end and of the console, whose default address is unknown before the deployment', () => {
  const originsOf = ({ data }: typeof prod) => {
    const [bucket] = ofType(data, 'AWS::S3::Bucket');
    const { CorsRules } = (bucket?.properties.CorsConfiguration ?? {}) as {
      CorsRules?: [{ AllowedOrigins: unknown[] }];
    };
    return CorsRules?.[0].AllowedOrigins;
  };
  const { site, allowedOrigins, api } = everything;
  expect(originsOf(full)).toEqual([...new Set([site.url, ...allowedOrigins, `https://${api.domain?.name}`])]);
  expect(originsOf(sandbox)?.slice(0, -1)).toEqual(['http://localhost:3000']);
  const last = {
    'Fn::Join': ['', ['https://*.execute-api.', { Ref: 'AWS::Region' }, '.', { Ref: 'AWS::URLSuffix' }]],
  };
  expect(originsOf(sandbox)?.at(-1)).toEqual(last);
});

describe('the table', () => {
  const { properties } = table(prod);

  it('the table has the keys and indexes of tableShape, and projects all attributes', () => {
    const keys = (partitionKey: string, sortKey: string) => [
      { AttributeName: partitionKey, KeyType: 'HASH' },
      { AttributeName: sortKey, KeyType: 'RANGE' },
    ];
    expect(properties.KeySchema).toEqual(keys(tableShape.partitionKey, tableShape.sortKey));
    expect(properties.GlobalSecondaryIndexes).toEqual(
      tableShape.indexes.map((index) => ({
        IndexName: index.name,
        KeySchema: keys(index.partitionKey, index.sortKey),
        Projection: { ProjectionType: 'ALL' },
      })),
    );
    expect(properties.TimeToLiveSpecification).toEqual({ AttributeName: tableShape.ttl, Enabled: true });
  });

  it('the table is billed per request and streams both images', () => {
    expect(properties.BillingMode).toBe('PAY_PER_REQUEST');
    expect(properties.StreamSpecification).toEqual({ StreamViewType: 'NEW_AND_OLD_IMAGES' });
  });

  it('the table is retained and protected in production, and deleted with a sandbox', () => {
    expect(table(prod).deletionPolicy).toBe('Retain');
    expect(properties.Replicas).toMatchObject([
      { DeletionProtectionEnabled: true, PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true } },
    ]);
    expect(table(sandbox).deletionPolicy).toBe('Delete');
    expect(table(sandbox).properties.Replicas).toMatchObject([{ DeletionProtectionEnabled: false }]);
  });
});

describe('encryption', () => {
  const key = named(full.data, 'AWS::KMS::Key', 'TableKey');

  it('encryption uses the key that the stage selects', () => {
    expect(table(prod).properties).toMatchObject({ SSESpecification: { SSEEnabled: false } });
    expect(table(other).properties).toMatchObject({ SSESpecification: { SSEEnabled: true } });
    expect(JSON.stringify(table(other).properties)).not.toContain('KMSMasterKeyId');
    expect(table(full).properties).toMatchObject({
      SSESpecification: { SSEEnabled: true, SSEType: 'KMS' },
      Replicas: [{ SSESpecification: { KMSMasterKeyId: { 'Fn::GetAtt': [key.logicalId, 'Arn'] } } }],
    });
  });

  it('encryption rotates the customer-managed key, and retains it with the table', () => {
    expect(key.properties.EnableKeyRotation).toBe(true);
    expect(key.deletionPolicy).toBe(table(full).deletionPolicy);
    expect(named(full.data, 'AWS::Backup::BackupVault', 'BackupVault').properties.EncryptionKeyArn).toEqual({
      'Fn::GetAtt': [key.logicalId, 'Arn'],
    });
    const keys = prod.all.flatMap((stack) => ofType(stack, 'AWS::KMS::Key').map(({ logicalId }) => logicalId));
    expect(keys).toEqual([expect.stringMatching(/^WebhookKey/), expect.stringMatching(/^AlarmTopicKey/)]);
  });

  const byRole = (stack: SynthesizedStack): readonly (readonly Statement[])[] =>
    [...statementsByRole(stack).values()].map((statements) => statements.filter((one) => !isOfWebhooks(one)));
  const isOfWebhooks = ({ Resource }: Statement): boolean => JSON.stringify(Resource).includes('WebhookKey');
  const actionsOf = (statements: readonly Statement[], service: string): readonly string[] =>
    statements.flatMap(({ Action }) => [Action].flat()).filter((action) => action.startsWith(`${service}:`));

  it.each(['events', 'api'] as const)(
    'encryption grants the key to exactly the roles of %s that use the table',
    (name) => {
      for (const statements of byRole(full[name])) {
        const used = actionsOf(statements, 'dynamodb').map((action) => action.slice('dynamodb:'.length));
        const writes = used.some((action) => /^(?:Put|Update|Delete|BatchWrite)/.test(action));
        const expected = [
          ...(used.length > 0 ? ['Decrypt', 'DescribeKey'] : []),
          ...(writes
            ? ['Encrypt', 'GenerateDataKey', 'GenerateDataKeyWithoutPlaintext', 'ReEncryptFrom', 'ReEncryptTo']
            : []),
        ].map((action) => `kms:${action}`);
        expect([...new Set(actionsOf(statements, 'kms'))].sort()).toEqual(expected);
      }
    },
  );

  it('encryption grants that key only, and only through DynamoDB', () => {
    const uses = [...byRole(full.events), ...byRole(full.api)]
      .flat()
      .filter((statement) => actionsOf([statement], 'kms').length > 0);
    expect(uses.length).toBeGreaterThan(5);
    for (const { Resource, Condition } of uses) {
      expect(JSON.stringify(Resource)).toContain('TableKey');
      expect(Condition).toEqual({
        StringEquals: {
          'kms:ViaService': { 'Fn::Join': ['', ['dynamodb.', { Ref: 'AWS::Region' }, '.', { Ref: 'AWS::URLSuffix' }]] },
        },
      });
    }
  });

  it('encryption grants no key permission without a customer-managed key', () => {
    const allowed = [prod.events, prod.api].flatMap(byRole).flat();
    expect(actionsOf(allowed, 'kms')).toEqual([]);
  });
});

it('the key of webhook secrets is rotated, and retained with the table', () => {
  for (const stage of [prod, sandbox]) {
    const key = named(stage.data, 'AWS::KMS::Key', 'WebhookKey');
    expect(key.properties.EnableKeyRotation).toBe(true);
    expect(key.deletionPolicy).toBe(table(stage).deletionPolicy);
  }
});

const vault = named(prod.data, 'AWS::Backup::BackupVault', 'BackupVault');

it('backups contain the table only', () => {
  const { BackupSelection } = named(prod.data, 'AWS::Backup::BackupSelection', 'BackupPlanTable').properties;
  const { Resources, ListOfTags } = BackupSelection as Record<string, readonly unknown[]>;
  expect(Resources?.map(targetOf)).toEqual([table(prod).logicalId]);
  expect(ListOfTags).toBeUndefined();
});

it('backups are retained, and cannot be deleted before they expire', () => {
  expect(vault.deletionPolicy).toBe('Retain');
  expect(vault.properties.AccessPolicy).toMatchObject({
    Statement: [
      { Effect: 'Deny', Principal: { AWS: '*' }, Action: expect.arrayContaining(['backup:DeleteRecoveryPoint']) },
    ],
  });
});

const rules = ofType(prod.data, 'AWS::Events::Rule');
/** The rule for jobs of the vault in a state, and the queue that receives their events. */
const ruleFor = (state: string) => {
  const [rule, ...others] = rules.filter(({ properties }) =>
    JSON.stringify(properties.EventPattern).includes(`"${state}"`),
  );
  if (!rule || others.length > 0) throw new Error(`Not exactly one rule has the state ${state}.`);
  const [target] = rule.properties.Targets as readonly { readonly Arn: unknown }[];
  return { rule, queue: targetOf(target?.Arn) };
};

it.each(['FAILED', 'EXPIRED', 'ABORTED', 'PARTIAL'])(
  'backups raise an alarm for a job in the state %s, with its event',
  (state) => {
    const { rule, queue } = ruleFor(state);
    expect(rule.properties.EventPattern).toMatchObject({
      source: ['aws.backup'],
      'detail-type': ['Backup Job State Change'],
      detail: { backupVaultArn: [{ 'Fn::GetAtt': [vault.logicalId, 'BackupVaultArn'] }] },
    });
    // Without a bus, a rule is on the default one, to which AWS services send events.
    expect(rule.properties).not.toHaveProperty('EventBusName');
    expect(named(prod.data, 'AWS::CloudWatch::Alarm', 'BackupFailedNotEmpty').properties).toMatchObject({
      MetricName: 'ApproximateNumberOfMessagesVisible',
      Dimensions: [{ Name: 'QueueName', Value: { 'Fn::GetAtt': [queue, 'QueueName'] } }],
      Threshold: 1,
      AlarmDescription: expect.stringContaining('#backup-fails') as string,
    });
  },
);

it('backups raise an alarm when none completes, but not before the slowest regular one', () => {
  const { properties } = named(prod.data, 'AWS::CloudWatch::Alarm', 'BackupMissing');
  const { rule, queue } = ruleFor('COMPLETED');
  expect(queue).toMatch(/^BackupCompleted/);
  expect(properties).toMatchObject({
    Namespace: 'AWS/Events',
    MetricName: 'Invocations',
    Dimensions: [{ Name: 'RuleName', Value: { Ref: rule.logicalId } }],
    ComparisonOperator: 'LessThanThreshold',
    Threshold: 1,
    Period: 3600,
    TreatMissingData: 'breaching',
  });
  const { BackupPlan } = named(prod.data, 'AWS::Backup::BackupPlan', 'BackupPlan').properties as {
    BackupPlan: { BackupPlanRule: readonly { StartWindowMinutes: number; CompletionWindowMinutes: number }[] };
  };
  const [daily] = BackupPlan.BackupPlanRule;
  const slowest = 24 + ((daily?.StartWindowMinutes ?? 0) + (daily?.CompletionWindowMinutes ?? 0)) / 60;
  expect(properties.EvaluationPeriods).toBeGreaterThan(slowest);
  // CloudWatch evaluates a week at most.
  expect(properties.EvaluationPeriods).toBeLessThanOrEqual(7 * 24);
});

it('backups are in a vault per key, with a unique name', () => {
  const nameOf = ({ data }: typeof prod) => named(data, 'AWS::Backup::BackupVault', 'BackupVault').properties;
  const ofOwn = JSON.stringify(nameOf(prod).BackupVaultName);
  expect(ofOwn).toContain('AWS::StackId');
  expect(JSON.stringify(nameOf(full).BackupVaultName)).not.toBe(ofOwn);
});

it('backups do not exist in a sandbox', () => {
  expect(sandbox.data.resources.filter(({ type }) => type.startsWith('AWS::Backup'))).toEqual([]);
});

longTest(
  'the user pool lets the console and the reference sign in and out at the address of the API, once it is known',
  () => {
    const urlsOf = ({ data }: typeof prod) => {
      const [client] = ofType(data, 'AWS::Cognito::UserPoolClient');
      return [client?.properties.CallbackURLs, client?.properties.LogoutURLs];
    };
    const urls = (site: string, api: string, prefixes: readonly string[] = []) => [
      [
        `${site}/auth/callback`,
        `${site}/sign-in`,
        ...prefixes.map((prefix) => `${site}${prefix}/sign-in`),
        `${api}/console/callback`,
      ],
      [`${site}/`, ...prefixes.map((prefix) => `${site}${prefix}`), `${api}/console`, `${api}/docs`],
    ];
    const translated = ['/de', '/es', '/fr'];
    expect(urlsOf(full)).toEqual(urls(everything.site.url, `https://${everything.api.domain?.name}`, translated));
    const settings = configOf('branch-9');
    const address = 'https://abc.execute-api.eu-west-1.amazonaws.com/live';
    expect(urlsOf(synthesize({ ...settings, api: { ...settings.api, address } }))).toEqual(
      urls(settings.site.url, address),
    );
    expect(urlsOf(sandbox)).toEqual([
      ['http://localhost:3000/auth/callback', 'http://localhost:3000/sign-in'],
      ['http://localhost:3000/'],
    ]);
  },
);

it('the user pool does not exist in a stage with its own issuer', () => {
  expect(withOwnIssuer.all.flatMap((stack) => stack.resources).filter(({ type }) => type.includes('Cognito'))).toEqual(
    [],
  );
  const settings = named(withOwnIssuer.api, 'AWS::Lambda::Function', 'SettingsReadPublic');
  expect(settings.properties).toMatchObject({
    Environment: {
      Variables: {
        SIGN_IN_ISSUER: 'https://id.example',
        SIGN_IN_CLIENT_ID: 'console',
        SIGN_IN_PARAMETERS: 'resource=https%3A%2F%2Fapi.example',
        VERIFIED_EMAIL_REQUIRED: 'submit',
      },
    },
  });
  const list = named(withOwnIssuer.api, 'AWS::Lambda::Function', 'ProjectsList');
  expect(list.properties.Environment).toMatchObject({
    Variables: { OIDC_ISSUER: 'https://id.example', OIDC_AUDIENCES: 'web', OIDC_JWKS_URI: 'https://id.example/keys' },
  });
});

describe('clients of services', () => {
  const { data, api } = full;
  const clients = ofType(data, 'AWS::Cognito::UserPoolClient').filter(({ logicalId }) => logicalId.includes('Service'));

  it('clients of services use the client credentials flow with the scope of the directory', () => {
    expect(clients).toHaveLength(2);
    const server = named(data, 'AWS::Cognito::UserPoolResourceServer', 'SignInUsersApi');
    for (const { properties } of clients) {
      expect(properties).toMatchObject({
        GenerateSecret: true,
        AllowedOAuthFlows: ['client_credentials'],
        AllowedOAuthScopes: [{ 'Fn::Join': ['', [{ Ref: server.logicalId }, '/use']] }],
      });
    }
    expect(server.properties).toMatchObject({ Identifier: 'directory', Scopes: [{ ScopeName: 'use' }] });
  });

  it('clients of services are accepted audiences of every function that verifies tokens', () => {
    const { Variables } = named(api, 'AWS::Lambda::Function', 'ProjectsSubmit').properties.Environment as {
      Variables: { OIDC_AUDIENCES: unknown };
    };
    expect(Variables.OIDC_AUDIENCES).toEqual({ Ref: 'SignInAudiences' });
    const audiences = JSON.stringify(named(data, 'AWS::SSM::Parameter', 'SignInAudiencesParameter').properties);
    for (const name of ['Web', 'ServiceCrawler', 'ServiceImporter'])
      expect(audiences).toContain(`"Ref":"SignInUsers${name}`);
  });

  it('clients of services have secrets that no template contains', () => {
    for (const { text } of full.all) expect(text).not.toContain('ClientSecret');
    expect(data.text).toContain('CrawlerClientId');
  });

  it('clients of services do not exist unless the stage names services', () => {
    expect(ofType(prod.data, 'AWS::Cognito::UserPoolClient')).toHaveLength(1);
    expect(ofType(prod.data, 'AWS::Cognito::UserPoolResourceServer')).toEqual([]);
  });
});

describe('the trigger of the user pool', () => {
  const { data } = prod;
  const [pool] = ofType(data, 'AWS::Cognito::UserPool');
  const trigger = named(data, 'AWS::Lambda::Function', 'IdentityAddClaims');
  const role = targetOf(trigger.properties.Role);

  it('the trigger of the user pool adds claims to access tokens, with event version 2 and the plan that supports it', () => {
    expect(pool?.properties).toMatchObject({
      UserPoolTier: 'ESSENTIALS',
      LambdaConfig: {
        PreTokenGenerationConfig: {
          LambdaArn: { 'Fn::GetAtt': [trigger.logicalId, 'Arn'] },
          LambdaVersion: 'V2_0',
        },
      },
    });
  });

  it('the trigger of the user pool can be invoked by this pool only', () => {
    expect(ofType(data, 'AWS::Lambda::Permission').map(({ properties }) => properties)).toEqual([
      {
        Action: 'lambda:InvokeFunction',
        FunctionName: { 'Fn::GetAtt': [trigger.logicalId, 'Arn'] },
        Principal: 'cognito-idp.amazonaws.com',
        SourceArn: { 'Fn::GetAtt': [pool?.logicalId, 'Arn'] },
      },
    ]);
  });

  it('the trigger of the user pool can write its log and traces only, and has no environment', () => {
    const log = targetOf((trigger.properties.LoggingConfig as { LogGroup: unknown }).LogGroup);
    expect(statementsOf(data, role)).toEqual([
      {
        Effect: 'Allow',
        Action: ['xray:PutTelemetryRecords', 'xray:PutTraceSegments'],
        Resource: '*',
      },
      {
        Effect: 'Allow',
        Action: ['logs:CreateLogStream', 'logs:PutLogEvents'],
        Resource: { 'Fn::GetAtt': [log, 'Arn'] },
      },
    ]);
    expect(data.resources.find(({ logicalId }) => logicalId === role)?.properties).not.toHaveProperty(
      'ManagedPolicyArns',
    );
    expect(trigger.properties).not.toHaveProperty('Environment');
    expect(named(data, 'AWS::Logs::LogGroup', 'IdentityAddClaimsLog').properties.RetentionInDays).toBe(90);
  });

  it('the trigger of the user pool does not exist in a stage with its own issuer', () => {
    expect(ofType(withOwnIssuer.data, 'AWS::Lambda::Function')).toEqual([]);
  });
});

it('every stage has termination protection if it is protected', () => {
  expect(prod.all.every((stack) => stack.terminationProtection)).toBe(true);
  expect(sandbox.all.some((stack) => stack.terminationProtection)).toBe(false);
});

it('the sender of mail keeps its configuration set as long as the identity that names it', () => {
  for (const { data } of [prod, synthesize('dev')]) {
    const [identity] = ofType(data, 'AWS::SES::EmailIdentity');
    const [configurationSet] = ofType(data, 'AWS::SES::ConfigurationSet');
    expect(identity?.deletionPolicy).toMatch(/^(?:Delete|RetainExceptOnCreate)$/);
    expect(configurationSet?.deletionPolicy).toBe(identity?.deletionPolicy);
  }
});
