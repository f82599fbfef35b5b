import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { StartupError } from './startup-error.ts';

const KEY_BYTES = 32;

/**
 * The random key of 32 bytes in a file of the data folder; the first start creates it.
 * @param loss what a new key would invalidate, for the message about a damaged file.
 * @throws {StartupError} when the file is damaged; an error of the file system when it cannot be read.
 */
export const openSecretFile = (file: string, loss: string): Buffer => {
  if (!existsSync(file)) {
    // Written under another name first, so that a crash leaves no partial key.
    const created = JSON.stringify({ key: randomBytes(KEY_BYTES).toString('base64') });
    writeFileSync(`${file}.new`, created, { mode: 0o600 });
    renameSync(`${file}.new`, file);
  }
  const content = readFileSync(file, 'utf8');
  try {
    const { key } = JSON.parse(content) as { key?: unknown };
    const bytes = Buffer.from(typeof key === 'string' ? key : '', 'base64');
    if (bytes.length !== KEY_BYTES) throw new Error('it holds no key of 32 bytes');
    return bytes;
  } catch (cause) {
    throw new StartupError(
      `The file ${file} is damaged: ${(cause as Error).message}. Restore it from a backup, or delete it and start again: the ` +
        `next start creates a new key, and ${loss}.`,
      { cause },
    );
  }
};
