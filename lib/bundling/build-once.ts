import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type BuildOptions, build as bundle, type Metafile } from 'esbuild';
import { withLock } from '#lib/file-lock.ts';
import { dist, root } from './paths.ts';

/** Files in `dist/` that are built from others. */
export interface Build {
  /** The word after "the" in messages, and the name of the lock. */
  readonly name: string;
  /** The file that lists what was built. It exists while the other files are complete. */
  readonly manifest: string;
  /** The files, relative to the repository, that must exist and be older than the manifest, given its content. */
  readonly inputs: (manifest: string) => readonly string[];
  /** @returns the content of the manifest. */
  readonly build: () => Promise<string>;
}

const changedAt = (file: string): number | undefined => statSync(file, { throwIfNoEntry: false })?.mtimeMs;

/** The content of the manifest; undefined unless the build is fresh. */
const findFresh = ({ manifest, inputs }: Build): string | undefined => {
  const builtAt = changedAt(manifest);
  if (builtAt === undefined) return undefined;
  const content = readFileSync(manifest, 'utf8');
  const isOlder = (input: string) => (changedAt(resolve(root, input)) ?? Number.POSITIVE_INFINITY) <= builtAt;
  return inputs(content).every(isOlder) ? content : undefined;
};

/** Processes that need the same build at the same time, such as test files and a synthesis, wait for the first of them. */
const locked = (build: Build, operation: () => Promise<string>): Promise<string> => {
  mkdirSync(dist, { recursive: true });
  const lock = join(dist, `${build.name}.lock.sqlite`);
  return withLock(lock, operation, () => process.stderr.write(`Waiting for another build of the ${build.name}.\n`));
};

const write = async ({ manifest, build }: Build): Promise<string> => {
  // First, so that an interrupted build is not fresh.
  rmSync(manifest, { force: true });
  const content = await build();
  writeFileSync(`${manifest}.new`, content);
  renameSync(`${manifest}.new`, manifest);
  return content;
};

/** Builds, also when the existing build is fresh. @returns the content of the manifest. */
export const buildAgain = (build: Build): Promise<string> => locked(build, () => write(build));

/**
 * Builds unless the existing build is fresh. For a fresh one nothing is written: its folder may be another user's.
 * @returns the content of the manifest.
 */
export const buildOnce = async (build: Build): Promise<string> =>
  findFresh(build) ??
  // Another process may have built it meanwhile.
  (await locked(build, async () => findFresh(build) ?? (await write(build))));

/**
 * Bundles with esbuild and writes the files.
 * @throws the error of the file system for a full disk, for example, of which esbuild would print one per file.
 */
export const bundleFiles = async (options: BuildOptions & { readonly metafile: true }): Promise<Metafile> => {
  const { metafile, outputFiles } = await bundle({ ...options, write: false });
  for (const { path, contents } of outputFiles) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, contents);
  }
  return metafile;
};
