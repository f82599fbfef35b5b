import { Validations } from 'aws-cdk-lib';
import { ManagedPolicy, type PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { uploadFinding } from '#lib/constructs/uploads.ts';
import { constructIdOf, type FunctionPermission, type HandlerFile } from '#lib/handlers.ts';
import type { StackContext } from '#lib/stack-context.ts';
import { InlinePolicyRole } from './inline-policy-role.ts';
import { wildcardRegionFinding } from './model-access.ts';
import { permissionDefinitions, statementsOf, wildcardActions } from './permissions.ts';

/** The permissions of most routes are policies of their own: repeated in every role, they would be a quarter of the template. */
const SHARED: ReadonlySet<FunctionPermission> = new Set(['identity', 'rate', 'table:get', 'table:query']);

/** Equal statements have equal texts; references to resources are tokens in them. */
const textOf = (statement: PolicyStatement): string => JSON.stringify(statement.toStatementJson());

const nameOf = (permissions: readonly FunctionPermission[]): string =>
  permissions
    .flatMap((permission) => permission.split(':'))
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('') || 'Nothing';

/** Policies that the roles of several stacks have in common. */
export class SharedPolicies extends Construct {
  readonly #context: StackContext;
  readonly #byPermission = new Map<FunctionPermission, ManagedPolicy>();

  constructor(scope: Construct, id: string, context: StackContext) {
    super(scope, id);
    this.#context = context;
  }

  /** The policy with this permission. */
  for(permission: FunctionPermission): ManagedPolicy {
    const known = this.#byPermission.get(permission);
    if (known) return known;
    const policy = new ManagedPolicy(this, nameOf([permission]), {
      description: `Functions with the permission ${permission}.`,
      statements: [...permissionDefinitions[permission].statements(this.#context)],
    });
    this.#byPermission.set(permission, policy);
    return policy;
  }
}

/**
 * The roles of the functions in a stack: one per distinct set of permissions, which keeps the number of resources
 * small. Functions that write other entities have different roles.
 */
export class Roles extends Construct {
  readonly #context: StackContext;
  readonly #byPermissions = new Map<string, InlinePolicyRole>();
  readonly #policies: SharedPolicies;

  constructor(scope: Construct, id: string, context: StackContext, policies: SharedPolicies) {
    super(scope, id);
    this.#context = context;
    this.#policies = policies;
  }

  /** The role with exactly the permissions of a handler, for the entities that it writes. */
  for({ id, permissions, writes }: HandlerFile): InlinePolicyRole {
    const distinct = [...new Set(permissions)].sort();
    const entities = [...writes].sort();
    const name = [nameOf(distinct), ...entities].join(' ');
    const known = this.#byPermissions.get(name);
    if (known) return known;
    // Entities are no part of construct ids: the first handler of the role is.
    const role = new InlinePolicyRole(this, entities.length > 0 ? `${nameOf(distinct)}Of${constructIdOf(id)}` : name, {
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
      description: `Functions with the permissions: ${distinct.join(', ') || 'nothing'}.`,
    });
    const shared = distinct.filter((permission) => SHARED.has(permission));
    for (const permission of shared) role.addManagedPolicy(this.#policies.for(permission));
    const own = distinct.filter((permission) => !SHARED.has(permission));
    const inherited = new Set(statementsOf(this.#context, shared, []).map(textOf));
    for (const statement of statementsOf(this.#context, own, entities)) {
      if (!inherited.has(textOf(statement))) role.addToPolicy(statement);
    }
    Validations.of(role).acknowledge({
      id: 'AwsSolutions-IAM5[Resource::*]',
      reason: `Only for actions without resource-level permissions: ${Object.keys(wildcardActions).join(', ')}.`,
    });
    if (distinct.some((permission) => permission.startsWith('uploads:'))) {
      Validations.of(role).acknowledge({
        id: uploadFinding(this.#context),
        reason: 'The names of the files are the ids of imports; the bucket holds nothing else.',
      });
    }
    const openRegion = distinct.includes('model')
      ? wildcardRegionFinding(this.#context.config.ai?.model ?? '')
      : undefined;
    if (openRegion !== undefined) {
      const reason =
        'An inference profile runs the model in a region of its choice; the model is allowed through the profile only.';
      Validations.of(role).acknowledge({ id: openRegion, reason });
    }
    this.#byPermissions.set(name, role);
    return role;
  }
}
