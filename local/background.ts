import { setTimeout as wait } from 'node:timers/promises';
import { log } from '#platform/log.ts';

/** Work in the background that can be ended. */
export interface Background {
  /** Ends it; resolves when nothing of it runs any more. */
  stop(): Promise<void>;
}

/**
 * Does something again and again with a pause before each time. A time that fails is logged and the next one comes.
 * @param complaint what the log says when it fails.
 */
export const inBackground = (
  everyMs: number,
  complaint: string,
  work: (signal: AbortSignal) => Promise<void>,
): Background => {
  const ending = new AbortController();
  const { signal } = ending;
  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      try {
        await wait(everyMs, undefined, { signal });
        await work(signal);
      } catch (error) {
        if (!signal.aborted) log.warn(complaint, { error: error as Error });
      }
    }
  };
  const running = run();
  return {
    stop: async () => {
      ending.abort();
      await running;
    },
  };
};
