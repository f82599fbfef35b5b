import {
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type BuildOptions, build, type Metafile } from 'esbuild';
import { configFiles } from './bundling/config-files.ts';
import { eventStreams } from './bundling/event-streams.ts';
import { jsonSchema } from './bundling/json-schema.ts';
import { nodeModules } from './bundling/node-modules.ts';
import { oneAtATime } from './bundling/one-at-a-time.ts';
import { ssmErrors } from './bundling/ssm-errors.ts';
import { stripeResources } from './bundling/stripe-resources.ts';
import { tableErrors } from './bundling/table-errors.ts';
import { unusedDeclarations } from './bundling/unused-declarations.ts';
import { webParts } from './bundling/web-parts.ts';
import { type Door, doors } from './doors.ts';

/** The major version of Node that functions run on; the project pins the same, and bundles are made for it. */
export const NODE_MAJOR = 24;

const root = resolve(import.meta.dirname, '..');

/** Where everything that is built goes. */
export const dist = join(root, 'dist');

const metafilePath = join(dist, 'meta.json');

/** The folder of a door's bundle; it holds `index.mjs` and nothing else. */
export const bundleFolder = (path: string): string => join(dist, 'functions', path);

/** What is compiled of the bundles as they are; bundling takes it away. */
const compiled = 'compiled';

/** The folder that is uploaded for a door: its bundle, or what `scripts/compile.ts` has made of it. */
export const uploadFolder = (path: string): string => {
  const folder = join(dist, compiled, path);
  return existsSync(join(folder, 'index.mjs')) ? folder : bundleFolder(path);
};

/** Source maps stay here: they are for whoever reads a stack trace, and would only weigh in an upload. */
const mapPath = (path: string): string => join(dist, 'maps', `${path}.map`);

const sourceOf = (path: string): string => `functions/${path}.ts`;

/** What esbuild says about every bundle: its size, and what went into it. */
export type Bundles = Metafile;

/** @throws Error that names every door without a file. */
const checkDoors = (wanted: readonly Door[]): void => {
  const missing = wanted.filter(({ path }) => !existsSync(join(root, sourceOf(path))));
  if (missing.length === 0) return;
  throw new Error(missing.map(({ id, kind, path }) => `${sourceOf(path)} is missing for ${kind} ${id}.`).join('\n'));
};

const readMetafile = (): Metafile | undefined =>
  existsSync(metafilePath) ? (JSON.parse(readFileSync(metafilePath, 'utf8')) as Metafile) : undefined;

const changedAt = (file: string): number =>
  statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? Number.POSITIVE_INFINITY;

const isFresh = (known: Metafile | undefined, wanted: readonly Door[]): known is Metafile => {
  if (!known || !wanted.every(({ path }) => existsSync(join(bundleFolder(path), 'index.mjs')))) return false;
  const builtAt = changedAt(metafilePath);
  // What a plugin has made up has its name in front, and is nowhere to be found.
  const inputs = Object.keys(known.inputs).filter((input) => !/^[a-z-]+:/.test(input));
  const bundling = readdirSync(join(root, 'lib/bundling')).map((file) => `lib/bundling/${file}`);
  const sources = [...inputs, ...bundling, 'lib/bundle.ts', 'package-lock.json', 'tsconfig.json'];
  return sources.every((source) => changedAt(join(root, source)) <= builtAt);
};

const alone = <T>(work: () => Promise<T>): Promise<T> => {
  mkdirSync(dist, { recursive: true });
  return oneAtATime(join(dist, 'bundling.lock'), work);
};

/** How esbuild makes a bundle, whatever is in it. */
export const bundleOptions = {
  absWorkingDir: root,
  bundle: true,
  minify: true,
  format: 'esm',
  platform: 'node',
  target: `node${NODE_MAJOR}`,
  // The module builds of packages are the ones that can be shaken.
  mainFields: ['module', 'main'],
  // What a function never uses, and what makes it slow to start: docs/adr/0016 has the figures.
  alias: { '@aws-sdk/credential-provider-node': './shared/platform/runtime-credentials.ts' },
  plugins: [
    nodeModules,
    stripeResources,
    tableErrors,
    ssmErrors,
    eventStreams,
    configFiles,
    webParts,
    jsonSchema,
    unusedDeclarations,
  ],
  legalComments: 'none',
  logLevel: 'warning',
} as const satisfies BuildOptions;

const bundleAll = async (wanted: readonly Door[]): Promise<Metafile> => {
  for (const folder of ['functions', 'maps']) rmSync(join(dist, folder), { recursive: true, force: true });
  // It may be mounted somewhere, and stays itself.
  for (const old of globSync(join(dist, compiled, '*'))) rmSync(old, { recursive: true, force: true });
  const { metafile } = await build({
    ...bundleOptions,
    entryPoints: wanted.map(({ path }) => ({ in: sourceOf(path), out: `${path}/index` })),
    outdir: join(dist, 'functions'),
    outExtension: { '.js': '.mjs' },
    sourcemap: 'external',
    sourcesContent: false,
    metafile: true,
  });
  for (const { path } of wanted) {
    mkdirSync(dirname(mapPath(path)), { recursive: true });
    renameSync(join(bundleFolder(path), 'index.mjs.map'), mapPath(path));
  }
  writeFileSync(metafilePath, JSON.stringify(metafile));
  return metafile;
};

/**
 * Bundles every door in one go.
 * @returns what esbuild says about the result.
 */
export const bundle = async (wanted: readonly Door[] = doors): Promise<Metafile> => {
  checkDoors(wanted);
  return await alone(() => bundleAll(wanted));
};

/** Bundles every door, unless what was bundled before is newer than everything that went into it. */
export const freshBundles = async (wanted: readonly Door[] = doors): Promise<Metafile> => {
  checkDoors(wanted);
  return await alone(async () => {
    const known = readMetafile();
    return isFresh(known, wanted) ? known : await bundleAll(wanted);
  });
};
