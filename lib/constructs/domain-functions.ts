import { NestedStack } from 'aws-cdk-lib';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import type { Route } from '#contract/route.ts';
import { handlerIdOf } from '#contract/table.ts';
import { routeVariables } from '#lib/config/environment.ts';
import type { Target } from '#lib/gateway/body.ts';
import { handlerFileWith } from '#lib/handlers.ts';
import { InlinePolicyRole } from '#lib/iam/inline-policy-role.ts';
import { Roles, type SharedPolicies } from '#lib/iam/roles.ts';
import { allowInvoke } from '#lib/iam/statements.ts';
import type { StackContext } from '#lib/stack-context.ts';
import { ServiceFunction } from './service-function.ts';

interface DomainFunctionsProps {
  readonly context: StackContext;
  /** The routes of one domain. */
  readonly routes: readonly Route[];
  readonly policies: SharedPolicies;
  /** The ARNs of functions of other stacks, by the ids of their handlers. */
  readonly existing: ReadonlyMap<string, string>;
}

/**
 * The functions of the routes of a domain, their roles, and the role with which the gateways invoke them. It is a nested
 * stack because a stack has at most 500 resources, of which a function takes two or three.
 */
export class DomainFunctions extends NestedStack {
  /** ARNs by the ids of handlers. */
  readonly #functions: Map<string, string>;
  readonly #invoker: InlinePolicyRole;

  constructor(scope: Construct, id: string, { context, routes, policies, existing }: DomainFunctionsProps) {
    super(scope, id, { suppressTemplateIndentation: true });
    this.#functions = new Map(existing);
    const roles = new Roles(this, 'Roles', context, policies);
    for (const route of routes) {
      if (this.#functions.has(handlerIdOf(route))) continue;
      const { functionArn } = new ServiceFunction(this, {
        context,
        roles,
        handlerFile: handlerFileWith(handlerIdOf(route)),
        kind: 'request',
        description: `${route.method} ${route.path}`,
        variables: routeVariables(context, route),
        timeoutSeconds: route.timeoutSeconds,
        memoryMb: route.memoryMb,
      });
      this.#functions.set(handlerIdOf(route), functionArn);
    }
    this.#invoker = new InlinePolicyRole(this, 'Invoker', {
      // Without `aws:SourceAccount`, which API Gateway does not send when it assumes the role of an integration.
      assumedBy: new ServicePrincipal('apigateway.amazonaws.com'),
      description: `Lets the gateways invoke the functions of ${id}.`,
    });
    this.#invoker.addToPolicy(allowInvoke([...new Set(routes.map((route) => this.#functionOf(route)))]));
  }

  #functionOf(route: Route): string {
    const found = this.#functions.get(handlerIdOf(route));
    if (!found) throw new Error(`${route.id} has no function.`);
    return found;
  }

  /** The integration target of a route of this domain. */
  targetOf(route: Route): Target {
    return { functionArn: this.#functionOf(route), invokerArn: this.#invoker.roleArn };
  }
}
