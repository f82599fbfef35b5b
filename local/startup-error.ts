/** The service cannot start. The message is a complete sentence and is printed without a stack. */
export class StartupError extends Error {
  override readonly name = 'StartupError';
}

/** The code of an error of the system, of Node or of SQLite, such as `ENOENT`; undefined for others. */
export const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined);

/** SQLite's codes for a file that is read-only, an error of the disk, a full disk, and a file that cannot be opened. */
const SQLITE_READONLY = 8;
const SQLITE_IOERR = 10;
const SQLITE_FULL = 13;
const SQLITE_CANTOPEN = 14;

const sqliteCodeOf = (error: Error): number | undefined =>
  'errcode' in error ? Number(error.errcode) & 0xff : undefined;

/** Whether a message of the database engine or of esbuild, which have no codes, is about a full disk. */
export const isAboutFullDisk = (message: string): boolean => /disk is full|no space left on device/i.test(message);

/** SQLite has an error of the disk, without details, where it cannot enlarge what it shares between processes. */
const isFull = (error: Error): boolean =>
  [SQLITE_FULL, SQLITE_IOERR].includes(sqliteCodeOf(error) ?? 0) ||
  ['ENOSPC', 'EDQUOT'].includes(String(codeOf(error))) ||
  isAboutFullDisk(error.message);

/** The error that ends a start: faults of the data folder become a sentence, others stay as they are. */
export const startupErrorOf = (error: unknown, folder: string): unknown => {
  if (!(error instanceof Error) || error instanceof StartupError) return error;
  const isReadOnly = sqliteCodeOf(error) === SQLITE_READONLY || codeOf(error) === 'EROFS';
  if (!isFull(error) && !isReadOnly) return error;
  const advice = isFull(error) ? 'Free disk space' : 'Make it writable';
  return new StartupError(
    `The data folder ${folder} cannot be written: ${error.message}. ${advice}, or set DATA_DIR to another folder.`,
    { cause: error },
  );
};

/** The same for an error of a build in the folder `dist`. Those of the sources stay as they are. */
export const buildErrorOf = (error: unknown, dist: string): unknown => {
  if (!(error instanceof Error)) return error;
  const isForbidden =
    [SQLITE_READONLY, SQLITE_CANTOPEN].includes(sqliteCodeOf(error) ?? 0) ||
    ['EACCES', 'EPERM', 'EROFS'].includes(String(codeOf(error)));
  if (!isFull(error) && !isForbidden) return error;
  const advice = isFull(error)
    ? 'Free disk space, and start again.'
    : 'Run `npm run bundle` as the user who owns that folder, and start again; starts write there only after a change of the program.';
  return new StartupError(`Console and pages cannot be built in ${dist}: ${error.message}. ${advice}`, {
    cause: error,
  });
};
