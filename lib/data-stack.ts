import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib';
import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';
import type { Config } from './config.ts';
import { Backup } from './constructs/backup.ts';
import { ClaimsTrigger } from './constructs/claims-trigger.ts';
import { listingTable } from './constructs/listing-table.ts';
import { Sender } from './constructs/sender.ts';
import { type Issuer, SignIn } from './constructs/sign-in.ts';
import { tableKey } from './constructs/table-key.ts';

export interface DataStackProps extends StackProps {
  readonly config: Config;
}

/**
 * Everything with state: the table, the users and the confirmed sender, and the one function without which nobody could sign
 * in. The other stacks can be deleted and made again, this one cannot.
 */
export class DataStack extends Stack {
  readonly table: TableV2;
  /** What the table is encrypted with, where that is the stage's own. */
  readonly tableKey: IKey | undefined;
  readonly issuer: Issuer;
  /** The name of the configuration set that all mail is sent with. */
  readonly mailings: string;

  constructor(scope: Construct, id: string, { config, ...props }: DataStackProps) {
    super(scope, id, props);
    this.tableKey = tableKey(this, config);
    this.table = listingTable(this, config, this.tableKey);
    new CfnOutput(this, 'TableName', { value: this.table.tableName });
    this.mailings = new Sender(this, 'Sender', config).configurationSet.configurationSetName;
    if (config.backup) {
      new Backup(this, 'Backup', { config, kept: config.backup, table: this.table, key: this.tableKey });
    }
    if (config.identity.kind === 'oidc') {
      this.issuer = config.identity;
      return;
    }
    const signIn = new SignIn(this, 'SignIn', config, config.identity);
    new ClaimsTrigger(this, config, signIn.pool);
    this.issuer = signIn;
    new CfnOutput(this, 'UserPoolId', { value: signIn.pool.userPoolId });
    new CfnOutput(this, 'WebClientId', { value: signIn.web.userPoolClientId });
    new CfnOutput(this, 'SignInUrl', { value: signIn.pagesUrl });
    for (const [name, client] of signIn.services) {
      new CfnOutput(this, `${name}ClientId`, { value: client.userPoolClientId });
    }
  }
}
