import { RemovalPolicy, Validations } from 'aws-cdk-lib';
import { CfnAccount, CfnApiKey } from 'aws-cdk-lib/aws-apigateway';
import { ManagedPolicy, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';

const POLICY = 'service-role/AmazonAPIGatewayPushToCloudWatchLogs';

/**
 * The account-wide role with which API Gateway writes logs. The setting applies per account and region: every stage
 * sets the same value, and it is retained when a stage is deleted because others depend on it.
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
    // CloudFormation can create the setting only in an account that has had a resource of API Gateway; the gateways follow it.
    account.addResourceDependency(new CfnApiKey(this, 'FirstResource', { enabled: false }));
  }
}
