/** The service cannot start. The message is a complete sentence and is printed without a stack. */
export class StartupError extends Error {
  override readonly name = 'StartupError';
}

/** The code of an error of the system, of Node or of SQLite, such as `ENOENT`; undefined for others. */
export const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined);

/** SQLite's codes and those of the file system for a disk that is full or read-only. */
const SQLITE_FULL = 13;
const SQLITE_READONLY = 8;

/** The error that ends a start: faults of the data folder become a sentence, others stay as they are. */
export const startupErrorOf = (error: unknown, folder: string): unknown => {
  if (!(error instanceof Error) || error instanceof StartupError) return error;
  const sqlite = 'errcode' in error ? Number(error.errcode) & 0xff : undefined;
  const system = codeOf(error);
  const isFull = sqlite === SQLITE_FULL || system === 'ENOSPC' || system === 'EDQUOT';
  if (!isFull && sqlite !== SQLITE_READONLY && system !== 'EROFS') return error;
  const advice = isFull ? 'Free disk space' : 'Make it writable';
  return new StartupError(
    `The data folder ${folder} cannot be written: ${error.message}. ${advice}, or set DATA_DIR to another folder.`,
    { cause: error },
  );
};
