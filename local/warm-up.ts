import { catalog } from '#data/catalog.ts';
import { log } from '#platform/log.ts';

/**
 * Reads the catalog before a request needs it, and then returns the memory that this took to the operating system (with
 * the option --expose-gc of `npm start`, see ADR 68).
 */
export const warmUp = async (): Promise<void> => {
  try {
    await catalog('now');
    globalThis.gc?.({ execution: 'sync', flavor: 'last-resort', type: 'major' });
  } catch (error) {
    // The next request reads it again.
    log.error('the catalog could not be read at the start', { error: error as Error });
  }
};
