import { Aws } from 'aws-cdk-lib';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import type { Route } from '#contract/route.ts';
import { doorOf } from '#contract/table.ts';
import { isStreamed, type Target } from '../gateway/body.ts';
import { type Grant, mayInvoke, type World } from './capabilities.ts';
import { routeVariables } from './environment.ts';
import { Roles } from './roles.ts';
import { ServiceFunction } from './service-function.ts';

/** What a route's function is allowed: its needs, counting requests where it has a tier, users where it has a login. */
export const grantsOf = ({ needs, tier, auth }: Route): readonly Grant[] => [
  ...needs,
  ...(tier === 'none' ? [] : (['rate'] as const)),
  ...(auth === 'user' || auth === 'admin' || auth === 'optional' ? (['identity'] as const) : []),
];

/** The functions of all routes, and the role in which gateways may start them and nothing else. */
export class RouteFunctions extends Construct {
  readonly #functions = new Map<string, ServiceFunction>();
  readonly #invoker: Role;

  constructor(scope: Construct, id: string, world: World, routes: readonly Route[]) {
    super(scope, id);
    const roles = new Roles(this, 'Roles', world);
    for (const route of routes) {
      const target = new ServiceFunction(scope, {
        world,
        roles,
        door: { id: route.id, path: doorOf(route.id) },
        kind: route.needs.includes('catalog') ? 'catalog' : 'request',
        description: `${route.method} ${route.path}`,
        grants: grantsOf(route),
        variables: routeVariables(world, route),
        timeoutSeconds: route.timeoutSeconds,
        memoryMb: route.memoryMb,
      });
      this.#functions.set(route.id, target);
    }
    this.#invoker = new Role(this, 'Invoker', {
      assumedBy: new ServicePrincipal('apigateway.amazonaws.com'),
      description: 'Lets the gateways start the functions of routes.',
    });
    this.#invoker.addToPolicy(mayInvoke([...this.#functions.values()]));
  }

  /** What a gateway calls for a route. */
  targetOf(route: Route): Target {
    const target = this.#functions.get(route.id);
    if (!target) throw new Error(`${route.id} has no function.`);
    const call = isStreamed(route)
      ? `2021-11-15/functions/${target.functionArn}/response-streaming-invocations`
      : `2015-03-31/functions/${target.functionArn}/invocations`;
    return {
      uri: `arn:${Aws.PARTITION}:apigateway:${Aws.REGION}:lambda:path/${call}`,
      credentials: this.#invoker.roleArn,
    };
  }
}
