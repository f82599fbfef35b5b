import { setTimeout as wait } from 'node:timers/promises';
import { log } from '#platform/log.ts';
import type { Storage } from '../storage.ts';
import type { MockStripe, PendingEvent } from './mock-stripe.ts';

/** Sends Stripe's webhook events to the service. */
export interface StripeWebhooks {
  start(): void;
  /** Sends due events now and waits for their delivery, for a few seconds at most. */
  flush(): Promise<void>;
  stop(): Promise<void>;
}

const CONCURRENCY = 4;
const FIRST_PAUSE_MS = 200;
const PAUSE_MAX_MS = 60_000;
/** With the longest pause between them, a few days. */
const TRIES_MAX = 4000;
const RESPONSE_MS = 30_000;
const FLUSH_MS = 5000;
const IDLE_MS = 500;

/**
 * Delivers webhook events at least once, signed as by Stripe. Failures are retried with growing pauses, also after a
 * restart.
 * @param address of the service's webhook route.
 */
export const stripeWebhooks = (mockStripe: MockStripe, address: string, storage: Storage): StripeWebhooks => {
  const stopping = new AbortController();
  const running = new Map<number, Promise<void>>();
  let polling: Promise<void> | undefined;

  const post = async (payload: string): Promise<number> => {
    const secret = (process.env.STRIPE_WEBHOOK_SECRET ?? '').split(',')[0]?.trim() ?? '';
    // Imported at the first payment: it takes a tenth of a second and 35 MB.
    const { default: Stripe } = await import('stripe');
    const response = await fetch(address, {
      method: 'POST',
      headers: {
        'content-type': 'application/json; charset=utf-8',
        'stripe-signature': Stripe.webhooks.generateTestHeaderString({ payload, secret }),
      },
      body: payload,
      signal: AbortSignal.any([stopping.signal, AbortSignal.timeout(RESPONSE_MS)]),
    });
    await response.arrayBuffer();
    return response.status;
  };

  // An event whose outcome cannot be stored stays running, so that it is not sent again at once.
  const store = (work: () => void): Promise<void> => storage.writeUntilDone(work, stopping.signal);

  const retryLater = async ({ number, tries }: PendingEvent, error: string): Promise<void> => {
    const pause = Math.min(PAUSE_MAX_MS, FIRST_PAUSE_MS * 2 ** Math.min(tries, 20));
    const due = tries + 1 >= TRIES_MAX ? undefined : Date.now() + pause;
    await store(() => mockStripe.markFailed(number, error, due));
  };

  const deliver = async (event: PendingEvent): Promise<void> => {
    try {
      const status = await post(event.payload);
      if (status < 300) await store(() => mockStripe.markDelivered(event.number));
      else if (status >= 500) await retryLater(event, `status ${status}`);
      else {
        log.warn('the service rejected an event of the mock Stripe', { status });
        await store(() => mockStripe.markFailed(event.number, `status ${status}`, undefined));
      }
    } catch (error) {
      // After an abort the event stays pending for the next run.
      if (!stopping.signal.aborted) await retryLater(event, (error as Error).message);
    }
  };

  const deliverDue = (): void => {
    if (stopping.signal.aborted) return;
    for (const event of mockStripe.dueEvents(CONCURRENCY + running.size)) {
      if (running.size >= CONCURRENCY) return;
      if (running.has(event.number)) continue;
      const delivery = deliver(event).finally(() => {
        running.delete(event.number);
        deliverDue();
      });
      running.set(event.number, delivery);
    }
  };

  const poll = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      deliverDue();
      await wait(IDLE_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  };

  return {
    start: () => {
      polling ??= poll();
    },
    flush: async () => {
      const until = Date.now() + FLUSH_MS;
      for (deliverDue(); running.size > 0 && Date.now() < until; ) {
        await Promise.race([Promise.all(running.values()), wait(Math.max(1, until - Date.now()))]);
      }
    },
    stop: async () => {
      stopping.abort();
      await polling;
      await Promise.all(running.values());
    },
  };
};
