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
