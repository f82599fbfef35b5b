/** The service cannot start. The message is a complete sentence and is printed without a stack. */
export class StartupError extends Error {
  override readonly name = 'StartupError';
}

/** The code of an error of the system, of Node or of SQLite, such as `ENOENT`; undefined for others. */
export const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined);

/** SQLite's code for a disk without space for the memory that the connections of a database share. */
const SQLITE_IOERR_SHMSIZE = 4874;

/** What SQLite says, in this process or in the database engine, which reports no codes. */
const FULL = /disk is full/i;
const FORBIDDEN = /unable to open database file|readonly database/i;

/** Whether a message of the database engine is about its folder. */
export const isAboutFolder = (message: string): boolean => FULL.test(message) || FORBIDDEN.test(message);

const isFull = (error: Error): boolean =>
  FULL.test(error.message) ||
  ['ENOSPC', 'EDQUOT'].includes(String(codeOf(error))) ||
  ('errcode' in error && error.errcode === SQLITE_IOERR_SHMSIZE);

/** Signals and addresses to listen on can be forbidden too; those errors have no path. */
const isForbidden = (error: Error): boolean =>
  FORBIDDEN.test(error.message) || ('path' in error && ['EACCES', 'EPERM', 'EROFS'].includes(String(codeOf(error))));

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
