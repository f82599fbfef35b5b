import { type ParseArgsConfig, parseArgs } from 'node:util';
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

/** The arguments of a command; undefined, after its usage was printed, for unknown ones and for `--help`. */
export const argumentsOf = <T extends NonNullable<ParseArgsConfig['options']>>(help: string, options: T) => {
  try {
    const parsed = parseArgs({
      options: { ...options, help: { type: 'boolean', short: 'h' } },
      allowPositionals: true,
    });
    if (!(parsed.values as { help?: boolean }).help) return parsed;
    console.log(help);
  } catch (error) {
    fail(`${(error as Error).message}\n\n${help}`);
  }
  return undefined;
};
