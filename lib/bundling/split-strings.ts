import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Plugin } from 'esbuild';

const USE = /(?<![\w/])strings\.(\w+)/g;

/** The exports of `strings.ts` that a module names, as the suffix of the module that it imports instead. */
const suffixOf = (importer: string): string => {
  const used = [...readFileSync(importer, 'utf8').matchAll(USE)].map(([, name = '']) => name);
  return `?${[...new Set(used)].sort().join('&')}`;
};

/**
 * Makes a module of each export of the console's `strings.ts`, so that a text is in the chunk of the page that shows it.
 * esbuild assigns whole modules to chunks: one module with all texts, or one that exports all of them again, would be part
 * of every first load. Therefore a module that imports the texts gets one with those that it names.
 */
export const splitStrings: Plugin = {
  name: 'split-strings',
  setup: (build) => {
    build.onResolve({ filter: /\/strings\.ts$/ }, ({ path, importer, resolveDir }) => ({
      path: resolve(resolveDir, path),
      suffix: suffixOf(importer),
      sideEffects: false,
    }));
    build.onResolve({ filter: /\/strings\.ts\?\w+$/ }, ({ path }) => ({
      path: path.slice(0, path.indexOf('?')),
      suffix: path.slice(path.indexOf('?')),
      namespace: 'text',
      sideEffects: false,
    }));
    build.onLoad({ filter: /[\\/]console[\\/]strings\.ts$/, namespace: 'file' }, ({ path, suffix }) => ({
      contents: suffix
        .slice(1)
        .split('&')
        .map((name) => `export { ${name} } from ${JSON.stringify(`${path}?${name}`)};`)
        .join('\n'),
      loader: 'ts',
    }));
    // The other exports are unused, and dropped.
    build.onLoad({ filter: /strings\.ts$/, namespace: 'text' }, ({ path }) => ({
      contents: readFileSync(path, 'utf8'),
      loader: 'ts',
    }));
  },
};
