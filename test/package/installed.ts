import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

/** A project outside the repository that has installed the packed package, without a network. */
export interface Installed {
  /** The folder of the project. */
  readonly folder: string;
  /** The folder of the installed package. */
  readonly packageFolder: string;
  write(file: string, text: string): void;
  /** Runs a script of the project. @returns what it printed. @throws Error when it fails. */
  node(script: string, node?: string): string;
}

/** Packages that npm would install with it: its dependency, its peers, and the types that they need. */
const PACKAGES = ['zod', 'aws-cdk-lib', 'constructs', '@types/node', 'undici-types', '@aws-cdk'];

/** Builds and packs this repository with `npm run package`, and installs the package in a new folder. */
export const installPackage = (): Installed => {
  const folder = mkdtempSync(join(tmpdir(), 'installed-'));
  const modules = join(folder, 'node_modules');
  const packageFolder = join(modules, 'directory-listing-service');
  mkdirSync(packageFolder, { recursive: true });
  // On Windows npm is a script, which needs a shell.
  const shell = process.platform === 'win32';
  execFileSync('npm', ['run', 'package', '--', '--pack-destination', folder], { shell });
  const [filename = ''] = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
  execFileSync('tar', ['-xzf', filename, '-C', packageFolder, '--strip-components', '1'], { cwd: folder });
  for (const name of PACKAGES.filter((one) => existsSync(join('node_modules', one)))) {
    mkdirSync(join(modules, name, '..'), { recursive: true });
    symlinkSync(realpathSync(join('node_modules', name)), join(modules, name), 'junction');
  }
  writeFileSync(join(folder, 'package.json'), '{"name":"user","private":true,"type":"module"}');
  return {
    folder,
    packageFolder,
    write: (file, text) => writeFileSync(join(folder, file), text),
    node: (script, node = process.execPath) =>
      execFileSync(node, [script], { cwd: folder, encoding: 'utf8', env: { PATH: process.env.PATH } }),
  };
};

/** This Node and those on the path, from Node 20. */
export const nodes = (): readonly string[] => {
  const name = process.platform === 'win32' ? 'node.exe' : 'node';
  const found = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, name));
  const all = new Set([process.execPath, ...found.filter(existsSync)].map((file) => realpathSync(file)));
  return [...all].filter(
    (file) => Number(execFileSync(file, ['-p', 'process.versions.node'], { encoding: 'utf8' }).split('.')[0]) >= 20,
  );
};

/**
 * The compilers to check with: the one of this repository, and that of the folder in `OTHER_TYPESCRIPT`, for instance
 * an installed `typescript@5.9`.
 */
export const compilers = (): readonly string[] =>
  ['node_modules/typescript', process.env.OTHER_TYPESCRIPT ?? '']
    .filter((folder) => folder !== '')
    .map((folder) => realpathSync(join(folder, 'bin/tsc')));

/** All files of a folder, as relative paths. */
export const filesOf = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(folder.length + 1)
        .replaceAll('\\', '/'),
    );
