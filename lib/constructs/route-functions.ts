import { Aws } from 'aws-cdk-lib';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import type { Route } from '#contract/route.ts';
import { doorIdOf, doorOf } from '#contract/table.ts';
import { isStreamed, type Target } from '../gateway/body.ts';
import { type Grant, mayInvoke, type World } from './capabilities.ts';
import { routeVariables } from './environment.ts';
import { Roles } from './roles.ts';
import { ServiceFunction } from './service-function.ts';

/** What a route's function is allowed: its needs, counting requests where it has a tier, users, and the secrets of its callers. */
export const grantsOf = ({ needs, tier, auth }: Route): readonly Grant[] => [
  ...needs,
  ...(tier === 'none' ? [] : (['rate'] as const)),
  ...(auth === 'user' || auth === 'admin' || auth === 'optional' ? (['identity'] as const) : []),
  ...(auth === 'cron' ? (['job'] as const) : []),
  ...(auth === 'signature' ? (['signature'] as const) : []),
];

const domainOf = ({ id }: Route): string => id.split('.')[0] as string;

/**
 * The functions of all routes, and the roles in which gateways may start them and nothing else. There is a role for each
 * domain: the policy of one for all of them would outgrow what IAM takes.
 */
export class RouteFunctions extends Construct {
  readonly #functions: Map<string, IFunction>;
  readonly #invokers = new Map<string, Role>();

  /** @param shared functions that are there already, by the ids of their doors. */
  constructor(
    scope: Construct,
    id: string,
    world: World,
    routes: readonly Route[],
    shared: ReadonlyMap<string, IFunction>,
  ) {
    super(scope, id);
    this.#functions = new Map(shared);
    const roles = new Roles(this, 'Roles', world);
    for (const route of routes) {
      if (this.#functions.has(doorIdOf(route))) continue;
      const target = new ServiceFunction(scope, {
        world,
        roles,
        door: { id: doorIdOf(route), path: doorOf(doorIdOf(route)) },
        kind: route.needs.includes('catalog') ? 'catalog' : 'request',
        description: `${route.method} ${route.path}`,
        grants: grantsOf(route),
        variables: routeVariables(world, route),
        timeoutSeconds: route.timeoutSeconds,
        memoryMb: route.memoryMb,
      });
      this.#functions.set(doorIdOf(route), target);
    }
    for (const [domain, ofDomain] of Object.entries(Object.groupBy(routes, domainOf))) {
      const invoker = new Role(this, `${domain}Invoker`, {
        assumedBy: new ServicePrincipal('apigateway.amazonaws.com'),
        description: `Lets the gateways start the functions of ${domain}.`,
      });
      invoker.addToPolicy(mayInvoke([...new Set((ofDomain ?? []).map((route) => this.#functionOf(route)))]));
      this.#invokers.set(domain, invoker);
    }
  }

  #functionOf(route: Route): IFunction {
    const found = this.#functions.get(doorIdOf(route));
    if (!found) throw new Error(`${route.id} has no function.`);
    return found;
  }

  /** What a gateway calls for a route. */
  targetOf(route: Route): Target {
    const target = this.#functionOf(route);
    const invoker = this.#invokers.get(domainOf(route));
    if (!invoker) throw new Error(`${route.id} cannot be started by anybody.`);
    const call = isStreamed(route)
      ? `2021-11-15/functions/${target.functionArn}/response-streaming-invocations`
      : `2015-03-31/functions/${target.functionArn}/invocations`;
    return {
      uri: `arn:${Aws.PARTITION}:apigateway:${Aws.REGION}:lambda:path/${call}`,
      credentials: invoker.roleArn,
    };
  }
}
