import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import { transformSync } from 'esbuild';

let isRegistered = false;

/** Node removes types from `.ts` files itself, and does not read `.tsx`: the components of the pages are translated when they are loaded. */
export const readComponents = (): void => {
  if (isRegistered) return;
  isRegistered = true;
  registerHooks({
    load: (url, context, nextLoad) => {
      if (!url.startsWith('file:') || !url.endsWith('.tsx')) return nextLoad(url, context);
      const { code } = transformSync(readFileSync(fileURLToPath(url), 'utf8'), {
        loader: 'tsx',
        jsx: 'automatic',
        jsxImportSource: 'preact',
        sourcefile: fileURLToPath(url),
        sourcemap: 'inline',
        target: 'node22',
      });
      return { format: 'module', source: code, shortCircuit: true };
    },
  });
};
