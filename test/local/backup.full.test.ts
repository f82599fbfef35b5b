import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { extract } from 'tar';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { ImportUpload } from '#contract/imports.ts';
import { type Client, clientOf } from '#test/support/client.ts';
import { runCommand } from '#test/support/command.ts';
import { Directory, dataOf, person } from '#test/support/fixtures.ts';
import { IMPORTS, sendUpload } from '#test/support/imports.ts';
import { type ServerProcess, startProcess } from '#test/support/process.ts';
import { temporaryDataDir } from '#test/support/server.ts';
import { until } from '#test/support/until.ts';

/** Backups of one machine: `npm run backup -- <file>`. */

let folder: string;
let dataDir: string;
let file: string;
let started: ServerProcess[];

beforeEach(() => {
  folder = temporaryDataDir();
  dataDir = path.join(folder, 'data');
  mkdirSync(dataDir);
  file = path.join(folder, 'backup.tar.gz');
  started = [];
});

afterEach(async () => {
  for (const server of started) await server.end('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

const start = async (data: string): Promise<Client> => {
  const server = startProcess(data, { SAMPLE_DATA: 'off' });
  started.push(server);
  return clientOf(await server.url());
};

const stop = async (): Promise<void> => {
  for (const server of started.splice(0)) await server.end('SIGTERM');
};

const runBackup = (target = file, env: Record<string, string> = {}) =>
  runCommand('scripts/backup.ts', [target], { DATA_DIR: dataDir, ...env });

/** Extracts the backup into a new folder. */
const restore = async (): Promise<string> => {
  const restored = path.join(folder, 'restored');
  mkdirSync(restored);
  await extract({ file, cwd: restored, strict: true });
  return restored;
};

it('a backup while the service is writing has everything up to a moment, and a server starts with it', async () => {
  const client = await start(dataDir);
  const directory = await Directory.create(client);
  const owner = await person(client);
  const upload = Buffer.from('name,url\nLamp,https://lamp.example\n');
  const announced = await directory.adminOk('POST', IMPORTS, { filename: 'some.csv', bytes: upload.length }, 201);
  const { id: importId, upload: request } = dataOf<ImportUpload>(announced);
  expect(await sendUpload(request, request.headers, upload)).toMatchObject({ status: 200 });

  const submitted: string[] = [];
  let isWriting = true;
  const write = async (): Promise<void> => {
    while (isWriting) submitted.push((await directory.submit(owner)).id);
  };
  const writing = Promise.all([write(), write(), write()]);
  await until(() => submitted.length > 30);
  const before = [...submitted];
  const outcome = await runBackup();
  isWriting = false;
  await writing;
  expect(outcome).toMatchObject({ code: 0, errors: '' });
  expect(outcome.output).toMatch(new RegExp(`^${file} has the data of ${dataDir}: [\\d.]+ [KM]B\\.\\n$`));
  expect(readdirSync(folder).sort()).toEqual(['backup.tar.gz', 'data']);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  client.close();
  await stop();

  const restored = await restore();
  expect(readdirSync(restored).sort()).toEqual([
    'format.json',
    'issuer-key.json',
    'journal.sqlite',
    'secrets-key.json',
    'table.sqlite',
    'unsubscribe-key.json',
    'uploads',
  ]);
  for (const key of ['issuer-key.json', 'secrets-key.json', 'unsubscribe-key.json'])
    expect(readFileSync(path.join(restored, key))).toEqual(readFileSync(path.join(dataDir, key)));

  const again = await start(restored);
  const { email, name } = owner;
  const token = await again.token({ email, name });
  const admin = await again.token({ email: directory.admin.email, name: directory.admin.name, admin: true });
  const stored = await Promise.all(
    submitted.map(async (id) => {
      const { status } = await again.call('GET', `/api/projects/${id}`, { token });
      return status === 200 ? [id] : [];
    }),
  );
  const ids = stored.flat();
  expect(before.filter((id) => !ids.includes(id))).toEqual([]);
  expect(ids.length).toBeLessThan(submitted.length);
  // The event of each is published, before or after the backup.
  await again.until(async () => {
    const { body } = await again.call('GET', '/_local/events?limit=1000');
    const published = dataOf<{ kind: string; detail: unknown }[]>({ body }).filter(
      ({ kind }) => kind === 'projectSubmitted',
    );
    const text = JSON.stringify(published);
    return ids.every((id) => text.includes(id));
  });
  expect(await again.call('GET', `${IMPORTS}/${importId}/preview`, { token: admin })).toMatchObject({ status: 200 });
  again.close();
}, 180_000);

it('a backup of a stopped service, and one of a killed service, have all of its data', async () => {
  const client = await start(dataDir);
  const directory = await Directory.create(client);
  const owner = await person(client);
  const { id } = await directory.submit(owner);
  client.close();
  await stop();
  expect(await runBackup(path.join(folder, 'stopped.tar.gz'))).toMatchObject({ code: 0 });

  const second = await start(dataDir);
  const token = await second.token({ email: owner.email, name: owner.name });
  await second.call('PUT', `/api/projects/${id}`, { token, body: { name: 'Before the end' } });
  second.close();
  for (const server of started.splice(0)) await server.end('SIGKILL');
  expect(await runBackup()).toMatchObject({ code: 0 });

  const again = await start(await restore());
  const sameToken = await again.token({ email: owner.email, name: owner.name });
  expect(await again.call('GET', `/api/projects/${id}`, { token: sameToken })).toMatchObject({
    body: { data: { name: 'Before the end' } },
  });
  again.close();
}, 120_000);

it('a backup that cannot be made says why, and leaves no file', async () => {
  const refused = async (target: string, sentence: string | RegExp, env = {}): Promise<void> => {
    const before = readdirSync(folder);
    const { code, output, errors } = await runBackup(target, env);
    expect({ code, output }).toEqual({ code: 1, output: '' });
    expect(errors.trim()).toMatch(sentence);
    expect(errors).not.toMatch(/\n {4}at /);
    expect(readdirSync(folder)).toEqual(before);
  };
  await refused(file, `There is no table.sqlite in ${dataDir}. Set DATA_DIR to the folder with the data.`);
  await refused(path.join(folder, 'none', 'x.tar.gz'), `There is no folder ${path.join(folder, 'none')}.`);
  symlinkSync(dataDir, path.join(folder, 'link'));
  for (const inside of [dataDir, path.join(folder, 'link')])
    for (const name of ['x.tar.gz', '..x.tar.gz']) await refused(path.join(inside, name), 'is in the data folder');
  await refused(file, 'DYNAMODB_ENDPOINT is set: the listings are in that engine.', {
    DYNAMODB_ENDPOINT: 'http://127.0.0.1:8000',
  });
  writeFileSync(file, 'an earlier one');
  await refused(file, `${file} exists. Name a file that does not.`);
  rmSync(file);

  for (const name of ['table.sqlite', 'journal.sqlite']) {
    const database = new DatabaseSync(path.join(dataDir, name));
    database.exec('CREATE TABLE things (a); INSERT INTO things VALUES (zeroblob(100000))');
    database.close();
  }
  writeFileSync(path.join(dataDir, 'journal.sqlite'), 'no database'.repeat(1000));
  await refused(file, 'The backup failed, and there is no file: file is not a database.');
});

it('the command explains itself for arguments that it does not know', async () => {
  for (const [args, first] of [
    [['--foo', 'x'], "Unknown option '--foo'"],
    [[], 'npm run backup -- <file>'],
    [['a', 'b'], 'npm run backup -- <file>'],
    [[''], 'npm run backup -- <file>'],
  ] as const) {
    const { code, output, errors } = await runCommand('scripts/backup.ts', args);
    expect({ code, output }).toEqual({ code: 1, output: '' });
    expect(errors.startsWith(first)).toBe(true);
    expect(errors).toContain('npm run backup -- <file>');
    expect(errors).not.toMatch(/\n {4}at /);
  }
});
