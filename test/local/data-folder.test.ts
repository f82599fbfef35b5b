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
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDataFolder } from '#local/data-folder.ts';
import { createIssuer } from '#local/issuer.ts';
import { openSecretFile } from '#local/secret-file.ts';
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

describe.runIf(process.getuid?.() === 0)('another user of this machine', () => {
  let folder: string;

  beforeEach(() => {
    // Not in the folder of the run, which is closed to other users.
    folder = mkdtempSync(path.join(tmpdir(), 'directory-data-'));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  const write = (name: string, mode: number): void => {
    writeFileSync(path.join(folder, name), name === 'format.json' ? '{"format":2}' : '');
    chmodSync(path.join(folder, name), mode);
  };

  /** Opens the folder as that user. */
  const open = (file = folder) => {
    const program = `const { openDataFolder } = await import(process.argv[1]);
      process.setuid(65534);
      try {
        (await openDataFolder(process.argv[2])).release();
        console.log('opened');
      } catch (error) {
        console.log(error.name, error.message);
      }`;
    const module = path.resolve(import.meta.dirname, '../../local/data-folder.ts');
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program, module, file], {
      encoding: 'utf8',
    });
    return { stdout, stderr };
  };

  it('opens the folder, with a warning about files that others can read', () => {
    chmodSync(folder, 0o777);
    write('lock', 0o666);
    write('format.json', 0o644);
    const { stdout, stderr } = open();
    expect(stderr).not.toContain('Error');
    expect(stdout).toContain('opened');
    const warning = (stdout + stderr).split('\n').find((line) => line.includes('whose mode cannot be changed'));
    expect(JSON.parse(warning ?? '{}')).toMatchObject({ level: 'WARN', folder, files: ['format.json', 'lock'] });
  });

  it.each([
    ['EACCES: permission denied, open .*format.json.', 0o777, { lock: 0o666, 'format.json': 0o600 }],
    ['unable to open database file', 0o777, { lock: 0o600, 'format.json': 0o644 }],
    ['EACCES: permission denied, access .*lock.', 0o777, { lock: 0o644, 'format.json': 0o644 }],
    ['unable to open database file', 0o755, {}],
    ['EACCES: permission denied, lstat .*', 0o700, { lock: 0o666, 'format.json': 0o644 }],
  ])('gets a sentence that says what to do: %s', (reason, mode, files) => {
    for (const [name, fileMode] of Object.entries(files)) write(name, fileMode);
    chmodSync(folder, mode);
    expect(open().stdout).toMatch(
      new RegExp(
        `^StartupError The data folder ${folder} cannot be used: ${reason}\\. Make it writable for this user, or set DATA_DIR ` +
          'to another folder\\.\n$',
      ),
    );
  });

  it('cannot make a folder in it', () => {
    chmodSync(folder, 0o755);
    const inner = path.join(folder, 'data');
    expect(open(inner).stdout).toContain(`The data folder ${inner} cannot be used: EACCES: permission denied, mkdir`);
  });
});

it('a file in place of the folder is refused with a sentence', async () => {
  const file = path.join(temporaryDataDir(), 'file');
  writeFileSync(file, '');
  await expect(openDataFolder(file)).rejects.toThrow(`The data folder ${file} cannot be used: EEXIST`);
  await expect(openDataFolder(path.join(file, 'inner'))).rejects.toThrow(/cannot be used: ENOTDIR.* Set DATA_DIR to/);
});

it('a key that cannot be read is not called damaged', async () => {
  const folder = temporaryDataDir();
  expect(() => openSecretFile(folder, 'all is lost')).toThrow('EISDIR');
  await expect(createIssuer(folder, 'http://localhost:3000')).rejects.toThrow('EISDIR');
});
