import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import manifest from '../../package.json' with { type: 'json' };

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The text of a file of the repository. */
export const read = (file: string): string => readFileSync(join(root, file), 'utf8');

/** The files that match, as paths from the top, in order. */
export const filesIn = (...patterns: readonly string[]): string[] =>
  patterns
    .flatMap((pattern) => globSync(pattern, { cwd: root }))
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => !file.includes('node_modules/'))
    .toSorted();

/** One import or re-export of a module. */
export interface Import {
  /** As it is written. */
  readonly from: string;
  /** Whether it disappears with the types. */
  readonly typeOnly: boolean;
}

const STATIC = /^\s*(?:import|export)\s+(type\s+)?(?:[^'";]*?\sfrom\s+)?['"]([^'"]+)['"]/gm;
const DYNAMIC = /\bimport\(\s*['"]([^'"]+)['"]\s*\)(\.\w+)?/g;

/** Every module that a text imports, also in types. */
const importsIn = (text: string): Import[] => [
  ...[...text.matchAll(STATIC)].map(([, type, from = '']) => ({ from, typeOnly: type !== undefined })),
  ...[...text.matchAll(DYNAMIC)].map(([, from = '', member]) => ({ from, typeOnly: member !== undefined })),
];

const aliases = Object.entries(manifest.imports).map(
  ([alias, target]) => [alias.replace('*', ''), normalize(target.replace('*', ''))] as const,
);

/** An import as a path from the top where it names a file of the repository, else as it is written. */
const resolved = (file: string, from: string): string => {
  if (from.startsWith('.')) return join(dirname(file), from).replaceAll('\\', '/');
  // The longest alias wins: `#shared/` stands for more than the others do.
  for (const [alias, folder] of aliases) {
    if (from.startsWith(alias)) return join(folder, from.slice(alias.length)).replaceAll('\\', '/');
  }
  return from;
};

/** The modules that a file imports, resolved. */
export const importsOf = (file: string): Import[] =>
  importsIn(read(file)).map(({ from, typeOnly }) => ({ from: resolved(file, from), typeOnly }));

/** Every line of code that matches, as `file:line: text`. */
export const linesWith = (files: readonly string[], pattern: RegExp): string[] =>
  files.flatMap((file) =>
    // Comments become blank and not nothing, so that the numbers stay right.
    read(file)
      .replaceAll(/\/\*[\s\S]*?\*\//g, (comment) => comment.replaceAll(/[^\n]/g, ''))
      .replaceAll(/(?<!:)\/\/.*$/gm, '')
      .split('\n')
      .flatMap((line, index) => (pattern.test(line) ? [`${file}:${index + 1}: ${line.trim()}`] : [])),
  );
