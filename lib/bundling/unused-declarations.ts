import { readFileSync } from 'node:fs';
import type { Plugin } from 'esbuild';

const BEGIN = /^(?:export )?const \w+.* =(?: |$)/;

/** In formatted code a declaration ends with a semicolon, and the next unindented line starts something else. */
const isEnd = (line: string, next: string | undefined): boolean =>
  line.endsWith(';') && (next === undefined || next === '' || /^[A-Za-z/@]/.test(next));

/**
 * Rewrites every top-level constant as the result of a call that is annotated as pure. Line numbers do not change.
 * @throws Error when the end of a declaration is not found, as in unformatted code.
 */
const markPure = (source: string): string => {
  const lines = source.split('\n');
  const out: string[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    if (!BEGIN.test(line)) {
      out.push(line);
      continue;
    }
    let end = at;
    while (!isEnd(lines[end] ?? '', lines[end + 1])) {
      end += 1;
      if (end >= lines.length)
        throw new Error(`Cannot find the end of this declaration; is the file formatted? ${line}`);
    }
    const declaration = lines.slice(at, end + 1).join('\n');
    const cut = declaration.search(/ =(?:\s)/) + ' ='.length;
    out.push(`${declaration.slice(0, cut)} /* @__PURE__ */ (() => (${declaration.slice(cut, -1)}))();`);
    at = end;
  }
  return out.join('\n');
};

/**
 * Drops the declarations of other routes from a route's bundle. esbuild must assume that calls such as `z.object(…)` have
 * side effects and keeps every schema of an imported module; the contract's modules contain declarations only.
 */
export const unusedDeclarations: Plugin = {
  name: 'unused-declarations',
  setup: (build) => {
    build.onLoad({ filter: /[\\/]shared[\\/]contract[\\/][\w-]+\.ts$/ }, ({ path }) => ({
      contents: markPure(readFileSync(path, 'utf8')),
      loader: 'ts',
    }));
  },
};
