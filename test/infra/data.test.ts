import { describe, expect, it } from 'vitest';
import { tableShape } from '#data/keys.ts';
import { configOf } from '#lib/config.ts';
import { named, ofType, synthesize, targetOf } from './synthesized.ts';

const prod = synthesize('prod');
const sandbox = synthesize('branch-7');
const withOwnIssuer = synthesize({
  ...configOf('branch-8'),
  identity: { kind: 'oidc', issuer: 'https://id.example', audiences: ['web'], jwksUri: 'https://id.example/keys' },
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

describe('the users', () => {
  const pool = ofType(prod.data, 'AWS::Cognito::UserPool')[0];

  it('have sensible passwords, a second factor if they like, and outlive the stack', () => {
    expect(pool?.properties).toMatchObject({
      MfaConfiguration: 'OPTIONAL',
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
