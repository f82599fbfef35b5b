import { Validations } from 'aws-cdk-lib';
import { ManagedPolicy, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { constructIdOf } from '#lib/handlers.ts';
import { InlinePolicyRole } from './inline-policy-role.ts';
import { wildcardRegionFinding } from './model-access.ts';
import { type FunctionPermission, permissionDefinitions, wildcardActions } from './permissions.ts';
import type { StackContext } from './stack-context.ts';
import { uploadFinding } from './uploads.ts';
import { writtenKeysOf } from './written-keys.ts';

/** The permissions that are limited to keys. */
const WRITING: ReadonlySet<FunctionPermission> = new Set(['table:write', 'table:sweep']);

/** The permissions of most routes are policies of their own: repeated in every role, they would be a quarter of the template. */
const SHARED: ReadonlySet<FunctionPermission> = new Set(['identity', 'rate', 'table:get', 'table:query']);

const nameOf = (permissions: readonly FunctionPermission[]): string =>
  permissions
    .flatMap((permission) => permission.split(':'))
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('') || 'Nothing';

/**
 * The roles of the functions in a stack: one per distinct set of permissions, which keeps the number of resources
 * small. Functions that write other entities have different roles.
 */
export class Roles extends Construct {
  readonly #context: StackContext;
  readonly #byPermissions = new Map<string, InlinePolicyRole>();
  readonly #shared = new Map<FunctionPermission, ManagedPolicy>();

  constructor(scope: Construct, id: string, context: StackContext) {
    super(scope, id);
    this.#context = context;
  }

  /** The role with exactly these permissions, for a handler that writes the keys listed in `written-keys.ts`. */
  for(permissions: readonly FunctionPermission[], handlerId: string): InlinePolicyRole {
    const distinct = [...new Set(permissions)].sort();
    const keys = distinct.some((permission) => WRITING.has(permission)) ? writtenKeysOf(handlerId) : [];
    const name = [nameOf(distinct), ...keys].join(' ');
    const known = this.#byPermissions.get(name);
    if (known) return known;
    // Keys are no part of construct ids: the first handler of the role is.
    const role = new InlinePolicyRole(
      this,
      keys.length > 0 ? `${nameOf(distinct)}Of${constructIdOf(handlerId)}` : name,
      {
        assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
        description: `Functions with the permissions: ${distinct.join(', ') || 'nothing'}.`,
      },
    );
    for (const permission of distinct) {
      if (SHARED.has(permission)) role.addManagedPolicy(this.#policyOf(permission));
      else {
        for (const statement of permissionDefinitions[permission].statements(this.#context, keys))
          role.addToPolicy(statement);
      }
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

  /** A policy for all roles with this permission. */
  #policyOf(permission: FunctionPermission): ManagedPolicy {
    const known = this.#shared.get(permission);
    if (known) return known;
    const policy = new ManagedPolicy(this, `Shared${nameOf([permission])}`, {
      description: `Functions with the permission ${permission}.`,
      statements: [...permissionDefinitions[permission].statements(this.#context, [])],
    });
    this.#shared.set(permission, policy);
    return policy;
  }
}
