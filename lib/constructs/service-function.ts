import type { Construct } from 'constructs';
import { commonVariables } from './environment.ts';
import { type FunctionPermission, variablesOf } from './permissions.ts';
import { PlainFunction, type PlainFunctionProps } from './plain-function.ts';
import type { Roles } from './roles.ts';
import type { StackContext } from './stack-context.ts';

export interface ServiceFunctionProps extends Omit<PlainFunctionProps, 'config' | 'role'> {
  readonly context: StackContext;
  readonly roles: Roles;
  readonly permissions: readonly FunctionPermission[];
  /** Variables besides those of its permissions. */
  readonly variables?: Readonly<Record<string, string>>;
}

/** A function with the common variables and with exactly the permissions and variables it declares. */
export class ServiceFunction extends PlainFunction {
  constructor(scope: Construct, { context, roles, permissions, variables, ...props }: ServiceFunctionProps) {
    super(scope, {
      ...props,
      config: context.config,
      role: roles.for(permissions, props.handlerFile.id),
      variables: { ...commonVariables(context), ...variablesOf(permissions, context), ...variables },
    });
  }
}
