import { readFileSync } from 'node:fs';
import type { Plugin } from 'esbuild';

/** Registers the class of an error. */
const REGISTRATION = /^n0_registry\.registerError\(.*\);$/gm;
/** The schema of an error. esbuild must assume that its computed names have side effects. */
const ERROR_SCHEMA = /^(export var \w+\$ = )(\[-3, n0, \w+,\n[\s\S]*?^\]);$/gm;

/**
 * Leaves out the some 130 errors of Systems Manager: every function with a login can read a secret. An error without a class
 * is an instance of the base class with the error's name, by which `shared/platform/secret.ts` recognizes it. Declarations
 * that an upgrade formats otherwise stay, and the size budget fails.
 */
export const ssmErrors: Plugin = {
  name: 'ssm-errors',
  setup: (build) => {
    build.onLoad({ filter: /client-ssm[\\/]dist-es[\\/]schemas[\\/]schemas_0\.js$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8')
        .replaceAll(REGISTRATION, '')
        .replaceAll(ERROR_SCHEMA, '$1/* @__PURE__ */ (() => ($2))();'),
    }));
  },
};
