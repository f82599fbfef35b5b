import { Aws } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import type { Route } from '#contract/route.ts';
import { handlerFileOf, handlerIdOf } from '#contract/table.ts';
import { isStreamed, type Target } from '#lib/gateway/body.ts';
import { groupBy } from '#lib/group-by.ts';
import { routeVariables } from './environment.ts';
import { InlinePolicyRole } from './inline-policy-role.ts';
import type { FunctionPermission } from './permissions.ts';
import { Roles } from './roles.ts';
import { ServiceFunction } from './service-function.ts';
import type { StackContext } from './stack-context.ts';
import { allowInvoke, serviceOfThisAccount } from './statements.ts';

/** The permissions of a route’s function: those it declares, and those of its middleware. */
export const functionPermissionsOf = ({ permissions, tier, auth }: Route): readonly FunctionPermission[] => [
  ...permissions,
  ...(tier === 'none' ? [] : (['rate'] as const)),
  ...(auth === 'user' || auth === 'admin' || auth === 'optional' ? (['identity'] as const) : []),
  ...(auth === 'cron' ? (['job'] as const) : []),
  ...(auth === 'signature' ? (['signature'] as const) : []),
];

const domainOf = ({ id }: Route): string => id.split('.')[0] as string;

/**
 * The functions of all routes, and the roles with which the gateways invoke them: one per domain, because the policy of
 * a single role would exceed the size limit of IAM.
 */
export class RouteFunctions extends Construct {
  /** ARNs by the ids of handlers. */
  readonly #functions: Map<string, string>;
  readonly #invokers = new Map<string, InlinePolicyRole>();

  /** @param shared the ARNs of existing functions, by the ids of their handlers. */
  constructor(
    scope: Construct,
    id: string,
    context: StackContext,
    routes: readonly Route[],
    shared: ReadonlyMap<string, string>,
  ) {
    super(scope, id);
    this.#functions = new Map(shared);
    const roles = new Roles(this, 'Roles', context);
    for (const route of routes) {
      if (this.#functions.has(handlerIdOf(route))) continue;
      const target = new ServiceFunction(scope, {
        context,
        roles,
        handlerFile: { id: handlerIdOf(route), path: handlerFileOf(handlerIdOf(route)) },
        kind: route.permissions.includes('catalog') ? 'catalog' : 'request',
        description: `${route.method} ${route.path}`,
        permissions: functionPermissionsOf(route),
        variables: routeVariables(context, route),
        timeoutSeconds: route.timeoutSeconds,
        memoryMb: route.memoryMb,
      });
      this.#functions.set(handlerIdOf(route), target.functionArn);
    }
    for (const [domain, ofDomain] of groupBy(routes, domainOf)) {
      const invoker = new InlinePolicyRole(this, `${domain}Invoker`, {
        assumedBy: serviceOfThisAccount('apigateway'),
        description: `Lets the gateways invoke the functions of ${domain}.`,
      });
      invoker.addToPolicy(allowInvoke([...new Set(ofDomain.map((route) => this.#functionOf(route)))]));
      this.#invokers.set(domain, invoker);
    }
  }

  #functionOf(route: Route): string {
    const found = this.#functions.get(handlerIdOf(route));
    if (!found) throw new Error(`${route.id} has no function.`);
    return found;
  }

  /** The integration target of a route. */
  targetOf(route: Route): Target {
    const functionArn = this.#functionOf(route);
    const invoker = this.#invokers.get(domainOf(route));
    if (!invoker) throw new Error(`${route.id} has no invoker role.`);
    const call = isStreamed(route)
      ? `2021-11-15/functions/${functionArn}/response-streaming-invocations`
      : `2015-03-31/functions/${functionArn}/invocations`;
    return {
      uri: `arn:${Aws.PARTITION}:apigateway:${Aws.REGION}:lambda:path/${call}`,
      credentials: invoker.roleArn,
    };
  }
}
