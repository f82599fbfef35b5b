import { readFileSync } from 'node:fs';
import type { Plugin } from 'esbuild';

const BEGIN = /^(?:export )?const \w+.* =(?: |$)/;

/** In formatted code a declaration ends with a semicolon before the next thing that stands at the margin. */
const isEnd = (line: string, next: string | undefined): boolean =>
  line.endsWith(';') && (next === undefined || next === '' || /^[A-Za-z/@]/.test(next));

/**
 * A module in which every constant is made by a call that is marked as doing nothing else. Lines keep their numbers.
 * @throws Error when a declaration does not end where formatted code ends it.
 */
export const withoutEffects = (source: string): string => {
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
      if (end >= lines.length) throw new Error(`This declaration does not end, is it formatted? ${line}`);
    }
    const declaration = lines.slice(at, end + 1).join('\n');
    const cut = declaration.search(/ =(?:\s)/) + ' ='.length;
    out.push(`${declaration.slice(0, cut)} /* @__PURE__ */ (() => (${declaration.slice(cut, -1)}))();`);
    at = end;
  }
  return out.join('\n');
};

/**
 * Leaves the declarations of other routes out of a route's bundle. To a bundler every schema is a call that may do
 * anything, so it keeps the whole module, and every start would build all of it. The contract's modules only declare.
 */
export const unusedDeclarations: Plugin = {
  name: 'unused-declarations',
  setup: (build) => {
    build.onLoad({ filter: /[\\/]shared[\\/]contract[\\/][\w-]+\.ts$/ }, ({ path }) => ({
      contents: withoutEffects(readFileSync(path, 'utf8')),
      loader: 'ts',
    }));
  },
};
