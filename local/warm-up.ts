import { catalog } from '#data/catalog.ts';
import { log } from '#platform/log.ts';
import { collectEarly, releaseMemoryWhenIdle } from './memory.ts';

/** Reads the catalog before a request needs it, and then keeps the memory of the process small (ADR 68). */
export const warmUp = async (): Promise<void> => {
  try {
    await catalog('now');
  } catch (error) {
    // The next request reads it again.
    log.error('the catalog could not be read at the start', { error: error as Error });
  }
  collectEarly();
  releaseMemoryWhenIdle();
};
