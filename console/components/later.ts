import { type ComponentType, lazy } from 'react';

/** How long a busy browser may postpone loading the rest of a page, in milliseconds. */
const IDLE_MS = 1000;

const whenIdle: (run: () => void) => unknown =
  typeof requestIdleCallback === 'function'
    ? (run) => requestIdleCallback(run, { timeout: IDLE_MS })
    : (run) => setTimeout(run, IDLE_MS);

/**
 * A part of a page that its first load leaves out. Its script is fetched as soon as the browser is idle, so that the part
 * opens at once, offline too.
 */
export const later = <Props extends object>(load: () => Promise<ComponentType<Props>>) => {
  // A failure is reported when the part is shown and loaded again.
  whenIdle(() => void load().catch(() => undefined));
  return lazy(async () => ({ default: await load() }));
};
