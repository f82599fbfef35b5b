import { createHash } from 'node:crypto';
import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type BuildOptions, context, type Metafile, type Plugin } from 'esbuild';
import { buildOnce, bundleFiles } from '#lib/bundling/build-once.ts';
import { evaluatedManifest } from '#lib/bundling/evaluated-manifest.ts';
import { oneApplicationFile } from '#lib/bundling/one-application-file.ts';
import { dist, root } from '#lib/bundling/paths.ts';

/** The folder of the built console. */
export const consoleFolder = join(dist, 'console');

/** Whether a file of this folder is a page of the reference. */
export const isDocsPage = (file: string): boolean => /^reference-\d\.html$/.test(file);

/** The most slashes behind `/console` in an address: `/console/{file}/{rest}/`. */
const SLASHES_MAX = 3;

const metafilePath = join(dist, 'console.json');

const shared = {
  absWorkingDir: root,
  outdir: consoleFolder,
  entryNames: '[name]-[hash]',
  chunkNames: '[name]-[hash]',
  bundle: true,
  splitting: true,
  minify: true,
  format: 'esm',
  platform: 'browser',
  target: ['es2023', 'chrome123', 'firefox120', 'safari17.5'],
  jsx: 'automatic',
  tsconfigRaw: {},
  define: { 'process.env.NODE_ENV': '"production"', DEVELOPMENT: 'false' },
  loader: { '.json': 'json' },
  plugins: [evaluatedManifest],
  legalComments: 'none',
  metafile: true,
  logLevel: 'warning',
} as const satisfies BuildOptions;

const options = {
  ...shared,
  entryPoints: { main: 'console/main.tsx', styles: 'console/styles/main.css' },
  plugins: [...shared.plugins, oneApplicationFile],
} as const satisfies BuildOptions;

/** Built apart from the console, whose first load would have chunks of both otherwise. */
const referenceOptions = {
  ...shared,
  entryPoints: { reference: 'console/reference/main.tsx', 'reference-styles': 'console/reference/main.css' },
} as const satisfies BuildOptions;

/** The path of the output of an entry point, whose name has its digest. */
export const outputOf = (outputs: Metafile['outputs'], entry: string): string => {
  const found = Object.entries(outputs).find(([, { entryPoint }]) => entryPoint === entry);
  if (!found) throw new Error(`${entry} is not among the outputs of the console.`);
  return found[0];
};

/** The paths of an output and of those that it imports, also indirectly, other than on demand. */
export const withImports = (
  outputs: Metafile['outputs'],
  path: string,
  found: Set<string> = new Set(),
): ReadonlySet<string> => {
  if (found.has(path)) return found;
  found.add(path);
  for (const { path: imported, kind } of outputs[path]?.imports ?? []) {
    if (kind === 'import-statement') withImports(outputs, imported, found);
  }
  return found;
};

const writeIcon = (): string => {
  const icon = readFileSync(join(root, 'console/icon.svg'), 'utf8');
  const name = `icon-${createHash('sha256').update(icon).digest('hex').slice(0, 8)}.svg`;
  writeFileSync(join(consoleFolder, name), icon);
  return name;
};

/** The page in a folder of `console/`, without the base of its assets. */
const templateOf = (folder: string, styles: string, { outputs }: Metafile): string => {
  const script = outputOf(outputs, `${folder}/main.tsx`);
  // Without these links a browser learns of the imports only from the script.
  const preloads = [...withImports(outputs, script)]
    .filter((path) => path !== script)
    .map((path) => `<link rel="modulepreload" href="{{base}}${basename(path)}">`);
  return readFileSync(join(root, folder, 'index.html'), 'utf8')
    .replace('{{icon}}', writeIcon())
    .replace('{{styles}}', basename(outputOf(outputs, styles)))
    .replace('{{preloads}}', preloads.join(''))
    .replace('{{script}}', basename(script));
};

/** Writes a page, whose addresses of assets are relative, because the stage of a gateway is part of the path. */
const writePage = (file: string, template: string, base: string): void =>
  writeFileSync(join(consoleFolder, file), template.replaceAll('{{base}}', base));

/** Writes the page once per number of slashes behind `/console` in the address. */
const writePages = (metafile: Metafile): void => {
  const template = templateOf('console', 'console/styles/main.css', metafile);
  writePage('page-0.html', template, 'console/');
  for (let slashes = 1; slashes <= SLASHES_MAX; slashes += 1)
    writePage(`page-${slashes}.html`, template, `./${'../'.repeat(slashes - 1)}`);
};

/** Builds the page at `/docs`, and that at `/docs/`. Its assets are files of the console. */
const buildReference = async (): Promise<void> => {
  const metafile = await bundleFiles(referenceOptions);
  const template = templateOf('console/reference', 'console/reference/main.css', metafile);
  for (const [slashes, apiRoot] of ['', '../'].entries())
    writePage(`reference-${slashes}.html`, template.replaceAll('{{root}}', apiRoot), `${apiRoot}console/`);
};

/** The files that a build depends on: the sources of the console, the client, and the contract behind its manifest. */
export const consoleSources = (): string[] => [
  ...globSync(['console/**/*.*', 'shared/client.ts', 'shared/client/*.ts', 'shared/contract/*.ts'], { cwd: root }),
  'shared/errors.ts',
  // The map, which the public pages have too.
  'site/browser/listing-map.ts',
  'site/browser/map-view.ts',
  'site/styles/map.css',
  'lib/console.ts',
  'lib/bundling/evaluated-manifest.ts',
  'lib/bundling/one-application-file.ts',
  'package-lock.json',
];

const buildConsole = async (): Promise<string> => {
  rmSync(consoleFolder, { recursive: true, force: true });
  const [metafile] = await Promise.all([bundleFiles(options), buildReference()]);
  writePages(metafile);
  return JSON.stringify(metafile);
};

/** Builds the console unless the existing build is newer than all of its inputs. */
export const freshConsole = async (): Promise<void> => {
  await buildOnce({
    name: 'console',
    manifest: metafilePath,
    // The manifest is outside of the folder, which may have been deleted.
    inputs: () => [join(consoleFolder, 'page-0.html'), ...consoleSources()],
    build: buildConsole,
  });
};

/** Builds the console again after each change of its sources; open pages reload. */
export const watchConsole = async (onBuild: () => void): Promise<void> => {
  const afterBuild: Plugin = {
    name: 'after-build',
    setup: (watched) => {
      watched.onEnd(({ metafile, errors }) => {
        if (!metafile || errors.length > 0) return;
        writePages(metafile);
        onBuild();
      });
    },
  };
  // The next start builds the console for production again.
  process.once('exit', () => rmSync(metafilePath, { force: true }));
  const watching = await context({
    ...options,
    minify: false,
    sourcemap: 'inline',
    define: { ...options.define, 'process.env.NODE_ENV': '"development"', DEVELOPMENT: 'true' },
    plugins: [...options.plugins, afterBuild],
  });
  await watching.watch();
};
