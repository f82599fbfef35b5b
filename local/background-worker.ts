import { parentPort } from 'node:worker_threads';
import { log } from '#platform/log.ts';
import { cacheHandlers, importHandler } from './handlers.ts';
import { lambdaContext } from './lambda-context.ts';
import type { Invocation, Outcome } from './worker-handlers.ts';

/** The worker thread of `worker-handlers.ts`: runs handlers and posts their outcomes. */

const load = cacheHandlers(importHandler);

const run = async ({ number, id, event, requestId, timeoutSeconds }: Invocation): Promise<Outcome> => {
  try {
    const handler = await load(id);
    return { number, result: await handler(event, lambdaContext(id, requestId, timeoutSeconds)) };
  } catch (error) {
    return { number, error: error instanceof Error ? error : new Error(String(error)) };
  }
};

// As in Lambda, a fault in one handler must not end the others.
process.on('unhandledRejection', (error) => log.error('unhandled rejection', { error: error as Error }));
parentPort?.on('message', (invocation: Invocation) => {
  void run(invocation).then((outcome) => parentPort?.postMessage(outcome));
});
