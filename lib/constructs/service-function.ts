import type { Construct } from 'constructs';
import { type Grant, variablesOf, type World } from './capabilities.ts';
import { commonVariables } from './environment.ts';
import { PlainFunction, type PlainFunctionProps } from './plain-function.ts';
import type { Roles } from './roles.ts';

export interface ServiceFunctionProps extends Omit<PlainFunctionProps, 'config' | 'role'> {
  readonly world: World;
  readonly roles: Roles;
  readonly grants: readonly Grant[];
  /** Variables beside those of its grants. */
  readonly variables?: Readonly<Record<string, string>>;
}

/** A function that is connected to the service: it gets just what its grants give it. */
export class ServiceFunction extends PlainFunction {
  constructor(scope: Construct, { world, roles, grants, variables, ...props }: ServiceFunctionProps) {
    super(scope, {
      ...props,
      config: world.config,
      role: roles.for(grants),
      variables: { ...commonVariables(world), ...variablesOf(grants, world), ...variables },
    });
  }
}
