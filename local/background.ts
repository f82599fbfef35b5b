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
      if (isFailing) log.warn(`recovered: ${failureMessage}`);
      isFailing = false;
    },
  };
};

/** How much longer than the run before it a pause is at least: long work then takes a tenth of the time. */
const PAUSE_PER_RUN = 9;

/**
 * Runs work periodically, with a pause before each run. The first of several failed runs is logged.
 * @param pauseMs longer after a long run, so that the work does not take up the machine when the directory is large.
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
    for (let tookMs = 0; !signal.aborted; ) {
      await wait(Math.max(pauseMs, tookMs * PAUSE_PER_RUN), undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      const startedAt = performance.now();
      try {
        await work(signal);
        state.succeeded();
      } catch (error) {
        if (!signal.aborted) state.failed(error);
      }
      tookMs = performance.now() - startedAt;
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
