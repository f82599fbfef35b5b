import { readFileSync } from 'node:fs';
import type { Plugin } from 'esbuild';

/** Made for every schema, to be called perhaps. */
const stubOf = (name: string): string =>
  name.startsWith('create') ? `export const ${name} = () => leftOut;` : `export const ${name} = leftOut;`;

/**
 * Leaves out how zod turns schemas into JSON Schema, a fifth of it: the documents are made before anything is deployed. What
 * an upgrade exports in another way makes the bundling fail, and says what is missing.
 */
export const jsonSchema: Plugin = {
  name: 'json-schema',
  setup: (build) => {
    build.onLoad(
      { filter: /[\\/]zod[\\/]v4[\\/]core[\\/](?:to-json-schema|json-schema-processors)\.js$/ },
      ({ path }) => {
        const names = [...readFileSync(path, 'utf8').matchAll(/^export (?:const|function|class) (\w+)/gm)].map(
          ([, name]) => name ?? '',
        );
        const leftOut = `const leftOut = () => {
  throw new Error('Bundles do not write JSON Schema: see lib/bundling/json-schema.ts.');
};`;
        return { contents: [leftOut, ...names.map(stubOf)].join('\n') };
      },
    );
  },
};
