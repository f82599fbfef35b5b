import { setTimeout as wait } from 'node:timers/promises';
import { log } from '#platform/log.ts';

/** A task in the background. */
export interface BackgroundTask {
  /** Resolves when no run is in progress any more. */
  stop(): Promise<void>;
}

/** Logs a failure of repeated work once, and that it works again. */
export const logChanges = (failureMessage: string) => {
  let isFailing = false;
  return {
    failed: (error: unknown): void => {
      if (!isFailing) log.warn(failureMessage, { error: error as Error });
      isFailing = true;
    },
    succeeded: (): void => {
      if (isFailing) log.warn(`no longer: ${failureMessage}`);
      isFailing = false;
    },
  };
};

/**
 * Runs work periodically, with a pause before each run. The first of several failed runs is logged.
 * @param failureMessage logged for a failed run.
 */
export const runPeriodically = (
  pauseMs: number,
  failureMessage: string,
  work: (signal: AbortSignal) => Promise<void>,
): BackgroundTask => {
  const stopping = new AbortController();
  const { signal } = stopping;
  const state = logChanges(failureMessage);
  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      try {
        await wait(pauseMs, undefined, { signal });
        await work(signal);
        state.succeeded();
      } catch (error) {
        if (!signal.aborted) state.failed(error);
      }
    }
  };
  const running = run();
  return {
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
};
