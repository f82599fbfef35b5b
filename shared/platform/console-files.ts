import { readFile } from 'node:fs/promises';
import path from 'node:path';

/** The built console: beside the code of a deployed function, or in the folder that the local server names. */
const folder = (): string => process.env.CONSOLE_FOLDER || path.join(import.meta.dirname, 'console');

/** The text of a built file of the console; undefined when there is none. @param name without separators. */
export const readConsoleFile = async (name: string): Promise<string | undefined> => {
  try {
    return await readFile(path.join(folder(), name), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
};
