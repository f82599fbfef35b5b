import { describe, expect, it } from 'vitest';
import { tableShape } from '#data/keys.ts';
import { type Config, configOf } from '#lib/config.ts';
import { named, ofType, type SynthesizedStack, synthesize, targetOf } from './synthesized.ts';

const prod = synthesize('prod');
const sandbox = synthesize('branch-7');
const withOwnIssuer = synthesize({
  ...configOf('branch-8'),
  identity: { kind: 'oidc', issuer: 'https://id.example', audiences: ['web'], jwksUri: 'https://id.example/keys' },
});

const withOwnKey = synthesize({ ...configOf('prod'), encryption: 'customer' });
const withServices = synthesize({
  ...configOf('branch-9'),
  identity: { kind: 'cognito', services: ['Crawler', 'Importer'], mail: 'ses' },
});

const table = ({ data }: typeof prod) => named(data, 'AWS::DynamoDB::GlobalTable', 'Table');

describe('the table', () => {
  const { properties } = table(prod);

  it('has the keys and indexes of the grammar, each index with whole items', () => {
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

  it('is paid by request and streams both images', () => {
    expect(properties.BillingMode).toBe('PAY_PER_REQUEST');
    expect(properties.StreamSpecification).toEqual({ StreamViewType: 'NEW_AND_OLD_IMAGES' });
  });

  it('outlives its stack and refuses deletion in production, and goes with a sandbox', () => {
    expect(table(prod).deletionPolicy).toBe('Retain');
    expect(properties.Replicas).toMatchObject([
      { DeletionProtectionEnabled: true, PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true } },
    ]);
    expect(table(sandbox).deletionPolicy).toBe('Delete');
    expect(table(sandbox).properties.Replicas).toMatchObject([{ DeletionProtectionEnabled: false }]);
  });
});

describe('encryption', () => {
  const key = named(withOwnKey.data, 'AWS::KMS::Key', 'TableKey');

  it('is DynamoDB’s own, the account’s or the stage’s, as the stage says', () => {
    expect(table(prod).properties).toMatchObject({ SSESpecification: { SSEEnabled: false } });
    const byAccount = synthesize({ ...configOf('branch'), encryption: 'aws-managed' });
    expect(table(byAccount).properties).toMatchObject({ SSESpecification: { SSEEnabled: true } });
    expect(JSON.stringify(table(byAccount).properties)).not.toContain('KMSMasterKeyId');
    expect(table(withOwnKey).properties).toMatchObject({
      SSESpecification: { SSEEnabled: true, SSEType: 'KMS' },
      Replicas: [{ SSESpecification: { KMSMasterKeyId: { 'Fn::GetAtt': [key.logicalId, 'Arn'] } } }],
    });
  });

  it('with a key of the stage’s own turns it over every year and keeps it as long as the table', () => {
    expect(key.properties.EnableKeyRotation).toBe(true);
    expect(key.deletionPolicy).toBe(table(withOwnKey).deletionPolicy);
    expect(named(withOwnKey.data, 'AWS::Backup::BackupVault', 'BackupVault').properties.EncryptionKeyArn).toEqual({
      'Fn::GetAtt': [key.logicalId, 'Arn'],
    });
    const keys = prod.all.flatMap((stack) => ofType(stack, 'AWS::KMS::Key').map(({ logicalId }) => logicalId));
    expect(keys).toEqual([expect.stringMatching(/^AlarmTopicKey/)]);
  });

  interface Statement {
    readonly Action: string | readonly string[];
    readonly Resource: unknown;
    readonly Condition?: unknown;
  }
  const statementsOf = (stack: SynthesizedStack): readonly (readonly Statement[])[] =>
    ofType(stack, 'AWS::IAM::Policy').map(
      ({ properties }) => (properties.PolicyDocument as { Statement: readonly Statement[] }).Statement,
    );
  const actionsOf = (statements: readonly Statement[], service: string): readonly string[] =>
    statements.flatMap(({ Action }) => [Action].flat()).filter((action) => action.startsWith(`${service}:`));

  it.each(['events', 'api'] as const)('reaches every role of %s that uses the table and no other', (name) => {
    for (const statements of statementsOf(withOwnKey[name])) {
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
  });

  it('is used by way of DynamoDB only, and that key only', () => {
    const uses = [...statementsOf(withOwnKey.events), ...statementsOf(withOwnKey.api)]
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

  it('passes every check and asks nothing of roles where there is no such key', () => {
    expect(withOwnKey.findings.filter(({ pluginName }) => pluginName !== 'Construct Annotations')).toEqual([]);
    const allowed = [prod.events, prod.api].flatMap(statementsOf).flat();
    expect(actionsOf(allowed, 'kms')).toEqual([]);
  });
});

describe('backups', () => {
  const vault = named(prod.data, 'AWS::Backup::BackupVault', 'BackupVault');

  it('are made each night and each month, and kept as long as the stage says', () => {
    const { BackupPlan } = named(prod.data, 'AWS::Backup::BackupPlan', 'BackupPlan').properties as {
      BackupPlan: { BackupPlanRule: readonly unknown[] };
    };
    const into = { 'Fn::GetAtt': [vault.logicalId, 'BackupVaultName'] };
    expect(BackupPlan.BackupPlanRule).toMatchObject([
      { ScheduleExpression: 'cron(0 3 * * ? *)', Lifecycle: { DeleteAfterDays: 35 }, TargetBackupVault: into },
      { ScheduleExpression: 'cron(0 5 1 * ? *)', Lifecycle: { DeleteAfterDays: 365 }, TargetBackupVault: into },
    ]);
  });

  it('are of the table and nothing else', () => {
    const { BackupSelection } = named(prod.data, 'AWS::Backup::BackupSelection', 'BackupPlanTable').properties;
    const { Resources, ListOfTags } = BackupSelection as Record<string, readonly unknown[]>;
    expect(Resources?.map(targetOf)).toEqual([table(prod).logicalId]);
    expect(ListOfTags).toBeUndefined();
  });

  it('outlive the stack, and nobody can delete one before its time', () => {
    expect(vault.deletionPolicy).toBe('Retain');
    expect(vault.properties.AccessPolicy).toMatchObject({
      Statement: [
        { Effect: 'Deny', Principal: { AWS: '*' }, Action: expect.arrayContaining(['backup:DeleteRecoveryPoint']) },
      ],
    });
  });

  it('wake somebody when one is not made', () => {
    expect(named(prod.data, 'AWS::CloudWatch::Alarm', 'BackupFails').properties).toMatchObject({
      Namespace: 'AWS/Backup',
      MetricName: 'NumberOfBackupJobsFailed',
      Threshold: 1,
    });
  });

  it('wake somebody when nobody even begins one, not before the slowest night is over', () => {
    const { properties } = named(prod.data, 'AWS::CloudWatch::Alarm', 'BackupMissing');
    expect(properties).toMatchObject({
      MetricName: 'NumberOfBackupJobsCompleted',
      Dimensions: [{ Name: 'BackupVaultName', Value: { 'Fn::GetAtt': [vault.logicalId, 'BackupVaultName'] } }],
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
    // Alarms look back a week at most.
    expect(properties.EvaluationPeriods).toBeLessThanOrEqual(7 * 24);
  });

  it('have a vault for each key, whose name no other takes', () => {
    const nameOf = ({ data }: typeof prod) => named(data, 'AWS::Backup::BackupVault', 'BackupVault').properties;
    const ofOwn = JSON.stringify(nameOf(prod).BackupVaultName);
    expect(ofOwn).toContain('AWS::StackId');
    expect(JSON.stringify(nameOf(withOwnKey).BackupVaultName)).not.toBe(ofOwn);
  });

  it('are not made of a sandbox', () => {
    expect(sandbox.data.resources.filter(({ type }) => type.startsWith('AWS::Backup'))).toEqual([]);
  });
});

describe('the users', () => {
  const pool = ofType(prod.data, 'AWS::Cognito::UserPool')[0];

  it('have sensible passwords, a second factor if they like, and outlive the stack', () => {
    expect(pool?.properties).toMatchObject({
      MfaConfiguration: 'OPTIONAL',
      Policies: {
        PasswordPolicy: {
          MinimumLength: 10,
          RequireLowercase: true,
          RequireUppercase: true,
          RequireNumbers: true,
          RequireSymbols: true,
        },
      },
      EnabledMfas: ['SOFTWARE_TOKEN_MFA'],
      DeletionProtection: 'ACTIVE',
      UsernameAttributes: ['email'],
    });
    expect(pool?.deletionPolicy).toBe('Retain');
  });

  it('sign in as a public client with a code', () => {
    expect(ofType(prod.data, 'AWS::Cognito::UserPoolClient')[0]?.properties).toMatchObject({
      GenerateSecret: false,
      AllowedOAuthFlows: ['code'],
      PreventUserExistenceErrors: 'ENABLED',
    });
  });

  it('have hosted pages in every stage, under a name that no other deployment takes', () => {
    const [domain] = ofType(sandbox.data, 'AWS::Cognito::UserPoolDomain');
    expect(JSON.stringify(domain?.properties.Domain)).toMatch(
      /^\{"Fn::Join":\["-",\["directory-branch-7",.*AWS::StackId/,
    );
    const chosen = {
      ...configOf('branch'),
      identity: { ...configOf('branch').identity, domainPrefix: 'mine' },
    } as Config;
    expect(ofType(synthesize(chosen).data, 'AWS::Cognito::UserPoolDomain')[0]?.properties.Domain).toBe('mine');
    expect(sandbox.data.text).toContain('SignInUrl');
  });

  it('are mailed by Cognito, or by the sender of the stage where it is confirmed', () => {
    expect(pool?.properties.EmailConfiguration).toEqual({ EmailSendingAccount: 'COGNITO_DEFAULT' });
    const { mail } = configOf('branch-9');
    expect(ofType(withServices.data, 'AWS::Cognito::UserPool')[0]?.properties.EmailConfiguration).toMatchObject({
      EmailSendingAccount: 'DEVELOPER',
      From: expect.stringContaining(mail.from),
    });
  });

  it('are somebody else’s business where the stage brings its own issuer', () => {
    expect(
      withOwnIssuer.all.flatMap((stack) => stack.resources).filter(({ type }) => type.includes('Cognito')),
    ).toEqual([]);
    const list = named(withOwnIssuer.api, 'AWS::Lambda::Function', 'ProjectsList');
    expect(list.properties.Environment).toMatchObject({
      Variables: { OIDC_ISSUER: 'https://id.example', OIDC_AUDIENCES: 'web', OIDC_JWKS_URI: 'https://id.example/keys' },
    });
  });
});

describe('services', () => {
  const { data, api } = withServices;
  const clients = ofType(data, 'AWS::Cognito::UserPoolClient').filter(({ logicalId }) => logicalId.includes('Service'));

  it('get tokens in their own names, for the scope of the directory and nothing of a person’s', () => {
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

  it('are believed by every function that checks tokens, as the front end is', () => {
    const { Variables } = named(api, 'AWS::Lambda::Function', 'ProjectsSubmit').properties.Environment as {
      Variables: { OIDC_AUDIENCES: unknown };
    };
    const audiences = JSON.stringify(Variables.OIDC_AUDIENCES);
    for (const name of ['Web', 'ServiceCrawler', 'ServiceImporter'])
      expect(audiences).toContain(`RefSignInUsers${name}`);
  });

  it('have secrets that Cognito makes and nothing tells', () => {
    for (const { text } of withServices.all) expect(text).not.toContain('ClientSecret');
    expect(data.text).toContain('CrawlerClientId');
  });

  it('are not there unless the stage names some', () => {
    expect(ofType(prod.data, 'AWS::Cognito::UserPoolClient')).toHaveLength(1);
    expect(ofType(prod.data, 'AWS::Cognito::UserPoolResourceServer')).toEqual([]);
  });
});

describe('the trigger of the users', () => {
  const { data } = prod;
  const [pool] = ofType(data, 'AWS::Cognito::UserPool');
  const trigger = named(data, 'AWS::Lambda::Function', 'IdentityAddClaims');
  const role = targetOf(trigger.properties.Role);

  it('is asked about access tokens too, which takes version 2 of its event and a plan that has it', () => {
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

  it('is started by this pool and nobody else', () => {
    expect(ofType(data, 'AWS::Lambda::Permission').map(({ properties }) => properties)).toEqual([
      {
        Action: 'lambda:InvokeFunction',
        FunctionName: { 'Fn::GetAtt': [trigger.logicalId, 'Arn'] },
        Principal: 'cognito-idp.amazonaws.com',
        SourceArn: { 'Fn::GetAtt': [pool?.logicalId, 'Arn'] },
      },
    ]);
  });

  it('may write its log and traces and nothing else, and is told nothing', () => {
    const log = targetOf((trigger.properties.LoggingConfig as { LogGroup: unknown }).LogGroup);
    const policies = ofType(data, 'AWS::IAM::Policy').filter(({ properties }) =>
      (properties.Roles as readonly unknown[]).some((one) => targetOf(one) === role),
    );
    const statements = policies.flatMap(
      ({ properties }) => (properties.PolicyDocument as { Statement: readonly Record<string, unknown>[] }).Statement,
    );
    expect(statements).toEqual([
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

  it('is done before Cognito stops waiting', () => {
    expect(trigger.properties.Timeout).toBe(5);
  });

  it('leaves the data stack without need of the others', () => {
    expect(data.text).not.toContain('Fn::ImportValue');
  });

  it('is not there where the stage brings its own issuer', () => {
    expect(ofType(withOwnIssuer.data, 'AWS::Lambda::Function')).toEqual([]);
  });
});

describe('every stage', () => {
  it('has termination protection where it is protected', () => {
    expect(prod.all.every((stack) => stack.terminationProtection)).toBe(true);
    expect(sandbox.all.some((stack) => stack.terminationProtection)).toBe(false);
  });
});
