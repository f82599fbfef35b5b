/** The service cannot start. The message is a complete sentence and is printed without a stack. */
export class StartupError extends Error {
  override readonly name = 'StartupError';
}

/** The code of an error of the system, of Node or of SQLite, such as `ENOENT`; undefined for others. */
export const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined);

/** SQLite's codes for files that are read-only or cannot be opened, and for a disk that is full. */
const SQLITE_READONLY = 8;
const SQLITE_FULL = 13;
const SQLITE_CANTOPEN = 14;
/** A disk without space for the memory that the connections of a database share. */
const SQLITE_IOERR_SHMSIZE = 4874;

/** The database engine has no codes. */
const isEngineFull = (message: string): boolean => /disk is full/i.test(message);
const isEngineForbidden = (message: string): boolean => /unable to open database file|readonly database/i.test(message);

/** Whether the engine could not start because of the data folder. */
export const isAboutFolder = (message: string): boolean => isEngineFull(message) || isEngineForbidden(message);

const isFull = (error: Error): boolean =>
  ('errcode' in error && [SQLITE_FULL, SQLITE_IOERR_SHMSIZE].includes(Number(error.errcode))) ||
  ['ENOSPC', 'EDQUOT'].includes(String(codeOf(error))) ||
  isEngineFull(error.message);

/** Addresses to listen on can be forbidden too. */
const isForbidden = (error: Error): boolean =>
  ('errcode' in error && [SQLITE_READONLY, SQLITE_CANTOPEN].includes(Number(error.errcode) & 0xff)) ||
  (['EACCES', 'EPERM', 'EROFS'].includes(String(codeOf(error))) && !('address' in error)) ||
  isEngineForbidden(error.message);

/** The error that ends a start: faults of the data folder become a sentence, others stay as they are. */
export const startupErrorOf = (error: unknown, folder: string): unknown => {
  if (!(error instanceof Error) || error instanceof StartupError) return error;
  if (!isFull(error) && !isForbidden(error)) return error;
  const advice = isFull(error) ? 'Free disk space' : 'Make it writable for this user';
  return new StartupError(
    `The data folder ${folder} cannot be used: ${error.message}. ${advice}, or set DATA_DIR to another folder.`,
    { cause: error },
  );
};

/** The same for an error of a build in the folder `dist`. Those of the sources stay as they are. */
export const buildErrorOf = (error: unknown, dist: string): unknown => {
  if (!(error instanceof Error)) return error;
  if (!isFull(error) && !isForbidden(error)) return error;
  const advice = isFull(error)
    ? 'Free disk space, and start again.'
    : 'Run `npm run bundle` as the user who owns that folder, and start again; starts write there only after a change of the program.';
  return new StartupError(`Console and pages cannot be built in ${dist}: ${error.message}. ${advice}`, {
    cause: error,
  });
};
