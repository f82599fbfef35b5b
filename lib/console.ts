import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type BuildOptions, build, context, type Metafile, type Plugin } from 'esbuild';
import { evaluatedManifest } from '#lib/bundling/evaluated-manifest.ts';
import { withFileLock } from '#lib/bundling/file-lock.ts';
import { dist, root } from '#lib/bundling/paths.ts';

/** The folder of the built console. */
export const consoleFolder = join(dist, 'console');

const metafilePath = join(dist, 'console.json');

const options = {
  absWorkingDir: root,
  entryPoints: { main: 'console/main.tsx', styles: 'console/styles/main.css' },
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

/** The name of the output of an entry point, with its digest. */
const outputOf = ({ outputs }: Metafile, entry: string): string => {
  const found = Object.entries(outputs).find(([, { entryPoint }]) => entryPoint === entry);
  if (!found) throw new Error(`${entry} is not among the outputs of the console.`);
  return basename(found[0]);
};

/**
 * Writes the page twice: for the address `/console`, and for those one level below. Addresses of assets are relative,
 * because the stage of a gateway is part of the path.
 */
const writePages = (metafile: Metafile): void => {
  const icon = readFileSync(join(root, 'console/icon.svg'), 'utf8');
  const iconName = `icon-${createHash('sha256').update(icon).digest('hex').slice(0, 8)}.svg`;
  writeFileSync(join(consoleFolder, iconName), icon);
  const template = readFileSync(join(root, 'console/index.html'), 'utf8')
    .replace('{{icon}}', iconName)
    .replace('{{styles}}', outputOf(metafile, 'console/styles/main.css'))
    .replace('{{script}}', outputOf(metafile, 'console/main.tsx'));
  writeFileSync(join(consoleFolder, 'root.html'), template.replaceAll('{{base}}', 'console/'));
  writeFileSync(join(consoleFolder, 'page.html'), template.replaceAll('{{base}}', './'));
  writeFileSync(metafilePath, JSON.stringify(metafile));
};

const changedAt = (file: string): number =>
  statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? Number.POSITIVE_INFINITY;

/** The files that a build depends on: the sources of the console, the client, and the contract behind its manifest. */
export const consoleSources = (): string[] => [
  ...globSync(['console/**/*.*', 'shared/client.ts', 'shared/client/*.ts', 'shared/contract/*.ts'], { cwd: root }),
  'shared/errors.ts',
  'lib/console.ts',
  'package-lock.json',
];

const isFresh = (): boolean => {
  if (!existsSync(join(consoleFolder, 'page.html'))) return false;
  const builtAt = changedAt(metafilePath);
  return Number.isFinite(builtAt) && consoleSources().every((source) => changedAt(join(root, source)) <= builtAt);
};

const buildConsole = async (): Promise<void> => {
  rmSync(consoleFolder, { recursive: true, force: true });
  const { metafile } = await build(options);
  writePages(metafile);
};

/** Builds the console unless the existing build is newer than all of its inputs. */
export const freshConsole = async (): Promise<void> => {
  mkdirSync(dist, { recursive: true });
  await withFileLock(join(dist, 'console.lock'), async () => {
    if (!isFresh()) await buildConsole();
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
  mkdirSync(consoleFolder, { recursive: true });
  const watching = await context({
    ...options,
    minify: false,
    sourcemap: 'inline',
    define: { ...options.define, 'process.env.NODE_ENV': '"development"', DEVELOPMENT: 'true' },
    plugins: [...options.plugins, afterBuild],
  });
  await watching.watch();
};
