import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib';
import type { IUserPool } from 'aws-cdk-lib/aws-cognito';
import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { Key } from 'aws-cdk-lib/aws-kms';
import type { Bucket } from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';
import { tableKeyParameter } from '#lib/config/parameters.ts';
import type { Config } from '#lib/config/schema.ts';
import { Backup } from '#lib/constructs/backup.ts';
import { ClaimsTrigger } from '#lib/constructs/claims-trigger.ts';
import { tableKey, webhookKey } from '#lib/constructs/kms-keys.ts';
import { SesIdentity } from '#lib/constructs/ses-identity.ts';
import { SignIn } from '#lib/constructs/sign-in.ts';
import { SsmReference } from '#lib/constructs/ssm-reference.ts';
import { serviceTable } from '#lib/constructs/table.ts';
import { uploadBucket } from '#lib/constructs/uploads.ts';
import type { StackContext } from '#lib/stack-context.ts';

interface DataStackProps extends StackProps {
  readonly config: Config;
}

/**
 * All state: the table, the uploaded files, the user pool and the mail identity, and the trigger of the user pool. The other stacks can be
 * deleted and recreated; this one cannot.
 */
export class DataStack extends Stack {
  readonly table: TableV2;
  readonly #config: Config;
  readonly #webhookKey: Key;
  readonly #uploads: Bucket;
  readonly #mailings: string;
  /** The ARN of the customer-managed key of the table, if the stage has one. */
  readonly #tableKeyArn: SsmReference | undefined;
  /** The user pool, if the stage has one. */
  readonly #signIn: SignIn | undefined;

  constructor(scope: Construct, id: string, { config, ...props }: DataStackProps) {
    super(scope, id, props);
    this.#config = config;
    const key = tableKey(this, config);
    this.#tableKeyArn = key && new SsmReference(this, 'TableKeyArn', tableKeyParameter(config), key.keyArn);
    this.table = serviceTable(this, config, key);
    this.#webhookKey = webhookKey(this, config);
    this.#uploads = uploadBucket(this, config);
    new CfnOutput(this, 'TableName', { value: this.table.tableName });
    this.#mailings = new SesIdentity(this, 'SesIdentity', config).configurationSet.configurationSetName;
    if (config.backup) new Backup(this, 'Backup', { config, kept: config.backup, table: this.table, key });
    if (config.identity.kind === 'oidc') return;
    const signIn = new SignIn(this, 'SignIn', config, config.identity);
    this.#signIn = signIn;
    new ClaimsTrigger(this, config, signIn.pool);
    new CfnOutput(this, 'UserPoolId', { value: signIn.pool.userPoolId });
    new CfnOutput(this, 'WebClientId', { value: signIn.web.userPoolClientId });
    new CfnOutput(this, 'SignInUrl', { value: signIn.pagesUrl });
    for (const [name, client] of signIn.services) {
      new CfnOutput(this, `${name}ClientId`, { value: client.userPoolClientId });
    }
  }

  /** Undefined for a stage with an issuer of its own. */
  get userPool(): IUserPool | undefined {
    return this.#signIn?.pool;
  }

  /**
   * The state of the stage, for the functions of a stack that is deployed later. Table, key of webhook secrets and mail
   * set are exports: CloudFormation refuses to replace or remove them while they are used.
   */
  contextIn(stack: Stack): Omit<StackContext, 'bus'> {
    const { identity } = this.#config;
    const issuer = identity.kind === 'oidc' ? identity : this.#signIn?.readIn(stack);
    if (!issuer) throw new Error('The stage has no issuer.');
    return {
      config: this.#config,
      table: this.table,
      tableKeyArn: this.#tableKeyArn?.readIn(stack),
      webhookKey: this.#webhookKey,
      uploads: this.#uploads,
      issuer,
      mailings: this.#mailings,
    };
  }
}
