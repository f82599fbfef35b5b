import { Construct } from 'constructs';
import type { Route } from '#contract/route.ts';
import type { Target } from '#lib/gateway/body.ts';
import { groupBy } from '#lib/group-by.ts';
import { constructIdOf } from '#lib/handlers.ts';
import { SharedPolicies } from '#lib/iam/roles.ts';
import type { StackContext } from '#lib/stack-context.ts';
import { DomainFunctions } from './domain-functions.ts';

const domainOf = ({ id }: Route): string => id.split('.')[0] as string;

/** The functions of all routes, in a nested stack per domain. */
export class RouteFunctions extends Construct {
  readonly #domains: ReadonlyMap<string, DomainFunctions>;

  /** @param existing the ARNs of functions of other stacks, by the ids of their handlers. */
  constructor(
    scope: Construct,
    id: string,
    context: StackContext,
    routes: readonly Route[],
    existing: ReadonlyMap<string, string>,
  ) {
    super(scope, id);
    const policies = new SharedPolicies(this, 'Policies', context);
    this.#domains = new Map(
      [...groupBy(routes, domainOf)].map(([domain, ofDomain]) => [
        domain,
        new DomainFunctions(this, constructIdOf(domain), { context, routes: ofDomain, policies, existing }),
      ]),
    );
  }

  /** The integration target of a route. */
  targetOf(route: Route): Target {
    const domain = this.#domains.get(domainOf(route));
    if (!domain) throw new Error(`${route.id} has no functions.`);
    return domain.targetOf(route);
  }
}
