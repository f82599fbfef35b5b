import { type HealthPart, healthParts, type PartState, type PartStates } from '#contract/health.ts';
import { readHealthItem } from '#data/health.ts';
import { checkBus } from '#platform/bus.ts';
import { elapsed, type Moment, moment } from '#platform/clock.ts';
import { log } from '#platform/log.ts';

/** The timeout of one dependency, in milliseconds. All are checked concurrently. */
export const TIMEOUT_MS = 1500;

/** How long a result is reused, in milliseconds: limits the checks of a process, however many callers there are. */
export const FRESH_MS = 5000;

/** The result of a deep check. */
interface DeepHealth {
  readonly parts: PartStates;
  /** When the check began, in ISO 8601. */
  readonly checkedAt: string;
  readonly isHealthy: boolean;
}

/** Sends one request to each dependency. They throw when it responds with an error or the signal aborts. */
const probes: Readonly<Record<HealthPart, (signal: AbortSignal) => Promise<unknown>>> = {
  table: readHealthItem,
  bus: checkBus,
};

const logUnhealthy = (part: HealthPart, state: PartState, cause?: unknown): void =>
  log.error('health check failed', { part, state, error: cause as Error });

const stateOf = async (part: HealthPart): Promise<PartState> => {
  const controller = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<'timeout'>((resolve) => {
    timer = setTimeout(() => {
      // Resolves before aborting: an aborted probe rejects immediately and must not win the race as `failed`.
      resolve('timeout');
      controller.abort();
    }, TIMEOUT_MS);
  });
  const probed = probes[part](controller.signal).then(
    () => 'ok' as const,
    (error: unknown) => {
      if (!controller.signal.aborted) logUnhealthy(part, 'failed', error);
      return 'failed' as const;
    },
  );
  const state = await Promise.race([probed, timeout]);
  clearTimeout(timer);
  if (state === 'timeout') logUnhealthy(part, state);
  return state;
};

const checkAll = async (startedAt: Moment): Promise<DeepHealth> => {
  const states = await Promise.all(healthParts.map(async (part) => [part, await stateOf(part)] as const));
  return {
    parts: Object.fromEntries(states) as PartStates,
    checkedAt: new Date(startedAt.epoch).toISOString(),
    isHealthy: states.every(([, state]) => state === 'ok'),
  };
};

let last: { readonly result: Promise<DeepHealth>; readonly startedAt: Moment } | undefined;

/** Checks every dependency. Concurrent callers, and callers within `FRESH_MS`, share one result. Never throws. */
export const checkDeeply = async (): Promise<DeepHealth> => {
  const startedAt = moment();
  if (!last || elapsed(last.startedAt, startedAt) >= FRESH_MS) last = { result: checkAll(startedAt), startedAt };
  return await last.result;
};
