import { Annotations, CfnParameter, CfnRule, Fn, type Stack } from 'aws-cdk-lib';
import { placeholdersIn } from '#lib/config/placeholders.ts';
import type { Config } from '#lib/config/schema.ts';

/** The context that accepts example addresses for one command: `-c example-addresses=accept`. */
const CONTEXT = 'example-addresses';

/**
 * Prevents deploying a stage with example addresses. Synthesis and diff work; CloudFormation rejects the deployment
 * before any change, unless the command has the context. A parameter that accepts them would keep its value in all later
 * deployments, so the only value of the parameter is `refuse`.
 */
export const rejectPlaceholders = (stack: Stack, config: Config): void => {
  const found = placeholdersIn(config);
  if (found.length === 0) return;
  const summary = `The settings of stage ${config.stage} still have example addresses: ${found.join(', ')}.`;
  Annotations.of(stack).addWarningV2(
    'directory:example-addresses',
    `${summary} Replace them before the first deployment.`,
  );
  if (stack.node.tryGetContext(CONTEXT) === 'accept') return;
  const refused = new CfnParameter(stack, 'ExampleAddresses', {
    type: 'String',
    allowedValues: ['refuse'],
    default: 'refuse',
    description: 'A rule of CloudFormation needs a parameter.',
  });
  new CfnRule(stack, 'NoExampleAddresses', {
    assertions: [
      {
        assert: Fn.conditionEquals(refused, 'accept'),
        assertDescription: `${summary} Replace them, or add -c ${CONTEXT}=accept for a trial deployment.`,
      },
    ],
  });
};
