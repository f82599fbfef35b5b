import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { root } from '#lib/bundling/paths.ts';

/** What a build of the functions reads. */
const SOURCES = ['console', 'docs', 'functions', 'lib', 'local', 'shared', 'site'];
const SETTINGS = ['package.json', 'package-lock.json', 'tsconfig.json'];

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** Parts of a build run concurrently, mostly in the same order in the processes of a machine. */
const CONSOLE_BUILDS = 8;

const copyOfSources = (prefix: string): string => {
  const folder = mkdtempSync(join(tmpdir(), prefix));
  folders.push(folder);
  for (const name of [...SOURCES, ...SETTINGS]) cpSync(join(root, name), join(folder, name), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'dir');
  return folder;
};

/** Calls a function of a module of the copy in a process of its own. */
const callIn = (folder: string, file: string, name: string): void => {
  const url = pathToFileURL(join(folder, file)).href;
  const program = `await (await import(${JSON.stringify(url)})).${name}();`;
  execFileSync(process.execPath, ['--input-type=module', '-e', program], { cwd: folder });
};

/** The digests of the files in a folder by their paths. */
const digestsOf = (folder: string): Record<string, string> =>
  Object.fromEntries(
    globSync('**/*', { cwd: folder })
      .filter((file) => statSync(join(folder, file)).isFile())
      .sort()
      .map((file) => [
        file,
        createHash('sha256')
          .update(readFileSync(join(folder, file)))
          .digest('hex'),
      ]),
  );

it('the same sources have the same assets in every folder, in names and bytes', () => {
  const assetsIn = (folder: string) => {
    callIn(folder, 'lib/bundle.ts', 'bundle');
    return digestsOf(join(folder, 'dist/functions'));
  };
  const assets = assetsIn(copyOfSources('assets-'));
  expect(Object.keys(assets)).toContainEqual(expect.stringMatching(/console\/main-\w+\.js$/));
  expect(Object.keys(assets)).toContainEqual(expect.stringMatching(/site\/.+-\w+\.css$/));
  expect(assetsIn(copyOfSources('assets-of-another-folder-'))).toEqual(assets);
});

it('the console has the same files whenever it is built', () => {
  const folder = copyOfSources('console-');
  const builds = Array.from({ length: CONSOLE_BUILDS }, () => {
    rmSync(join(folder, 'dist'), { recursive: true, force: true });
    callIn(folder, 'lib/console.ts', 'freshConsole');
    return digestsOf(join(folder, 'dist/console'));
  });
  for (const build of builds) expect(build).toEqual(builds[0]);
});

it('the console is built again when its folder was deleted', () => {
  const folder = copyOfSources('console-deleted-');
  callIn(folder, 'lib/console.ts', 'freshConsole');
  const built = digestsOf(join(folder, 'dist/console'));
  rmSync(join(folder, 'dist/console'), { recursive: true });
  callIn(folder, 'lib/console.ts', 'freshConsole');
  expect(digestsOf(join(folder, 'dist/console'))).toEqual(built);
});
