import { tiers } from '#contract/route.ts';
import { configOf } from '#lib/config.ts';
import { functionOf } from '#test/infra/permissions.ts';
import { type SynthesizedStack, synthesize } from '#test/infra/synthesized.ts';

/** A stage as it would be deployed, with everything switched on and no limit that a rehearsal could meet. */

const config = configOf('dev');

/** What the model is called; its family is the one that Bedrock serves. */
export const MODEL = 'amazon.nova-lite-v1:0';

/** The stage that is rehearsed. */
export const deployment = synthesize({
  ...config,
  ai: { model: MODEL },
  features: { ...config.features, ai: true },
  rateLimits: Object.fromEntries(tiers.map((tier) => [tier, '1000000/60'])),
});

/** What stands in a rehearsal for what only a deployment knows. */
export interface Places {
  readonly tableName: string;
  readonly busName: string;
  readonly issuer: string;
  readonly audience: string;
}

type Node = Readonly<Record<string, unknown>>;

/** What a stack tells the others, by both names that they may ask for it by: the export's and the output's. */
const outputsOf = (stack: SynthesizedStack): [string, unknown][] => {
  const { Outputs = {} } = JSON.parse(stack.text) as {
    Outputs?: Record<string, { Value: unknown; Export?: { Name: string } }>;
  };
  return Object.entries(Outputs).flatMap(([name, { Value, Export }]): [string, unknown][] => [
    [`${stack.name} ${name}`, Value],
    ...(Export ? [[Export.Name, Value] as [string, unknown]] : []),
  ]);
};

const told = new Map(deployment.all.flatMap(outputsOf));
const types = new Map(
  deployment.all.flatMap(({ resources }) => resources.map(({ logicalId, type }) => [logicalId, type])),
);

/** The value of an expression of a template. @throws for what nobody has said this of yet. */
const resolved = (value: unknown, places: Places): string => {
  if (typeof value === 'string') return value;
  const node = value as Node;
  const [[operator, operand] = ['', undefined]] = Object.entries(node);
  if (operator === 'Fn::ImportValue') return resolved(told.get(String(operand)), places);
  if (operator === 'Fn::GetStackOutput') {
    const { StackName, OutputName } = operand as Readonly<Record<'StackName' | 'OutputName', string>>;
    return resolved(told.get(`${StackName} ${OutputName}`), places);
  }
  if (operator === 'Fn::Join') {
    const [between, parts] = operand as readonly [string, readonly unknown[]];
    return parts.map((part) => resolved(part, places)).join(between);
  }
  const [id = '', attribute] = operator === 'Fn::GetAtt' ? (operand as readonly string[]) : [String(operand)];
  const known: Readonly<Record<string, string>> = {
    'AWS::DynamoDB::GlobalTable': places.tableName,
    'AWS::Events::EventBus': places.busName,
    'AWS::Cognito::UserPoolClient': places.audience,
    'AWS::Cognito::UserPool ProviderURL': places.issuer,
    'AWS::SES::ConfigurationSet': 'mailings',
  };
  const found = known[[types.get(id), attribute].filter(Boolean).join(' ')];
  if (found === undefined) throw new Error(`Say in test/rehearsal/deployment.ts what ${JSON.stringify(value)} is.`);
  return found;
};

/** The variables that a door's function is deployed with. */
export const variablesOf = (door: string, places: Places): Record<string, string> => {
  const { Environment } = functionOf(deployment, door).resource.properties as {
    Environment?: { Variables: Record<string, unknown> };
  };
  return Object.fromEntries(
    Object.entries(Environment?.Variables ?? {}).map(([name, value]) => [name, resolved(value, places)]),
  );
};
