import { Validations } from 'aws-cdk-lib';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { capabilities, type Grant, unlimited, type World } from './capabilities.ts';
import { openRegionOf } from './model-access.ts';

const nameOf = (grants: readonly Grant[]): string =>
  grants
    .flatMap((grant) => grant.split(':'))
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('') || 'Nothing';

/**
 * The roles of a stack's functions, one per distinct set of grants: functions that may do the same lose nothing by
 * sharing one, and the stack stays small.
 */
export class Roles extends Construct {
  readonly #world: World;
  readonly #byGrants = new Map<string, Role>();

  constructor(scope: Construct, id: string, world: World) {
    super(scope, id);
    this.#world = world;
  }

  /** The role that allows exactly these grants. */
  for(grants: readonly Grant[]): Role {
    const distinct = [...new Set(grants)].sort();
    const name = nameOf(distinct);
    const known = this.#byGrants.get(name);
    if (known) return known;
    const role = new Role(this, name, {
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
      description: `Functions that need: ${distinct.join(', ') || 'nothing'}.`,
    });
    for (const grant of distinct) {
      for (const statement of capabilities[grant].statements(this.#world)) role.addToPolicy(statement);
    }
    Validations.of(role).acknowledge({
      id: 'AwsSolutions-IAM5[Resource::*]',
      reason: `Only for actions that cannot be narrowed: ${Object.keys(unlimited).join(', ')}.`,
    });
    const openRegion = distinct.includes('model') ? openRegionOf(this.#world.config.ai?.model ?? '') : undefined;
    if (openRegion !== undefined) {
      const reason = 'An inference profile answers from a region of its choice; the model is allowed through it alone.';
      Validations.of(role).acknowledge({ id: openRegion, reason });
    }
    this.#byGrants.set(name, role);
    return role;
  }
}
