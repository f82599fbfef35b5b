import { connectTable } from '#local/connect-table.ts';
import { setVariables } from '#local/environment.ts';
import { readEnvFile } from '#local/given-settings.ts';
import { StartupError } from '#local/startup-error.ts';

/** Ends a command with a message and a failure. */
export const fail = (message: string): void => {
  console.error(message);
  process.exitCode = 1;
};

/** Runs the work of a command on the table of the environment, with its file `.env`, or of the data folder. */
export const onTable = async (work: () => Promise<void>): Promise<void> => {
  try {
    setVariables(readEnvFile(process.env)?.variables ?? {});
    const table = await connectTable();
    try {
      await work();
    } finally {
      await table.close();
    }
  } catch (error) {
    if (!(error instanceof StartupError)) throw error;
    fail(error.message);
  }
};
