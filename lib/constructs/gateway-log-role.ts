import { RemovalPolicy, Validations } from 'aws-cdk-lib';
import { CfnAccount } from 'aws-cdk-lib/aws-apigateway';
import { ManagedPolicy, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';

const POLICY = 'service-role/AmazonAPIGatewayPushToCloudWatchLogs';

/**
 * Lets the account's gateways write logs. The setting belongs to the account and region, not to a gateway: every stage
 * makes the same one, and it stays when a stage goes, because others may lean on it.
 */
export class GatewayLogRole extends Construct {
  constructor(scope: Construct, id: string) {
    super(scope, id);
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('apigateway.amazonaws.com'),
      description: 'Lets the gateways of this account and region write their logs.',
      managedPolicies: [ManagedPolicy.fromAwsManagedPolicyName(POLICY)],
    });
    role.applyRemovalPolicy(RemovalPolicy.RETAIN);
    Validations.of(role).acknowledge({
      id: `AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/${POLICY}]`,
      reason: 'The gateway service asks for exactly this policy, for logs of gateways that do not exist yet.',
    });
    const account = new CfnAccount(this, 'Account', { cloudWatchRoleArn: role.roleArn });
    account.applyRemovalPolicy(RemovalPolicy.RETAIN);
  }
}
