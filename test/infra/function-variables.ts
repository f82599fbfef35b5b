import { globSync, readFileSync } from 'node:fs';
import { configOf } from '#lib/config.ts';
import { constructIdOf, type HandlerFile } from '#lib/handlers.ts';
import { variableNames } from '#platform/environment.ts';
import { ofType, resolvedText, synthesize } from './synthesized.ts';

const config = configOf('dev');
const { data, events, api } = synthesize({
  ...config,
  feedShards: 4,
  ai: { model: 'some-model', baseUrl: 'https://model.example.com/v1' },
  rateLimits: { general: '1/60', voting: '1/60', admin: '1/60', submission: '1/60' },
});

const templates = new Map(
  [data, events, api]
    .flatMap((stack) => ofType(stack, 'AWS::Lambda::Function'))
    .map(({ logicalId, properties }) => [
      logicalId.slice(0, -8),
      (properties.Environment as { Variables: Record<string, unknown> } | undefined)?.Variables,
    ]),
);
/** The environment variables of a function in its template. */
export const variablesOf = (handler: HandlerFile): Record<string, string> =>
  Object.fromEntries(
    Object.entries(templates.get(constructIdOf(handler.id)) ?? {}).map(([name, value]) => [name, resolvedText(value)]),
  );

/** The secrets that modules of the platform read. */
export const secrets = globSync('shared/platform/*.ts').flatMap((file) =>
  [...readFileSync(file, 'utf8').matchAll(/[sS]ecret\('([A-Z_]+)'\)/g)].map(([, name = '']) => name),
);

/** Variables that the logger and the metrics library read. */
const LIBRARY_VARIABLES = ['LOG_LEVEL', 'POWERTOOLS_METRICS_NAMESPACE'];

/** All variables that some code reads. */
export const known = new Set([...variableNames(), ...LIBRARY_VARIABLES, ...secrets.map((name) => `${name}_PARAMETER`)]);

/** Whether the function has an environment. */
export const hasEnvironment = ({ id }: Pick<HandlerFile, 'id'>): boolean =>
  templates.get(constructIdOf(id)) !== undefined;
