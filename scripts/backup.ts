import {
  createWriteStream,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { create } from 'tar';
import { copyDataFolder } from '#local/backup.ts';
import { dataDirOf, setVariables } from '#local/environment.ts';
import { folderOf, readEnvFile } from '#local/given-settings.ts';
import { codeOf, StartupError } from '#local/startup-error.ts';
import { argumentsOf, fail } from './on-table.ts';

const HELP = `npm run backup -- <file>

Writes the data of a single machine to one file, a compressed tar archive, while the service is running or stopped: listings,
users, inbox, events, keys and uploaded files as they are at one moment. The file must not exist. Keep it as you keep the data:
its owner only can read it, and it has the keys.

Uses the data folder of the service (DATA_DIR, default .data); run it as the user of the service. While it runs it needs free
space for a copy of the data and for the archive beside the file. A backup that is killed leaves them in a folder
<file>.part-…, which you can delete.

To restore, extract the archive into a new folder and start with it:
  mkdir -m 700 <folder> && tar -xzf <file> -C <folder> && npm start -- --data <folder>

  --help    print this text`;

const sizeOf = (bytes: number): string =>
  bytes < 1e6 ? `${Math.ceil(bytes / 1000)} KB` : `${(bytes / 1e6).toFixed(1)} MB`;

/** Shows the progress in a terminal, in one line. */
const show = (text: string): void => {
  if (process.stdout.isTTY) process.stdout.write(`\r\u001B[K${text}`);
};

/** @throws {StartupError} when the file cannot be a backup of the folder. */
const checkTarget = (file: string, folder: string): void => {
  if (existsSync(file)) throw new StartupError(`${file} exists. Name a file that does not.`);
  const parent = path.dirname(file);
  if (!statSync(parent, { throwIfNoEntry: false })?.isDirectory()) {
    throw new StartupError(`There is no folder ${parent}. Create it, or name a file in another one.`);
  }
  const way = existsSync(folder) ? path.relative(realpathSync(folder), realpathSync(parent)) : '..';
  if (!path.isAbsolute(way) && way.split(path.sep)[0] !== '..') {
    throw new StartupError(`${file} is in the data folder ${folder}. Name a file outside of it.`);
  }
};

/** Gives the finished archive its name, which another backup may have taken meanwhile. */
const publish = (archive: string, file: string): void => {
  try {
    linkSync(archive, file);
  } catch (error) {
    if (codeOf(error) === 'EEXIST') throw new StartupError(`${file} exists. Name a file that does not.`);
    // A file system without links.
    renameSync(archive, file);
  }
};

const writeBackup = async (folder: string, file: string): Promise<void> => {
  checkTarget(file, folder);
  const working = mkdtempSync(`${file}.part-`);
  // Also when a signal ends the command.
  process.once('exit', () => rmSync(working, { recursive: true, force: true }));
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)
    process.once(signal, () => process.exit(code));
  const data = path.join(working, 'data');
  mkdirSync(data, { mode: 0o700 });
  await copyDataFolder(folder, data, (share) => show(`Copying the data: ${Math.floor(share * 100)} %`));
  show('Compressing the copy');
  const archive = path.join(working, 'archive');
  await pipeline(
    create({ cwd: data, gzip: true, portable: true }, readdirSync(data)),
    createWriteStream(archive, { mode: 0o600, flush: true }),
  );
  publish(archive, file);
  show('');
  console.log(`${file} has the data of ${folder}: ${sizeOf(statSync(file).size)}.`);
};

/** The sentence for a failure of the file system or of SQLite; undefined for others. */
const sentenceOf = (error: unknown): string | undefined => {
  if (error instanceof StartupError) return error.message;
  const code = codeOf(error);
  if (code === undefined) return undefined;
  const advice = code === 'EACCES' ? ' Run the command as the user of the service.' : '';
  return `The backup failed, and there is no file: ${(error as Error).message}.${advice}`;
};

const given = argumentsOf(HELP, {});
const [file, ...others] = given?.positionals ?? [];

if (given && (!file || others.length > 0)) fail(HELP);
else if (file) {
  try {
    setVariables(readEnvFile(process.env)?.variables ?? {});
    if (process.env.DYNAMODB_ENDPOINT) {
      throw new StartupError(
        'DYNAMODB_ENDPOINT is set: the listings are in that engine. Back them up with its own tools.',
      );
    }
    await writeBackup(dataDirOf(process.env), path.resolve(folderOf(process.env), file));
  } catch (error) {
    const sentence = sentenceOf(error);
    if (sentence === undefined) throw error;
    fail(sentence);
  }
}
