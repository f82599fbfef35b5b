import { builtinModules } from 'node:module';
import type { Plugin } from 'esbuild';

/** One export per name, for `import`. */
const namespace = 'node';
/** The module object, for `require` and dynamic imports. */
const whole = 'node-whole';

/** Properties with a getter load more of Node when read; esbuild reads imports from a CommonJS module at each use only. */
const isLoadedLazily = (module: object, name: string): boolean =>
  Object.getOwnPropertyDescriptor(module, name)?.get !== undefined;

/** An ES module with one export per name, so that esbuild drops the unused ones. */
const withNamedExports = (path: string): string => {
  const module: object = process.getBuiltinModule(path) ?? {};
  const names = Object.keys(module).filter((name) => /^[a-z]\w*$/i.test(name) && name !== 'default');
  return [
    `const it = /* @__PURE__ */ process.getBuiltinModule('node:${path}');`,
    'export { it as default };',
    ...names.map((name) =>
      isLoadedLazily(module, name)
        ? `export { ${name} } from '${whole}:${path}';`
        : // The prefix avoids reserved words.
          `const $${name} = /* @__PURE__ */ (() => it.${name})(); export { $${name} as ${name} };`,
    ),
  ].join('\n');
};

/**
 * Reads Node's built-in modules with `process.getBuiltinModule` instead of importing them. An import evaluates every export
 * of a built-in module, and for `node:http` that loads `fetch`: a tenth or more of the cold start (docs/adr/0016).
 */
export const nodeModules: Plugin = {
  name: 'node-modules',
  setup: (build) => {
    // esbuild evaluates the filter itself and calls the plugin for built-in modules only.
    const filter = new RegExp(`^(?:node:.+|${builtinModules.join('|')})$`);
    build.onResolve({ filter }, ({ kind, path }) => ({
      path: path.replace(/^node:/, ''),
      namespace: kind === 'import-statement' ? namespace : whole,
      sideEffects: false,
    }));
    build.onResolve({ filter: new RegExp(`^${whole}:`) }, ({ path }) => ({
      path: path.slice(whole.length + 1),
      namespace: whole,
      sideEffects: false,
    }));
    build.onLoad({ filter: /./, namespace }, ({ path }) => ({ contents: withNamedExports(path) }));
    build.onLoad({ filter: /./, namespace: whole }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule('node:${path}');`,
    }));
  },
};
