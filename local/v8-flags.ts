import { setFlagsFromString } from 'node:v8';
import { type BackgroundTask, runPeriodically } from './background.ts';

/** Part of a processor that the process takes at most while it counts as idle: background tasks take up to a twentieth. */
const IDLE_LOAD = 0.1;

/** Growth of the process since the last collection for which another one is made, in bytes. */
const GROWTH_MIN = 16 * 1024 * 1024;

/**
 * Lets the old generation grow by a fifth until its next collection, instead of V8's multiple of what is in use. Called
 * after the catalog was read: while it is read hardly anything is garbage, and collections would take a third of the time.
 * V8 computes this limit after each collection, so the option takes effect in a running process.
 */
export const collectEarly = (): void => setFlagsFromString('--heap-growing-percent=20');

/** Collects all garbage and returns free pages to the operating system; without the option --expose-gc nothing. */
const releaseMemory = (): void => {
  globalThis.gc?.({ execution: 'sync', flavor: 'last-resort', type: 'major' });
};

/** Releases memory each time the process has grown and then been idle for `pauseMs`. */
export const releaseMemoryWhenIdle = (pauseMs = 5000): BackgroundTask => {
  let used = process.cpuUsage();
  let checkedAt = performance.now();
  let releasedTo = process.memoryUsage.rss();
  return runPeriodically(pauseMs, 'the memory of the process could not be released', async () => {
    const { user, system } = process.cpuUsage(used);
    const load = (user + system) / 1000 / (performance.now() - checkedAt);
    if (load < IDLE_LOAD && process.memoryUsage.rss() > releasedTo + GROWTH_MIN) {
      releaseMemory();
      releasedTo = process.memoryUsage.rss();
    }
    used = process.cpuUsage();
    checkedAt = performance.now();
  });
};
