import { whenReached } from './connection.ts';

const TRIES = 3;
const PAUSE_MS = 1000;

/** Loads a script. One that fails is loaded again, after a pause and not before the service is reached. @throws the last failure. */
export const loadScript = async <Script>(load: () => Promise<Script>, tries = TRIES): Promise<Script> => {
  try {
    return await load();
  } catch (error) {
    if (tries === 1) throw error;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    await whenReached();
    return await loadScript(load, tries - 1);
  }
};
