import { execFileSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { type BuildOptions, build as bundle, type Plugin } from 'esbuild';
import { freshBundles } from '#lib/bundle.ts';
import { evaluatedManifest } from '#lib/bundling/evaluated-manifest.ts';
import { dist, root } from '#lib/bundling/paths.ts';
import { unusedDeclarations } from '#lib/bundling/unused-declarations.ts';
import { run } from './run.ts';

const HELP = `npm run package [-- <options of npm pack>]

Builds and packs the npm package, for apps that use the service or its client as a library. It contains
  dist/npm        compiled JavaScript with declarations: the construct, the client and the schemas
  dist/functions  the bundle of every function

"npm pack" alone builds nothing: it packs what an earlier run has left in dist.
  --pack-destination <folder>   where the package is written, instead of this folder
  --help                        prints this text`;

if (process.argv.includes('--help')) {
  console.log(HELP);
  process.exit(0);
}

const target = join(dist, 'npm');
const modules = ['shared/client.ts', ...globSync('shared/contract/*.ts', { cwd: root })];

const { imports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { imports: Record<string, string> };
const aliases = Object.entries(imports).map(([alias, folder]) => [alias.slice(0, -1), folder.slice(2, -1)] as const);

/** The path of an imported source file, relative to the repository. */
const sourceOf = (specifier: string, importer: string): string => {
  const [alias, folder] = aliases.find(([prefix]) => specifier.startsWith(prefix)) ?? [];
  if (alias !== undefined && folder !== undefined) return folder + specifier.slice(alias.length);
  return join(dirname(importer), specifier);
};

/** The import of a source file as it is written in compiled files: a relative path, with the extension `.js`. */
const compiledImport = (importer: string, file: string): string => {
  const path = relative(dirname(importer), file).replaceAll('\\', '/').replace(/\.ts$/, '.js');
  return path.startsWith('.') ? path : `./${path}`;
};

/** Compiles each file separately, so that a bundler can drop those that an application does not use. */
const separateFiles: Plugin = {
  name: 'separate-files',
  setup: (build) => {
    build.onResolve({ filter: /\.ts$/ }, ({ kind, importer, path }) => {
      if (kind === 'entry-point') return undefined;
      const from = relative(root, importer);
      return { path: compiledImport(from, sourceOf(path, from)), external: true };
    });
  },
};

const options = {
  absWorkingDir: root,
  bundle: true,
  format: 'esm',
  outbase: root,
  outdir: target,
  external: ['aws-cdk-lib', 'constructs', 'zod'],
  logLevel: 'warning',
} as const satisfies BuildOptions;

const compile = async (): Promise<void> => {
  await bundle({
    ...options,
    entryPoints: [...modules, 'shared/client/manifest.ts', 'shared/errors.ts'],
    platform: 'neutral',
    target: 'es2022',
    plugins: [separateFiles, evaluatedManifest, unusedDeclarations],
  });
  // One file, without the parts of the service that only its functions need.
  await bundle({ ...options, entryPoints: ['lib/directory.ts'], platform: 'node', target: 'node20' });
};

/**
 * Copies the declarations of the entries and of all files that they import. Imports are written as paths of JavaScript
 * files: aliases and the extension `.ts` need compiler options that users of the package may not have.
 */
const declare = async (): Promise<void> => {
  const emitted = mkdtempSync(join(tmpdir(), 'declarations-'));
  try {
    const { ok, output } = await run('tsc', ['-p', 'tsconfig.package.json', '--outDir', emitted]);
    if (!ok) throw new Error(`The declarations cannot be written:\n${output}`);
    const reached = new Set(['lib/directory.ts', ...modules]);
    for (const file of reached) {
      const declarations = file.replace(/\.ts$/, '.d.ts');
      const text = readFileSync(join(emitted, declarations), 'utf8').replaceAll(
        /(from |import\()(['"])([#.][^'"]+\.ts)\2/g,
        (_, keyword: string, quote: string, specifier: string) => {
          const imported = sourceOf(specifier, file);
          reached.add(imported);
          return `${keyword}${quote}${compiledImport(file, imported)}${quote}`;
        },
      );
      mkdirSync(dirname(join(target, declarations)), { recursive: true });
      writeFileSync(join(target, declarations), text);
    }
  } finally {
    rmSync(emitted, { recursive: true, force: true });
  }
};

/** Packs with the npm that runs this script, or the one on the path. */
const pack = (npmOptions: readonly string[]): void => {
  const npm = process.env.npm_execpath ?? '';
  const viaNode = /npm-cli\.c?js$/.test(npm);
  const [command, first] = viaNode ? [process.execPath, [npm]] : ['npm', []];
  execFileSync(command, [...first, 'pack', ...npmOptions], {
    cwd: root,
    stdio: 'inherit',
    // On Windows npm is a script, which needs a shell.
    shell: !viaNode && process.platform === 'win32',
  });
};

await freshBundles();
rmSync(target, { recursive: true, force: true });
await compile();
await declare();
pack(process.argv.slice(2));
