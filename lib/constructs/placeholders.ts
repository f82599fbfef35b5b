import { Annotations, CfnParameter, CfnRule, Fn, type Stack } from 'aws-cdk-lib';
import { placeholdersIn } from '../config/placeholders.ts';
import type { Config } from '../config.ts';

/**
 * Keeps a stage from being deployed with addresses that were only meant to be replaced. It can be synthesized, looked at and
 * compared with them; CloudFormation refuses it before it changes anything, unless whoever deploys says that he means it.
 */
export const refusePlaceholders = (stack: Stack, config: Config): void => {
  const found = placeholdersIn(config);
  if (found.length === 0) return;
  const says = `Stage ${config.stage} still has example addresses in lib/stages.ts: ${found.join(', ')}.`;
  Annotations.of(stack).addWarningV2(
    'directory:example-addresses',
    `${says} It will not be deployed before they are replaced.`,
  );
  const meant = new CfnParameter(stack, 'ExampleAddresses', {
    type: 'String',
    allowedValues: ['refuse', 'accept'],
    default: 'refuse',
    description: 'Whether example addresses are meant.',
  });
  new CfnRule(stack, 'NoExampleAddresses', {
    assertions: [
      {
        assert: Fn.conditionEquals(meant, 'accept'),
        assertDescription: `${says} Replace them, or add --parameters ${stack.stackName}:ExampleAddresses=accept for a rehearsal.`,
      },
    ],
  });
};
