import { AsyncLocalStorage } from 'node:async_hooks';
import { AppError } from '#shared/errors.ts';

/** The time that a request may take. */
interface RequestTime {
  /** Aborts when the request is answered with 504. */
  readonly signal: AbortSignal;
  /** The time until that, in milliseconds. */
  readonly remainingMs: () => number;
}

/** The time of a running request. */
export interface RunningRequestTime extends RequestTime {
  /**
   * Runs a part of the request: none of its writes starts after the time is over.
   * @throws 504 when the time is over, unless the part is synchronous.
   */
  run<T>(part: () => T | Promise<T>): T | Promise<T>;
  /** The request has been answered. */
  end(): void;
}

const storage = new AsyncLocalStorage<RequestTime>();

/** Starts the time of a request. */
export const startRequestTime = (limitMs: number): RunningRequestTime => {
  const endsAt = performance.now() + limitMs;
  const over = Promise.withResolvers<never>();
  // A part may end in time.
  over.promise.catch(() => undefined);
  let isOver = false;
  // Created on demand: most lists call nothing that could be aborted.
  let controller: AbortController | undefined;
  const expire = (): void => {
    isOver = true;
    over.reject(new AppError('TIMEOUT'));
    controller?.abort();
  };
  // Timers run before I/O: a response that arrived while the event loop was blocked is read first.
  const timer = setTimeout(() => setImmediate(expire), Math.max(0, limitMs));
  const time: RunningRequestTime = {
    get signal() {
      controller ??= new AbortController();
      if (isOver) controller.abort();
      return controller.signal;
    },
    remainingMs: () => endsAt - performance.now(),
    run: (part) => {
      const result = storage.run(time, part);
      return result instanceof Promise ? Promise.race([result, over.promise]) : result;
    },
    end: () => clearTimeout(timer),
  };
  return time;
};

/** The time of the current request; undefined outside of one. */
export const requestTime = (): RequestTime | undefined => storage.getStore();

/**
 * The time limit of a call to another service: at most `limitMs`, and less when `reserveMs` of the request's time would not
 * be left to respond.
 */
export const limitWithinRequest = (limitMs: number, reserveMs: number): number => {
  const time = storage.getStore();
  return time ? Math.max(1, Math.min(limitMs, Math.round(time.remainingMs() - reserveMs))) : limitMs;
};

/**
 * To be called before each attempt of a write.
 * @returns the options of the SDK call: its own retries end with the request.
 * @throws 504 when the time of the current request is over: nothing is written after its response.
 */
export const writeOptions = (): { abortSignal?: AbortSignal } => {
  const time = storage.getStore();
  if (!time) return {};
  if (time.signal.aborted || time.remainingMs() <= 0) throw new AppError('TIMEOUT');
  return { abortSignal: time.signal };
};
