import { tiers } from '#contract/route.ts';
import { configOf } from '#lib/config.ts';
import { functionOf } from '#test/infra/permissions.ts';
import { ofType, type SynthesizedStack, synthesize } from '#test/infra/synthesized.ts';

/** The stage of the bundle tests: every optional feature, and rate limits that no test reaches. */

const config = configOf('dev');

/** A model id of a family that Bedrock serves. */
const MODEL = 'amazon.nova-lite-v1:0';

/** The synthesized stage. */
export const deployment = synthesize({
  ...config,
  ai: { model: MODEL },
  features: { ...config.features, ai: true },
  rateLimits: Object.fromEntries(tiers.map((tier) => [tier, '1000000/60'])),
});

/** Values that only a deployment knows. */
interface DeployedValues {
  readonly tableName: string;
  readonly busName: string;
  readonly issuer: string;
  readonly audience: string;
}

type Node = Readonly<Record<string, unknown>>;

/** The outputs of a stack, by export name and by output name. */
const outputsOf = ({ name: stack, content: { Outputs = {} } }: SynthesizedStack): [string, unknown][] =>
  Object.entries(Outputs).flatMap(([name, { Value, Export }]): [string, unknown][] => [
    [`${stack} ${name}`, Value],
    ...(Export ? [[Export.Name, Value] as [string, unknown]] : []),
  ]);

const outputs = new Map(deployment.all.flatMap(outputsOf));

/** The values in Parameter Store that the stacks pass on, by the parameters of templates that read them. */
const parameters = new Map(
  deployment.all.flatMap(({ content: { Parameters = {} } }) =>
    Object.entries(Parameters).map(([id, { Default }]) => [
      id,
      ofType(deployment.data, 'AWS::SSM::Parameter').find(({ properties }) => properties.Name === Default)?.properties
        .Value,
    ]),
  ),
);
const types = new Map(
  deployment.all.flatMap(({ resources }) => resources.map(({ logicalId, type }) => [logicalId, type])),
);

/** The value of a template expression. @throws Error for references without a known value. */
const resolved = (value: unknown, values: DeployedValues): string => {
  if (typeof value === 'string') return value;
  const node = value as Node;
  const [[operator, operand] = ['', undefined]] = Object.entries(node);
  if (operator === 'Fn::ImportValue') return resolved(outputs.get(String(operand)), values);
  if (operator === 'Fn::GetStackOutput') {
    const { StackName, OutputName } = operand as Readonly<Record<'StackName' | 'OutputName', string>>;
    return resolved(outputs.get(`${StackName} ${OutputName}`), values);
  }
  if (operator === 'Fn::Join') {
    const [separator, parts] = operand as readonly [string, readonly unknown[]];
    return parts.map((part) => resolved(part, values)).join(separator);
  }
  const [id = '', attribute] = operator === 'Fn::GetAtt' ? (operand as readonly string[]) : [String(operand)];
  const known: Readonly<Record<string, string>> = {
    'AWS::DynamoDB::GlobalTable': values.tableName,
    'AWS::Events::EventBus': values.busName,
    'AWS::Cognito::UserPool': 'us-east-1_Test',
    'AWS::Cognito::UserPoolClient': values.audience,
    'AWS::Cognito::UserPoolDomain': 'sign-in',
    'AWS::Cognito::UserPool ProviderURL': values.issuer,
    'AWS::S3::Bucket': 'uploads',
    'AWS::SES::ConfigurationSet': 'mailings',
    'AWS::SQS::Queue': 'https://sqs.us-east-1.amazonaws.com/000000000000/queue',
    'AWS::KMS::Key Arn': 'arn:aws:kms:us-east-1:000000000000:key/webhooks',
  };
  if (parameters.has(id)) return resolved(parameters.get(id), values);
  if (id === 'AWS::Region') return 'us-east-1';
  const found = known[[types.get(id), attribute].filter(Boolean).join(' ')];
  if (found === undefined) throw new Error(`test/bundles/deployment.ts has no value for ${JSON.stringify(value)}.`);
  return found;
};

/** The environment of a function as deployed. */
export const variablesOf = (handler: string, values: DeployedValues): Record<string, string> => {
  const { Environment } = functionOf(deployment, handler).resource.properties as {
    Environment?: { Variables: Record<string, unknown> };
  };
  return Object.fromEntries(
    Object.entries(Environment?.Variables ?? {}).map(([name, value]) => [name, resolved(value, values)]),
  );
};
