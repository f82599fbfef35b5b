import { type HealthPart, healthParts, type PartState, type PartStates } from '#contract/health.ts';

/** How long a part may take to answer, in milliseconds: whoever asks waits no longer than about two seconds in all. */
export const PART_MS = 1500;

/** How long a result stands, in milliseconds: so often a process asks its parts, however many callers want to know. */
export const FRESH_MS = 5000;

/** What a deep check has found. */
export interface DeepHealth {
  readonly parts: PartStates;
  /** When the parts were asked. */
  readonly checkedAt: string;
  readonly isHealthy: boolean;
}

/** What a deep check needs from outside. */
export interface DeepCheckPorts {
  readonly now: () => string;
  /** Asks each part; gives up when the signal says so. @throws when the part answers with an error. */
  readonly ask: Readonly<Record<HealthPart, (signal: AbortSignal) => Promise<unknown>>>;
  /** Is told why a part is not well; callers are not. */
  readonly report: (part: HealthPart, state: PartState, cause: unknown) => void;
}

const stateOf = async (part: HealthPart, { ask, report }: DeepCheckPorts): Promise<PartState> => {
  const giveUp = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<'timeout'>((resolve) => {
    timer = setTimeout(() => {
      // First, for what is asked ends with an error as soon as it hears of it.
      resolve('timeout');
      giveUp.abort();
    }, PART_MS);
  });
  const answered = ask[part](giveUp.signal).then(
    () => 'ok' as const,
    (error: unknown) => {
      if (!giveUp.signal.aborted) report(part, 'failed', error);
      return 'failed' as const;
    },
  );
  const state = await Promise.race([answered, late]);
  clearTimeout(timer);
  if (state === 'timeout') report(part, state, undefined);
  return state;
};

const deepCheck = async (ports: DeepCheckPorts): Promise<DeepHealth> => {
  const checkedAt = ports.now();
  const states = await Promise.all(healthParts.map(async (part) => [part, await stateOf(part, ports)] as const));
  const parts = Object.fromEntries(states) as PartStates;
  return { parts, checkedAt, isHealthy: states.every(([, state]) => state === 'ok') };
};

/**
 * Makes the deep check of a process: callers who come together, or soon after one another, share one round of questions,
 * also when it has found something. It never throws.
 */
export const deepChecks = (ports: DeepCheckPorts): (() => Promise<DeepHealth>) => {
  let running: Promise<DeepHealth> | undefined;
  let last: { readonly result: DeepHealth; readonly at: number } | undefined;
  // A process may have been frozen since, and its monotonic clock with it.
  const isFresh = ({ result, at }: NonNullable<typeof last>): boolean =>
    performance.now() - at < FRESH_MS && Date.parse(ports.now()) - Date.parse(result.checkedAt) < FRESH_MS;
  return async () => {
    if (last && isFresh(last)) return last.result;
    running ??= deepCheck(ports).finally(() => {
      running = undefined;
    });
    const result = await running;
    if (last?.result !== result) last = { result, at: performance.now() };
    return result;
  };
};
