import type { Construct } from 'constructs';
import { commonVariables } from '#lib/config/environment.ts';
import { variablesOf } from '#lib/iam/permissions.ts';
import type { Roles } from '#lib/iam/roles.ts';
import type { StackContext } from '#lib/stack-context.ts';
import { BaseFunction, type BaseFunctionProps } from './base-function.ts';

interface ServiceFunctionProps extends Omit<BaseFunctionProps, 'config' | 'role'> {
  readonly context: StackContext;
  readonly roles: Roles;
  /** Variables besides those of its permissions. */
  readonly variables?: Readonly<Record<string, string>>;
}

/** A function with the common variables and with exactly the permissions and variables that its handler declares. */
export class ServiceFunction extends BaseFunction {
  constructor(scope: Construct, { context, roles, variables, ...props }: ServiceFunctionProps) {
    super(scope, {
      ...props,
      config: context.config,
      role: roles.for(props.handlerFile),
      variables: { ...commonVariables(context), ...variablesOf(context, props.handlerFile), ...variables },
    });
  }
}
