import { setTimeout as wait } from 'node:timers/promises';
import { isSkipForFeature } from './feature-run.ts';

/** Only what hangs takes longer, also on a busy machine. */
const LIMIT_MS = 60_000;
const POLL_MS = 10;

/** Polls a condition until it holds. @throws {Error} with the last error as cause after `limitMs`. */
export const until = async (condition: () => unknown, limitMs = LIMIT_MS): Promise<void> => {
  const deadline = performance.now() + limitMs;
  for (;;) {
    let failure: unknown;
    try {
      if (await condition()) return;
    } catch (error) {
      if (isSkipForFeature(error)) throw error;
      failure = error;
    }
    if (performance.now() > deadline)
      throw new Error(`The condition was not met within ${limitMs} ms.`, { cause: failure });
    await wait(POLL_MS);
  }
};
