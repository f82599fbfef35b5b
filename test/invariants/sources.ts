import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import manifest from '../../package.json' with { type: 'json' };

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The text of a file in the repository. */
export const read = (file: string): string => readFileSync(join(root, file), 'utf8');

/** The files that match, as sorted paths from the repository root. */
export const filesIn = (...patterns: readonly string[]): string[] =>
  patterns
    .flatMap((pattern) => globSync(pattern, { cwd: root }))
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => !file.includes('node_modules/'))
    .toSorted();

/** One import or re-export of a module. */
export interface Import {
  /** A path from the repository root, or the name of a package. */
  readonly from: string;
  /** Whether it is erased with the types. */
  readonly typeOnly: boolean;
}

const STATIC = /^\s*(?:import|export)\s+(type\s+)?(?:[^'";]*?\sfrom\s+)?['"]([^'"]+)['"]/gm;
const DYNAMIC = /\bimport\(\s*['"]([^'"]+)['"]\s*\)(\.\w+)?/g;

/** Every import of a text, type imports included. */
const importsIn = (text: string): Import[] => [
  ...[...text.matchAll(STATIC)].map(([, type, from = '']) => ({ from, typeOnly: type !== undefined })),
  ...[...text.matchAll(DYNAMIC)].map(([, from = '', member]) => ({ from, typeOnly: member !== undefined })),
];

const aliases = Object.entries(manifest.imports).map(
  ([alias, target]) => [alias.replace('*', ''), normalize(target.replace('*', ''))] as const,
);

/** The path from the repository root for a relative or aliased import; other imports are unchanged. */
const resolved = (file: string, from: string): string => {
  if (from.startsWith('.')) return join(dirname(file), from).replaceAll('\\', '/');
  for (const [alias, folder] of aliases) {
    if (from.startsWith(alias)) return join(folder, from.slice(alias.length)).replaceAll('\\', '/');
  }
  return from;
};

/** The modules that a file imports, resolved. */
export const importsOf = (file: string): Import[] =>
  importsIn(read(file)).map(({ from, typeOnly }) => ({ from: resolved(file, from), typeOnly }));

/** The matching lines outside comments, as `file:line: text`. */
export const linesWith = (files: readonly string[], pattern: RegExp): string[] =>
  files.flatMap((file) =>
    // Comments are blanked instead of removed to preserve line numbers.
    read(file)
      .replaceAll(/\/\*[\s\S]*?\*\//g, (comment) => comment.replaceAll(/[^\n]/g, ''))
      .replaceAll(/(?<!:)\/\/.*$/gm, '')
      .split('\n')
      .flatMap((line, index) => (pattern.test(line) ? [`${file}:${index + 1}: ${line.trim()}`] : [])),
  );
