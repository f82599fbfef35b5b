import { App } from 'aws-cdk-lib';
import { configOf } from '#lib/config.ts';
import { constructIdOf } from '#lib/doors.ts';
import { stacksOf } from '#lib/stacks.ts';

interface FunctionTemplate {
  readonly Type: string;
  readonly Properties?: { readonly Environment?: { readonly Variables: Readonly<Record<string, unknown>> } };
}

/**
 * The variables that each function of a stage is given, by its construct's id, as its template says. What only a deployment
 * knows is a word.
 */
export const environments = (stage: string): ReadonlyMap<string, Readonly<Record<string, string>>> => {
  const app = new App({ context: { 'aws:cdk:bundling-stacks': [] } });
  const stacks = stacksOf(app, configOf(stage));
  const assembly = app.synth();
  return new Map(
    [stacks.api, stacks.events]
      .flatMap(({ stackName }) => {
        const { Resources } = assembly.getStackByName(stackName).template as {
          Resources: Record<string, FunctionTemplate>;
        };
        return Object.entries(Resources);
      })
      .filter(([, { Type }]) => Type === 'AWS::Lambda::Function')
      .map(([logicalId, { Properties }]) => [
        logicalId.slice(0, -8),
        Object.fromEntries(
          Object.entries(Properties?.Environment?.Variables ?? {}).map(([name, value]) => [
            name,
            typeof value === 'string' ? value : 'known-when-deployed',
          ]),
        ),
      ]),
  );
};

/** The variables of one function. @throws when the stage has none of that name. */
export const environmentOf = (
  all: ReadonlyMap<string, Readonly<Record<string, string>>>,
  doorId: string,
): Readonly<Record<string, string>> => {
  const found = all.get(constructIdOf(doorId));
  if (!found) throw new Error(`No function belongs to ${doorId}.`);
  return found;
};
