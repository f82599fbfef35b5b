import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The variable with the folder that the processes of a test run share. */
const RUN_FOLDER = 'TEST_RUN_FOLDER';

/** Called by Vitest once, before the processes of the tests start. @returns what it calls after the last test. */
export const setup = (): (() => void) => {
  const folder = mkdtempSync(join(tmpdir(), 'directory-run-'));
  process.env[RUN_FOLDER] = folder;
  return () => rmSync(folder, { recursive: true, force: true });
};

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
