import {
  type AddToPrincipalPolicyResult,
  PolicyDocument,
  type PolicyStatement,
  Role,
  type RoleProps,
} from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';

/**
 * A role that contains its policy, instead of a second resource with the policy: a stack has at most 500 resources. The
 * policy of a role is limited to 10,240 characters.
 */
export class InlinePolicyRole extends Role {
  readonly #policy: PolicyDocument;

  constructor(scope: Construct, id: string, props: Pick<RoleProps, 'assumedBy' | 'description'>) {
    const policy = new PolicyDocument();
    super(scope, id, { ...props, inlinePolicies: { Permissions: policy } });
    this.#policy = policy;
  }

  override addToPrincipalPolicy(statement: PolicyStatement): AddToPrincipalPolicyResult {
    this.#policy.addStatements(statement);
    return { statementAdded: true, policyDependable: this };
  }
}
