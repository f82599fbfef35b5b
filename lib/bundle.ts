import { cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type BuildOptions, build, type Metafile } from 'esbuild';
import { type Build, buildAgain, buildOnce } from '#lib/bundling/build-once.ts';
import { nodeModules } from '#lib/bundling/node-modules.ts';
import { bundleFolder, dist, root } from '#lib/bundling/paths.ts';
import { unusedDeclarations } from '#lib/bundling/unused-declarations.ts';
import { consoleFolder, consoleSources, freshConsole, isDocsPage } from './console.ts';
import { type HandlerFile, handlerFiles } from './handlers.ts';
import { freshSite, siteFolder, siteSources } from './site.ts';

/** The Node major version of the Lambda runtime and the bundler target; the project pins the same. */
export const NODE_MAJOR = 24;

const metafilePath = join(dist, 'meta.json');

/** The bundle of a handler. */
export const bundleFile = (path: string): string => join(bundleFolder(path), 'index.mjs');

/** The size and the inputs of a handler's bundle. @throws Error when the handler is not among the bundles. */
export const bundleOutput = ({ outputs }: Metafile, { id, path }: Pick<HandlerFile, 'id' | 'path'>) => {
  const output = outputs[`dist/functions/${path}/index.mjs`];
  if (!output) throw new Error(`${id} is not bundled.`);
  return output;
};

/** Source maps are kept apart from the bundles, so that they are not uploaded. */
const mapPath = (path: string): string => join(dist, 'maps', `${path}.map`);

const sourceOf = (path: string): string => `functions/${path}.ts`;

/** @throws Error that lists every handler without a file. */
const checkHandlers = (handlers: readonly HandlerFile[]): void => {
  const missing = handlers.filter(({ path }) => !existsSync(join(root, sourceOf(path))));
  if (missing.length === 0) return;
  throw new Error(missing.map(({ id, kind, path }) => `${sourceOf(path)} is missing for ${kind} ${id}.`).join('\n'));
};

/** The files that the bundles depend on, and the bundles themselves. */
const inputsOf = (handlers: readonly HandlerFile[], { inputs }: Metafile): readonly string[] => [
  ...handlers.map(({ path }) => bundleFile(path)),
  // Inputs of the node-modules plugin carry a prefix and are not files.
  ...Object.keys(inputs).filter((input) => !/^[a-z-]+:/.test(input)),
  ...readdirSync(join(root, 'lib/bundling')).map((file) => `lib/bundling/${file}`),
  ...consoleSources(),
  ...siteSources(),
  'lib/bundle.ts',
  'package-lock.json',
  'tsconfig.json',
];

/** esbuild's options for every bundle. docs/adr/0016 has the reasons and the measurements. */
export const bundleOptions = {
  absWorkingDir: root,
  bundle: true,
  minify: true,
  format: 'esm',
  platform: 'node',
  target: `node${NODE_MAJOR}`,
  // Only the ES modules of packages can be tree-shaken.
  mainFields: ['module', 'main'],
  alias: { '@aws-sdk/credential-provider-node': './lib/bundling/environment-credentials.ts' },
  plugins: [nodeModules, unusedDeclarations],
  legalComments: 'none',
  logLevel: 'warning',
} as const satisfies BuildOptions;

/** The handlers that serve the built console, with the files that each of them needs. */
const servedFiles: Readonly<Record<string, (file: string) => boolean>> = {
  'console/read': (file) => !isDocsPage(file),
  'console/open-docs': isDocsPage,
};

/** The handler of the pages, which serves the files of the built site. */
const SITE_HANDLER = 'site/read';

/** Puts the built files of the console beside the bundles that serve them. */
const addConsole = async (handlers: readonly HandlerFile[]): Promise<void> => {
  const serving = handlers.filter(({ path }) => servedFiles[path]);
  if (serving.length === 0) return;
  await freshConsole();
  for (const { path } of serving) {
    for (const file of readdirSync(consoleFolder).filter((name) => servedFiles[path]?.(name))) {
      cpSync(join(consoleFolder, file), join(bundleFolder(path), 'console', file));
    }
  }
};

/** Puts the built files of the pages beside the bundle that serves them. */
const addSite = async (handlers: readonly HandlerFile[]): Promise<void> => {
  if (!handlers.some(({ path }) => path === SITE_HANDLER)) return;
  await freshSite();
  cpSync(siteFolder, join(bundleFolder(SITE_HANDLER), 'site'), { recursive: true });
};

const bundleAll = async (handlers: readonly HandlerFile[]): Promise<string> => {
  for (const folder of ['functions', 'maps']) rmSync(join(dist, folder), { recursive: true, force: true });
  const { metafile } = await build({
    ...bundleOptions,
    entryPoints: handlers.map(({ path }) => ({ in: sourceOf(path), out: `${path}/index` })),
    outdir: join(dist, 'functions'),
    outExtension: { '.js': '.mjs' },
    sourcemap: 'external',
    sourcesContent: false,
    metafile: true,
  });
  for (const { path } of handlers) {
    mkdirSync(dirname(mapPath(path)), { recursive: true });
    renameSync(`${bundleFile(path)}.map`, mapPath(path));
  }
  await addConsole(handlers);
  await addSite(handlers);
  return JSON.stringify(metafile);
};

const buildOf = (handlers: readonly HandlerFile[]): Build => {
  checkHandlers(handlers);
  return {
    name: 'functions',
    manifest: metafilePath,
    inputs: (manifest) => inputsOf(handlers, JSON.parse(manifest) as Metafile),
    build: () => bundleAll(handlers),
  };
};

/** Bundles every handler in one esbuild call. */
export const bundle = async (handlers: readonly HandlerFile[] = handlerFiles): Promise<Metafile> =>
  JSON.parse(await buildAgain(buildOf(handlers))) as Metafile;

/** Bundles every handler unless the existing bundles are newer than all of their inputs. */
export const freshBundles = async (handlers: readonly HandlerFile[] = handlerFiles): Promise<Metafile> =>
  JSON.parse(await buildOnce(buildOf(handlers))) as Metafile;
