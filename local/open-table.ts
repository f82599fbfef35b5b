import { existsSync } from 'node:fs';
import { log } from '#platform/log.ts';
import { openDataFolder } from './data-folder.ts';
import { type Engine, startEngine, useEngine } from './engine.ts';
import { databaseSettings, dataDirOf, defaultSettings, emptyCredentials, setVariables } from './environment.ts';
import { readRecord } from './orphans.ts';
import { StartRefused } from './refusal.ts';

/** A way to the table of this environment, for commands beside the service. */
export interface OpenTable {
  close(): Promise<void>;
}

const nothing = async (): Promise<void> => undefined;

/** The engine of a world that runs on the folder. */
const runningEngine = async (record: string): Promise<Engine | undefined> => {
  const known = readRecord(record);
  return known && (await useEngine(`http://127.0.0.1:${known.port}`).catch(() => undefined));
};

/** Takes the folder, or goes to the engine of the world that has it. */
const engineOn = async (path: string): Promise<OpenTable & { endpoint: string }> => {
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
    const engine = error instanceof StartRefused ? await runningEngine(`${path}/engine.json`) : undefined;
    if (!engine) throw error;
    return { endpoint: engine.endpoint, close: nothing };
  }
};

/**
 * Leads this process to the table: that of `TABLE_NAME` in the account of the shell, or the one in the data folder, whether
 * a service runs on it or not.
 * @throws {StartRefused} when there is none.
 */
export const openTable = async (): Promise<OpenTable> => {
  log.setLogLevel('WARN');
  const { TABLE_NAME: named, DYNAMODB_ENDPOINT: foreign } = process.env;
  if (named && !foreign) return { close: nothing };
  const { TABLE_NAME, AWS_REGION } = defaultSettings({ port: 0, awsEndpoint: '' });
  setVariables({ TABLE_NAME: named || TABLE_NAME, AWS_REGION: process.env.AWS_REGION || AWS_REGION });
  if (foreign) {
    setVariables(databaseSettings(foreign));
    return { close: nothing };
  }
  const path = dataDirOf(process.env);
  if (!existsSync(`${path}/table.sqlite`)) {
    throw new StartRefused(`There is no directory in ${path}. Start the service once, or set DATA_DIR.`);
  }
  const engine = await engineOn(path);
  setVariables({ ...databaseSettings(engine.endpoint), ...emptyCredentials });
  return engine;
};
