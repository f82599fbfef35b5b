import { builtinModules } from 'node:module';
import type { Plugin } from 'esbuild';

/** Each name by itself, for imports. */
const namespace = 'node';
/** The whole as it is, for whoever requires it. */
const whole = 'node-whole';

/** What only a look at it loads is looked at where it is used; that is how a bundler treats what is required. */
const isLoadedLate = (part: object, name: string): boolean =>
  Object.getOwnPropertyDescriptor(part, name)?.get !== undefined;

/** A module with an export for each name, of which those stay that somebody imports. */
const importable = (path: string): string => {
  const part: object = process.getBuiltinModule(path) ?? {};
  const names = Object.keys(part).filter((name) => /^[a-z]\w*$/i.test(name) && name !== 'default');
  return [
    `const it = /* @__PURE__ */ process.getBuiltinModule('node:${path}');`,
    'export { it as default };',
    ...names.map((name) =>
      isLoadedLate(part, name)
        ? `export { ${name} } from '${whole}:${path}';`
        : // It may be a word of the language, so the constant is called otherwise.
          `const $${name} = /* @__PURE__ */ (() => it.${name})(); export { $${name} as ${name} };`,
    ),
  ].join('\n');
};

/**
 * Takes the parts of Node as they are instead of importing them. An import makes Node ask a module for everything that it
 * exports, and `node:http` answers that by loading the whole of `fetch`: a fifth of the time that a list took to start.
 */
export const nodeModules: Plugin = {
  name: 'node-modules',
  setup: (build) => {
    // Told by the filter, so that the bundler need not ask about every import.
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
    build.onLoad({ filter: /./, namespace }, ({ path }) => ({ contents: importable(path) }));
    build.onLoad({ filter: /./, namespace: whole }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule('node:${path}');`,
    }));
  },
};
