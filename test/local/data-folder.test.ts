import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { openDataFolder } from '#local/data-folder.ts';
import { startLocalServer } from '#local/server.ts';
import { temporaryDataDir } from '#test/support/server.ts';

/** The data folder beside what other programs and users have in it. */

const modeOf = (...parts: string[]): number => lstatSync(path.join(...parts)).mode & 0o777;

/** All entries at any depth with their modes and the contents of files. */
const contentsOf = (folder: string): readonly unknown[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .map((entry) => path.join(entry.parentPath, entry.name))
    .sort()
    .map((file) => [file, modeOf(file), lstatSync(file).isFile() ? readFileSync(file, 'utf8') : '']);

/** Entries such as those of a web root, none of them of this service. */
const addForeign = (folder: string): void => {
  mkdirSync(path.join(folder, 'www', 'images'), { recursive: true });
  for (const name of [
    'www/index.html',
    'www/images/a.png',
    '.htaccess',
    'lock.txt',
    'table.sqlite.bak',
    'other.sqlite',
  ]) {
    writeFileSync(path.join(folder, name), name);
    chmodSync(path.join(folder, name), 0o664);
  }
  for (const name of ['www', 'www/images']) chmodSync(path.join(folder, name), 0o775);
};

it('a start changes the modes of what this service wrote, and of nothing else', async () => {
  const folder = temporaryDataDir();
  addForeign(folder);
  chmodSync(folder, 0o755);
  const foreign = contentsOf(folder);
  const foreignNames = readdirSync(folder);

  const server = await startLocalServer({ port: 0, dataDir: folder, env: { LOG_LEVEL: 'CRITICAL' } });
  const own = readdirSync(folder).filter((name) => !foreignNames.includes(name));
  expect(own.filter((name) => modeOf(folder, name) & 0o077)).toEqual([]);
  await server.stop();
  expect(own.length).toBeGreaterThan(8);

  // As after a copy of the running service without modes, with the uploads on another volume.
  const kept = readdirSync(folder);
  for (const name of own.filter((one) => !kept.includes(one))) writeFileSync(path.join(folder, name), '');
  for (const name of own) chmodSync(path.join(folder, name), modeOf(folder, name) | 0o055);
  const volume = temporaryDataDir();
  rmSync(path.join(folder, 'uploads'), { recursive: true });
  symlinkSync(volume, path.join(folder, 'uploads'));
  chmodSync(volume, 0o755);

  const opened = await openDataFolder(folder);
  expect(own.filter((name) => name !== 'uploads' && modeOf(folder, name) !== 0o600)).toEqual([]);
  opened.release();
  expect(modeOf(volume)).toBe(0o755);
  expect(modeOf(folder)).toBe(0o755);
  expect(contentsOf(folder).filter((entry) => foreign.some((before) => String(before) === String(entry)))).toEqual(
    foreign,
  );
});

it('a folder that does not exist is created for its owner only', async () => {
  const folder = path.join(temporaryDataDir(), 'a', 'data');
  const opened = await openDataFolder(folder);
  opened.release();
  expect(modeOf(folder)).toBe(0o700);
});

it.each(['uploads', 'lock', 'owner.json', 'table.sqlite', 'table.sqlite-wal', 'journal.sqlite', 'issuer-key.json'])(
  'a folder in which another program has %s is refused and left alone',
  async (name) => {
    const folder = temporaryDataDir();
    addForeign(folder);
    if (name === 'uploads') mkdirSync(path.join(folder, name));
    else writeFileSync(path.join(folder, name), 'of another program');
    chmodSync(path.join(folder, name), name === 'uploads' ? 0o775 : 0o664);
    chmodSync(folder, 0o775);
    const before = contentsOf(folder);
    await expect(openDataFolder(folder)).rejects.toThrow(
      `The folder ${folder} holds ${name}, but no format.json or secrets-key.json of this service. If it is another program's, ` +
        'set DATA_DIR to an empty folder or to one that does not exist.',
    );
    expect(contentsOf(folder)).toEqual(before);
    expect(modeOf(folder)).toBe(0o775);
  },
);

it('a folder with the format.json of another program is refused, and no file changes', async () => {
  const folder = temporaryDataDir();
  writeFileSync(path.join(folder, 'format.json'), '{"tabWidth":2}');
  chmodSync(path.join(folder, 'format.json'), 0o664);
  const before = contentsOf(folder);
  await expect(openDataFolder(folder)).rejects.toThrow("if it is another program's, set DATA_DIR to another folder");
  expect(contentsOf(folder)).toEqual(expect.arrayContaining([...before]));
});

it('a first start that ended early can be repeated', async () => {
  const folder = temporaryDataDir();
  writeFileSync(path.join(folder, 'lock'), '');
  writeFileSync(path.join(folder, 'lock-journal'), Buffer.alloc(512));
  (await openDataFolder(folder)).release();
  rmSync(path.join(folder, 'format.json'));
  writeFileSync(path.join(folder, 'secrets-key.json'), '{}');
  (await openDataFolder(folder)).release();
  expect(readdirSync(folder).sort()).toEqual(['format.json', 'lock', 'secrets-key.json']);
});

/** Opens the folder as another user of this machine. */
const OPEN = `const { openDataFolder } = await import(process.argv[1]);
process.seteuid(65534);
(await openDataFolder(process.argv[2])).release();
console.log('opened');`;

it.runIf(process.getuid?.() === 0)(
  'a folder of another user is opened, with a warning about files that others can read',
  () => {
    // Not in the folder of the run, which is closed to other users.
    const folder = mkdtempSync(path.join(tmpdir(), 'directory-data-'));
    try {
      chmodSync(folder, 0o777);
      writeFileSync(path.join(folder, 'lock'), '');
      writeFileSync(path.join(folder, 'format.json'), '{"format":2}');
      chmodSync(path.join(folder, 'lock'), 0o666);
      chmodSync(path.join(folder, 'format.json'), 0o644);
      const module = path.resolve(import.meta.dirname, '../../local/data-folder.ts');
      const { stdout, stderr, status } = spawnSync(
        process.execPath,
        ['--input-type=module', '-e', OPEN, module, folder],
        { encoding: 'utf8' },
      );
      expect([status, stderr.includes('Error')]).toEqual([0, false]);
      expect(stdout).toContain('opened');
      const warning = (stdout + stderr).split('\n').find((line) => line.includes('whose mode cannot be changed'));
      expect(JSON.parse(warning ?? '{}')).toMatchObject({ level: 'WARN', folder, files: ['format.json', 'lock'] });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
);
