import { App } from 'aws-cdk-lib';
import { configOf } from '#lib/config.ts';
import { constructIdOf } from '#lib/handlers.ts';
import { stacksOf } from '#lib/stacks.ts';

interface FunctionTemplate {
  readonly Type: string;
  readonly Properties?: { readonly Environment?: { readonly Variables: Readonly<Record<string, unknown>> } };
}

/**
 * The environment variables of each function of a stage by construct id, from the templates. Values that are only known
 * at deployment are placeholders.
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

/** The environment variables of one function. @throws when the stage does not have it. */
export const environmentOf = (
  all: ReadonlyMap<string, Readonly<Record<string, string>>>,
  handlerId: string,
): Readonly<Record<string, string>> => {
  const found = all.get(constructIdOf(handlerId));
  if (!found) throw new Error(`There is no function for ${handlerId}.`);
  return found;
};
