import { SHARE_ENV, Worker } from 'node:worker_threads';
import { log } from '#platform/log.ts';
import type { ImportHandler } from './handlers.ts';

/** An invocation of a handler in the worker thread. */
export interface Invocation {
  readonly number: number;
  /** The id of the handler. */
  readonly id: string;
  readonly event: unknown;
  readonly requestId: string;
  readonly timeoutSeconds: number;
}

/** What became of the invocation with the same number. */
export interface Outcome {
  readonly number: number;
  readonly result?: unknown;
  readonly error?: Error;
}

/** A worker thread that runs handlers. */
interface WorkerHandlers {
  readonly importHandler: ImportHandler;
  /** Ends the thread; running invocations fail. */
  stop(): Promise<void>;
}

/**
 * Runs handlers in a worker thread, so that subscribers, jobs and the publisher do not delay the requests of this process, as
 * they do not on AWS. The thread starts with the first invocation, and again after it has ended by an error.
 */
export const openWorkerHandlers = (): WorkerHandlers => {
  const running = new Map<number, PromiseWithResolvers<unknown>>();
  let worker: Worker | undefined;
  let count = 0;

  const start = (): Worker => {
    const started = new Worker(new URL('./background-worker.ts', import.meta.url), { env: SHARE_ENV });
    started.on('message', ({ number, result, error }: Outcome) => {
      const invocation = running.get(number);
      running.delete(number);
      if (error) invocation?.reject(error);
      else invocation?.resolve(result);
    });
    started.on('error', (error) => log.error('the worker thread failed', { error: error as Error }));
    started.once('exit', () => {
      if (worker === started) worker = undefined;
      for (const invocation of running.values()) invocation.reject(new Error('The worker thread ended.'));
      running.clear();
    });
    return started;
  };

  const invoke = (invocation: Omit<Invocation, 'number'>): Promise<unknown> => {
    worker ??= start();
    count += 1;
    const outcome = Promise.withResolvers<unknown>();
    running.set(count, outcome);
    worker.postMessage({ number: count, ...invocation } satisfies Invocation);
    return outcome.promise;
  };

  return {
    importHandler: async (id) => (event, context) =>
      invoke({
        id,
        event,
        requestId: context.awsRequestId,
        timeoutSeconds: context.getRemainingTimeInMillis() / 1000,
      }),
    stop: async () => {
      await worker?.terminate();
    },
  };
};
