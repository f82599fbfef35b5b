import { existsSync } from 'node:fs';
import { log } from '#platform/log.ts';
import { openDataFolder } from './data-folder.ts';
import { type Engine, startEngine, useEngine } from './engine.ts';
import {
  databaseSettings,
  dataDirOf,
  defaultSettings,
  emptyCredentials,
  externalCredentials,
  setVariables,
  withoutAwsConfiguration,
} from './environment.ts';
import { readRecord } from './leftover-processes.ts';
import { StartupError } from './startup-error.ts';

/** Access to the table for commands that run beside the service. */
interface TableConnection {
  close(): Promise<void>;
}

const doNothing = async (): Promise<void> => undefined;

/** The engine of a local server that runs on the folder. */
const findRunningEngine = async (record: string): Promise<Engine | undefined> => {
  const known = readRecord(record);
  return known && (await useEngine(`http://${known.host}:${known.port}`).catch(() => undefined));
};

/** Starts an engine on the folder, or uses that of the local server that holds the lock. */
const openEngine = async (path: string): Promise<TableConnection & { endpoint: string }> => {
  try {
    const folder = await openDataFolder(path);
    try {
      const engine = await startEngine(folder.file('table.sqlite'), folder.file('engine.json'));
      const close = async () => {
        await engine.stop();
        folder.release();
      };
      return { endpoint: engine.endpoint, close };
    } catch (error) {
      folder.release();
      throw error;
    }
  } catch (error) {
    const engine = error instanceof StartupError ? await findRunningEngine(`${path}/engine.json`) : undefined;
    if (!engine) throw error;
    return { endpoint: engine.endpoint, close: doNothing };
  }
};

/**
 * Points this process at the table: `TABLE_NAME` in the AWS account of the environment, or else the table in the data
 * folder, whether a local server runs on it or not.
 * @throws {StartupError} when there is no table.
 */
export const connectTable = async (): Promise<TableConnection> => {
  log.setLogLevel('WARN');
  const { TABLE_NAME: named, DYNAMODB_ENDPOINT: external } = process.env;
  if (named && !external) return { close: doNothing };
  setVariables(withoutAwsConfiguration(process.env, external));
  const { TABLE_NAME, AWS_REGION } = defaultSettings({ port: 0, awsEndpoint: '' });
  setVariables({ TABLE_NAME: named || TABLE_NAME, AWS_REGION: process.env.AWS_REGION || AWS_REGION });
  if (external) {
    setVariables({ ...databaseSettings(external), ...externalCredentials(process.env) });
    return { close: doNothing };
  }
  const path = dataDirOf(process.env);
  if (!existsSync(`${path}/table.sqlite`)) {
    throw new StartupError(
      `There is no table in ${path}. Run \`npm start\` once, or set DATA_DIR to the folder with the data.`,
    );
  }
  const engine = await openEngine(path);
  setVariables({ ...databaseSettings(engine.endpoint), ...emptyCredentials });
  return engine;
};
