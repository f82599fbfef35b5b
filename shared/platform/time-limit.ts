import { AsyncLocalStorage } from 'node:async_hooks';
import { AppError } from '#shared/errors.ts';
import { Unavailable } from './unavailable.ts';

/** Work did not end within its time limit. */
export class TimeLimitExceeded extends Unavailable {
  override readonly name = 'TimeLimitExceeded';
}

/**
 * Awaits work for a limited time.
 * @param work should stop when its signal aborts.
 * @throws {TimeLimitExceeded} after `limitMs`, also when the work does not stop.
 */
export const withTimeLimit = async <T>(limitMs: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> => {
  const controller = new AbortController();
  const exceeded = Promise.withResolvers<never>();
  const stop = (): void => {
    exceeded.reject(new TimeLimitExceeded(`The time limit of ${limitMs} ms was exceeded.`));
    controller.abort();
  };
  // Timers run before I/O: a response that arrived while the event loop was blocked is read first.
  const timer = setTimeout(() => setImmediate(stop), limitMs);
  try {
    return await Promise.race([work(controller.signal), exceeded.promise]);
  } finally {
    clearTimeout(timer);
  }
};

interface RequestTime {
  /** Aborts when the request is answered with 504. */
  readonly signal: AbortSignal;
  /** The time until that, in milliseconds. */
  readonly remainingMs: () => number;
}

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

// A class: a getter in an object literal gives every object a hidden class of its own, which V8 allocates in the old
// generation. It would keep all that the request refers to, its body included, until the next major collection.
class RequestTimer implements RunningRequestTime {
  readonly #endsAt: number;
  readonly #timer: NodeJS.Timeout;
  readonly #over = Promise.withResolvers<never>();
  #isOver = false;
  /** Created on demand: most lists call nothing that could be aborted. */
  #controller: AbortController | undefined;

  constructor(limitMs: number) {
    this.#endsAt = performance.now() + limitMs;
    // A part may end in time.
    this.#over.promise.catch(() => undefined);
    // Timers run before I/O: a response that arrived while the event loop was blocked is read first.
    this.#timer = setTimeout(() => setImmediate(() => this.#expire()), Math.max(0, limitMs));
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#isOver) this.#controller.abort();
    return this.#controller.signal;
  }

  readonly remainingMs = (): number => this.#endsAt - performance.now();

  run<T>(part: () => T | Promise<T>): T | Promise<T> {
    const result = storage.run(this, part);
    return result instanceof Promise ? Promise.race([result, this.#over.promise]) : result;
  }

  end(): void {
    clearTimeout(this.#timer);
  }

  #expire(): void {
    this.#isOver = true;
    this.#over.reject(new AppError('TIMEOUT'));
    this.#controller?.abort();
  }
}

export const startRequestTime = (limitMs: number): RunningRequestTime => new RequestTimer(limitMs);

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

/** What is left of a request's time when work that cannot be aborted ends itself, in milliseconds. */
const RESPONSE_RESERVE_MS = 500;

/** To be called between the steps of long work. @throws 504 shortly before the time of the current request is over. */
export const mustHaveTime = (): void => {
  const time = storage.getStore();
  if (time && time.remainingMs() <= RESPONSE_RESERVE_MS) throw new AppError('TIMEOUT');
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
