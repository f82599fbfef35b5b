import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib';
import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { Construct } from 'constructs';
import type { Config } from './config.ts';
import { ClaimsTrigger } from './constructs/claims-trigger.ts';
import { listingTable } from './constructs/listing-table.ts';
import { type Issuer, SignIn } from './constructs/sign-in.ts';

export interface DataStackProps extends StackProps {
  readonly config: Config;
}

/**
 * Everything with state: the table and the users, and the one function without which nobody could sign in. The other
 * stacks can be deleted and made again, this one cannot.
 */
export class DataStack extends Stack {
  readonly table: TableV2;
  readonly issuer: Issuer;

  constructor(scope: Construct, id: string, { config, ...props }: DataStackProps) {
    super(scope, id, props);
    this.table = listingTable(this, config);
    new CfnOutput(this, 'TableName', { value: this.table.tableName });
    if (config.identity.kind === 'oidc') {
      this.issuer = config.identity;
      return;
    }
    const signIn = new SignIn(this, 'SignIn', config, config.identity.domainPrefix);
    new ClaimsTrigger(this, config, signIn.pool);
    this.issuer = signIn;
    new CfnOutput(this, 'UserPoolId', { value: signIn.pool.userPoolId });
    new CfnOutput(this, 'WebClientId', { value: signIn.web.userPoolClientId });
  }
}
