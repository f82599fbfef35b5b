import { readFileSync } from 'node:fs';
import type { Plugin } from 'esbuild';

/**
 * Leaves out the classes of the some 130 errors of Systems Manager: every function with a login can read a secret. An error
 * without a class is an instance of the base class with the error's name, by which `shared/platform/secret.ts` recognizes
 * it. Lines that an upgrade formats otherwise stay, and the size budget fails.
 */
export const ssmErrors: Plugin = {
  name: 'ssm-errors',
  setup: (build) => {
    build.onLoad({ filter: /client-ssm[\\/]dist-es[\\/]schemas[\\/]schemas_0\.js$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replaceAll(/^n0_registry\.registerError\(.*\);$/gm, ''),
    }));
  },
};
