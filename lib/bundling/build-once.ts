import { existsSync, mkdirSync, renameSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { withLock } from '#lib/file-lock.ts';
import { dist, root } from './paths.ts';

/** Files in `dist/` that are built from others. */
export interface Build {
  /** The word after "the" in messages, and the name of the lock. */
  readonly name: string;
  /** The file that lists what was built. It exists while the other files are complete. */
  readonly manifest: string;
  /** The files, relative to the repository, that must exist and be older than the manifest. */
  readonly inputs: () => readonly string[];
  /** @returns the content of the manifest. */
  readonly build: () => Promise<string>;
}

const changedAt = (file: string): number | undefined => statSync(file, { throwIfNoEntry: false })?.mtimeMs;

const isFresh = ({ manifest, inputs }: Build): boolean => {
  const builtAt = changedAt(manifest);
  if (builtAt === undefined) return false;
  return inputs().every((input) => (changedAt(resolve(root, input)) ?? Number.POSITIVE_INFINITY) <= builtAt);
};

/** Processes that need the same build at the same time, such as test files and a synthesis, wait for the first of them. */
const locked = (build: Build, operation: () => Promise<void>): Promise<void> => {
  mkdirSync(dist, { recursive: true });
  const lock = join(dist, `${build.name}.lock.sqlite`);
  return withLock(lock, operation, () =>
    process.stderr.write(`Waiting for another process that builds the ${build.name}.\n`),
  );
};

const write = async ({ manifest, build }: Build): Promise<void> => {
  // First, so that an interrupted build is not fresh.
  if (existsSync(manifest)) unlinkSync(manifest);
  const content = await build();
  writeFileSync(`${manifest}.new`, content);
  renameSync(`${manifest}.new`, manifest);
};

/** Builds, also when the existing build is fresh. */
export const buildAgain = (build: Build): Promise<void> => locked(build, () => write(build));

/** Builds unless the existing build is fresh. For a fresh one nothing is written: its folder may be another user's. */
export const buildOnce = async (build: Build): Promise<void> => {
  if (isFresh(build)) return;
  await locked(build, async () => {
    // Another process may have built it meanwhile.
    if (!isFresh(build)) await write(build);
  });
};
