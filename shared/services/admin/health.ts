import { type Health, type HealthPart, healthParts, type PartState, type PartStates } from '#contract/health.ts';
import { readHealthItem } from '#data/jobs.ts';
import { elapsed, type Moment, moment } from '#platform/clock.ts';
import { environment } from '#platform/environment.ts';
import { checkBus } from '#platform/eventbridge.ts';
import { log } from '#platform/log.ts';
import { TimeLimitExceeded, withTimeLimit } from '#platform/time-limit.ts';
import { unhealthy } from '#shared/errors.ts';
import manifest from '../../../package.json' with { type: 'json' };

/** The timeout of one dependency, in milliseconds. All are checked concurrently. */
export const TIMEOUT_MS = 1500;

/** How long a result is reused, in milliseconds: limits the checks of a process, however many callers there are. */
export const FRESH_MS = 5000;

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

const stateOf = async (part: HealthPart): Promise<PartState> => {
  try {
    await withTimeLimit(TIMEOUT_MS, probes[part]);
    return 'ok';
  } catch (error) {
    const state = error instanceof TimeLimitExceeded ? 'timeout' : 'failed';
    log.error('health check failed', { part, state, error });
    return state;
  }
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
const checkDeeply = async (): Promise<DeepHealth> => {
  const startedAt = moment();
  if (!last || elapsed(last.startedAt, startedAt) >= FRESH_MS) last = { result: checkAll(startedAt), startedAt };
  return await last.result;
};

/** The state of the service. @param isDeep checks every dependency too. @throws 503 when one of them is not well. */
export const readHealth = async (isDeep: boolean): Promise<Health> => {
  const alive = { status: 'ok' as const, version: manifest.version, stage: environment().stage };
  if (!isDeep) return alive;
  const { parts, checkedAt, isHealthy } = await checkDeeply();
  if (!isHealthy) throw unhealthy(parts, checkedAt);
  return { ...alive, parts, checked_at: checkedAt };
};
