import { readFileSync } from 'node:fs';
import type { Plugin } from 'esbuild';

/**
 * Leaves out the classes of the some 130 errors of Systems Manager, of which reading a parameter knows six. An error without a
 * class of its own is the base class with the error's name, so who reads secrets goes by names. Lines that an upgrade
 * writes otherwise stay, and the budget tells.
 */
export const ssmErrors: Plugin = {
  name: 'ssm-errors',
  setup: (build) => {
    build.onLoad({ filter: /client-ssm[\\/]dist-es[\\/]schemas[\\/]schemas_0\.js$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replaceAll(/^n0_registry\.registerError\(.*\);$/gm, ''),
    }));
  },
};
