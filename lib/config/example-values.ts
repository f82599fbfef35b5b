import { Annotations, CfnParameter, CfnRule, Fn, type Stack } from 'aws-cdk-lib';
import type { Config } from '#lib/config/schema.ts';

/** Domains reserved for examples (RFC 2606). */
const EXAMPLE = /(?:^|[@./])(?:example(?:\.(?:com|net|org))?|test|invalid)(?=$|[/:?#])/i;

const sendsMail = ({ features, identity }: Config): boolean =>
  features.email !== false || (identity.kind === 'cognito' && identity.mail === 'ses');

const textsIn = (value: unknown, path: string): readonly (readonly [path: string, text: string])[] => {
  if (typeof value === 'string') return [[path, value]];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => textsIn(inner, path === '' ? name : `${path}.${name}`));
};

/** The paths of settings that contain an example address and are in use. Without mail, the sender is not in use. */
export const exampleValuesIn = (config: Config): readonly string[] =>
  textsIn(config, '')
    .filter(([, text]) => EXAMPLE.test(text))
    .map(([path]) => path)
    .filter((path) => sendsMail(config) || !path.startsWith('mail.'));

/** The context that accepts example addresses for one command: `-c example-addresses=accept`. */
const CONTEXT = 'example-addresses';

/**
 * Prevents deploying a stage with example addresses. Synthesis and diff work; CloudFormation rejects the deployment
 * before any change, unless the command has the context. A parameter that accepts them would keep its value in all later
 * deployments, so the only value of the parameter is `refuse`.
 */
export const rejectExampleValues = (stack: Stack, config: Config): void => {
  const found = exampleValuesIn(config);
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
