import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The variable with the folder that the processes of a test run share. */
const RUN_FOLDER = 'TEST_RUN_FOLDER';

const PREFIX = 'directory-run-';

const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Signal 0 fails with ESRCH when the process does not exist, and with EPERM when it belongs to another user.
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
};

/** Removes the folders of runs that were killed. Their database engines end by themselves. */
const removeAbandoned = (): void => {
  for (const name of readdirSync(tmpdir())) {
    const pid = new RegExp(`^${PREFIX}(\\d+)-`).exec(name)?.[1];
    if (pid === undefined || isRunning(Number(pid))) continue;
    // A concurrent run may be removing the same folder.
    rmSync(join(tmpdir(), name), { recursive: true, force: true, maxRetries: 5 });
  }
};

/** Called by Vitest once, before the processes of the tests start. @returns what it calls after the last test. */
export const setup = (): (() => void) => {
  removeAbandoned();
  const folder = mkdtempSync(join(tmpdir(), `${PREFIX}${process.pid}-`));
  process.env[RUN_FOLDER] = folder;
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
};

/** The folder for the files of this test run; the folder for temporary files outside a run. */
export const runFolder = (): string => process.env[RUN_FOLDER] ?? tmpdir();

/**
 * A value that is expensive to create, once per test run: every test file has new instances of the project's modules.
 * @param key identifies the value.
 * @param create returns a value that survives JSON.
 */
export const oncePerRun = <T>(key: string, create: () => T): T => {
  const folder = process.env[RUN_FOLDER];
  if (folder === undefined) return create();
  const file = join(folder, `${createHash('sha256').update(key).digest('hex')}.json`);
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')) as T;
  const created = create();
  // Readers must not see a part of the file.
  writeFileSync(`${file}.${process.pid}`, JSON.stringify(created));
  renameSync(`${file}.${process.pid}`, file);
  return created;
};
